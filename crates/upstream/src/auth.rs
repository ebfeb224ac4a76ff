//! Credentials that must be computed or fetched: signatures for AWS, tokens for Google and Entra.
//!
//! A [`Signer`] gives the headers that prove who asks. It is asked inside an attempt, so whatever it must
//! fetch first counts against that attempt's clocks and ends when the attempt is dropped. What it fetched is
//! kept in a [`Cached`] cell and used by all.
//!
//! What must hold:
//! - Where a credential comes from is decided once, when the target is set up, and a mistake there is named
//!   there. What can change meanwhile (a token file, a profile, a role) is read when it is needed.
//! - No message names a secret, an address or a path that holds one; it names what was tried.
//! - A refusal by whoever hands out credentials is [`Unauthorized`](punctual_core::Code::Unauthorized) and
//!   benches the credential; that it cannot be reached is a failure of this attempt.
//!
//! Nothing is added to the build for this: HMAC, SHA-256 and RSA are those of `ring`, which TLS needs anyway
//! (the SDKs of the three providers would bring a hundred crates, and connections that we could not drop).

use crate::{
    pools::Pools,
    spec::{Auth, Fault, TargetSpec},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use punctual_core::Failure;
use std::sync::Arc;

mod aws;
mod azure;
mod cached;
mod fetch;
mod form;
mod google;
pub(crate) mod moment;
mod refusal;
mod spec;
mod surroundings;
#[cfg(test)]
mod tests;
mod token;

pub use spec::{AwsAuth, AwsKeys, AzureAuth, GoogleAuth};

use fetch::Reach;
use surroundings::Surroundings;

/// What a signature covers.
#[derive(Clone, Debug)]
pub(crate) struct Unsigned<'a> {
    pub(crate) method: &'a Method,
    /// Path and query as they are sent.
    pub(crate) uri: &'a Uri,
    /// As in the `Host` header.
    pub(crate) host: &'a str,
    pub(crate) content_type: Option<HeaderValue>,
    /// In order.
    pub(crate) body: &'a [Bytes],
}

/// Makes the headers that prove who asks.
pub(crate) enum Signer {
    /// A key in a header of its own, or a bearer token that does not change.
    Fixed(HeaderName, HeaderValue),
    Aws(Box<aws::Aws>),
    Google(Box<google::Google>),
    Azure(Box<azure::Azure>),
}

impl Signer {
    /// For a target; `None` if its credential is none of these.
    ///
    /// # Errors
    /// A credential that cannot be found or used, by field.
    pub(crate) fn new(spec: &TargetSpec, pools: &Arc<Pools>) -> Result<Option<Self>, Fault> {
        Self::within(spec, pools, &Surroundings::process())
    }

    fn within(
        spec: &TargetSpec,
        pools: &Arc<Pools>,
        around: &Surroundings<'_>,
    ) -> Result<Option<Self>, Fault> {
        let reach = Reach::of(spec, pools);
        Ok(Some(match &spec.auth {
            Auth::None | Auth::Key(_) | Auth::Passthrough => return Ok(None),
            Auth::ApiKey { header, key } => {
                Self::Fixed(header.clone(), token::sensitive("", key, "auth.key")?)
            }
            Auth::Aws(auth) => aws::Aws::signer(auth, spec, &reach, around)?,
            Auth::Google(auth) => {
                Self::Google(Box::new(google::Google::new(auth, &reach, around)?))
            }
            Auth::Azure(auth) => Self::Azure(Box::new(azure::Azure::new(auth, &reach, around)?)),
        }))
    }

    /// The headers for one request. They are good for minutes, so a request that is sent again soon may
    /// carry the same ones.
    ///
    /// # Errors
    /// What keeps a credential from being had.
    pub(crate) async fn sign(&self, request: &Unsigned<'_>) -> Result<HeaderMap, Box<Failure>> {
        let mut headers = HeaderMap::new();
        let signed = match self {
            Self::Fixed(name, value) => {
                headers.insert(name.clone(), value.clone());
                return Ok(headers);
            }
            Self::Aws(aws) => return aws.sign(request).await,
            Self::Google(google) => google.sign(&mut headers).await,
            Self::Azure(azure) => azure.sign(&mut headers).await,
        };
        signed.map(|()| headers).map_err(Into::into)
    }

    /// The upstream did not accept what was signed: nothing that was fetched before is used again.
    pub(crate) fn refused(&self) {
        match self {
            Self::Fixed(..) => {}
            Self::Aws(aws) => aws.forget(),
            Self::Google(google) => google.forget(),
            Self::Azure(azure) => azure.forget(),
        }
    }
}

/// `Authorization: Bearer …`
fn bearer(headers: &mut HeaderMap, token: &HeaderValue) {
    headers.insert(header::AUTHORIZATION, token.clone());
}
