//! The headers of a signed request: what is signed, and the signature itself.
//!
//! One place for what goes to a provider and for what goes to STS, so that both are signed alike. `Host` and
//! `Content-Type` are signed but not among what is returned: they are the request's own.

use super::{
    Keys,
    signature::{Canonical, Scope},
};
use crate::auth::{Unsigned, refusal::Refusal, token};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use secrecy::ExposeSecret;

pub(super) const DATE: HeaderName = HeaderName::from_static("x-amz-date");
pub(super) const TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
const CONTENT: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// The headers to add to `request`, whose body has the digest `payload`.
///
/// # Errors
/// A key or host that cannot stand in a header.
pub(super) fn signed(
    keys: &Keys,
    scope: &Scope<'_>,
    request: &Unsigned<'_>,
    payload: &str,
) -> Result<HeaderMap, Refusal> {
    let unfit = || Refusal::local("the AWS access key", "cannot stand in a header");
    let mut headers = HeaderMap::new();
    let host = HeaderValue::from_str(request.host);
    headers.insert(header::HOST, host.map_err(|_| unfit())?);
    headers.extend(
        request
            .content_type
            .iter()
            .map(|kind| (header::CONTENT_TYPE, kind.clone())),
    );
    let plain = |text: &str| HeaderValue::from_str(text).map_err(|_| unfit());
    headers.insert(DATE, plain(&scope.at.compact())?);
    headers.insert(CONTENT, plain(payload)?);
    if let Some(session) = &keys.token {
        let value = token::sensitive("", session, "").map_err(|_| unfit())?;
        headers.insert(TOKEN, value);
    }
    let canonical = Canonical {
        method: request.method.as_str(),
        path: request.uri.path(),
        query: request.uri.query().unwrap_or_default(),
        headers: &headers,
        payload,
    };
    let secret = keys.secret.expose_secret();
    let mut authorization = plain(&scope.authorization(&keys.id, secret, &canonical))?;
    authorization.set_sensitive(true);
    headers.remove(header::HOST);
    headers.remove(header::CONTENT_TYPE);
    headers.insert(header::AUTHORIZATION, authorization);
    Ok(headers)
}
