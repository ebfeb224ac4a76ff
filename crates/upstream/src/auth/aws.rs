//! Requests that are signed for AWS, and where the keys for that come from.

use super::{
    Signer, Unsigned,
    cached::{Cached, Lasting},
    fetch::Reach,
    moment::Moment,
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
use http::{HeaderMap, header};
use punctual_core::Failure;
use secrecy::SecretString;
use std::time::Duration;

mod caller;
mod chain;
mod container;
mod files;
mod headers;
mod identity;
mod imds;
mod process;
mod profile;
mod role;
mod signature;
mod source;
mod sso;
mod sts;

pub(super) use caller::{Caller, Places};
use signature::Scope;
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

/// Whose session it is where a role is taken and nobody says.
const SESSION: &str = "punctual";

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
        let scope = Scope {
            region: &self.region,
            service: &self.service,
            at: Moment::now(),
        };
        Ok(headers::signed(&keys, &scope, request, &payload)?)
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
    let profile = || files::Shared::read(auth, around).region();
    let region = auth.region.clone();
    let region = region.or_else(|| in_host(&spec.endpoint.base_url));
    let region = region.or_else(named).or_else(profile).ok_or_else(|| {
        let fix = "set auth.aws.region or AWS_REGION";
        Fault::new("auth.aws.region", "", "is missing", fix)
    })?;
    match is_region(&region) {
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

/// Whether this can be a part of a host's name.
fn is_region(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(plain)
}

/// `bedrock-runtime.eu-west-1.amazonaws.com` says where it is, also as a private endpoint.
fn in_host(url: &str) -> Option<String> {
    let host = Address::parse(url, "").ok()?.host;
    let known = host.strip_suffix(".cn").unwrap_or(&host);
    let before = known.strip_suffix(".amazonaws.com")?;
    let before = before.strip_suffix(".vpce").unwrap_or(before);
    Some(before.rsplit('.').next()?.to_owned())
}
