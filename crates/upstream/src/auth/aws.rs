//! Requests that are signed for AWS, and where the keys for that come from.

use super::{
    Signer, Unsigned,
    cached::{Cached, Lasting},
    fetch::Reach,
    moment::Moment,
    refusal::Refusal,
    spec::AwsAuth,
    surroundings::Surroundings,
    token,
};
use crate::{
    address::Address,
    aside::{Aside, LARGE},
    spec::{Fault, TargetSpec},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use punctual_core::Failure;
use secrecy::{ExposeSecret, SecretString};
use std::{sync::Arc, time::Duration};

mod container;
mod imds;
mod profile;
mod signature;
mod source;
mod sts;

use signature::{Canonical, Scope};
use source::Source;

/// An access key with what belongs to it.
pub(super) struct Keys {
    id: String,
    secret: SecretString,
    token: Option<SecretString>,
}

/// A signer with AWS keys.
pub(crate) struct Aws {
    source: Source,
    cached: Cached<Keys>,
    region: String,
    service: String,
    aside: Aside,
}

const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
const CONTENT: HeaderName = HeaderName::from_static("x-amz-content-sha256");

impl Aws {
    /// A key for Bedrock (`AWS_BEARER_TOKEN_BEDROCK`) goes before what must be looked for, as in AWS's own
    /// tools.
    pub(super) fn signer(
        auth: &AwsAuth,
        spec: &TargetSpec,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Signer, Fault> {
        let service = auth.service.as_deref().unwrap_or("bedrock");
        let key = around.variable("AWS_BEARER_TOKEN_BEDROCK");
        if let Some(key) = key.filter(|_| auth.keys.is_none() && service == "bedrock") {
            let value = token::sensitive("Bearer ", &key.into(), "AWS_BEARER_TOKEN_BEDROCK")?;
            return Ok(Signer::Fixed(header::AUTHORIZATION, value));
        }
        let region = region(auth, spec, around)?;
        Ok(Signer::Aws(Box::new(Self {
            source: Source::find(auth, &region, reach, around)?,
            cached: Cached::default(),
            region,
            service: service.to_owned(),
            aside: reach.aside(),
        })))
    }

    pub(super) fn forget(&self) {
        self.cached.forget();
    }

    pub(super) async fn sign(&self, request: &Unsigned<'_>) -> Result<HeaderMap, Box<Failure>> {
        let keys = match &self.source {
            Source::Fixed(keys) => keys.clone(),
            source => self.cached.get(|| Box::pin(source.fetch())).await?,
        };
        let payload = match request.body.iter().map(Bytes::len).sum::<usize>() <= LARGE {
            true => signature::digest(request.body.iter().map(AsRef::as_ref)),
            false => {
                let body = request.body.to_vec();
                let digest = move || signature::digest(body.iter().map(AsRef::as_ref));
                self.aside.run(digest).await?
            }
        };
        Ok(self.signed(&keys, request, &payload, Moment::now())?)
    }

    fn signed(
        &self,
        keys: &Arc<Keys>,
        request: &Unsigned<'_>,
        payload: &str,
        at: Moment,
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
        headers.insert(DATE, plain(&at.compact())?);
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
        let scope = Scope {
            region: &self.region,
            service: &self.service,
            at,
        };
        let secret = keys.secret.expose_secret();
        let mut authorization = plain(&scope.authorization(&keys.id, secret, &canonical))?;
        authorization.set_sensitive(true);
        // these two are the request's own
        headers.remove(header::HOST);
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::AUTHORIZATION, authorization);
        Ok(headers)
    }
}

/// Keys that were fetched, until when.
fn lasting(keys: Keys, expires: Option<&str>) -> Lasting<Keys> {
    let left = expires.and_then(Moment::parse).map(Moment::left);
    Lasting {
        value: keys,
        lasts: left.map(|left| left.max(Duration::from_secs(1))),
    }
}

/// The region that a request is signed for.
fn region(auth: &AwsAuth, spec: &TargetSpec, around: &Surroundings<'_>) -> Result<String, Fault> {
    let named = || around.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
    let profile = || profile::Profile::read(auth.profile.as_deref(), around).region();
    let region = auth.region.clone().or_else(|| in_host(spec));
    let region = region.or_else(named).or_else(profile).ok_or_else(|| {
        let fix = "set auth.aws.region or AWS_REGION";
        Fault::new("auth.aws.region", "", "is missing", fix)
    })?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    match !region.is_empty() && region.bytes().all(plain) {
        true => Ok(region),
        false => {
            let fix = "write it as us-east-1";
            Err(Fault::new(
                "auth.aws.region",
                region,
                "is not the name of a region",
                fix,
            ))
        }
    }
}

/// `bedrock-runtime.eu-west-1.amazonaws.com` says where it is, also as a private endpoint.
fn in_host(spec: &TargetSpec) -> Option<String> {
    let host = Address::parse(&spec.endpoint.base_url, "").ok()?.host;
    let known = host.strip_suffix(".cn").unwrap_or(&host);
    let before = known.strip_suffix(".amazonaws.com")?;
    let before = before.strip_suffix(".vpce").unwrap_or(before);
    Some(before.rsplit('.').next()?.to_owned())
}
