//! Keys that EC2 gives an instance, by version 2 of its metadata service: a session first, then the name of
//! the role, then its keys.

use super::{Keys, container};
use crate::{
    auth::{
        cached::Lasting,
        fetch::{Reach, Reply, Service},
        refusal::Refusal,
        spec::AwsAuth,
        surroundings::Surroundings,
    },
    spec::Fault,
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};

const ENDPOINT: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
const TTL: HeaderName = HeaderName::from_static("x-aws-ec2-metadata-token-ttl-seconds");
const SESSION: HeaderName = HeaderName::from_static("x-aws-ec2-metadata-token");
const ROLES: &str = "/latest/meta-data/iam/security-credentials/";

/// A header that bears a session.
pub(super) type Session = (HeaderName, HeaderValue);

/// The instance's metadata service.
pub(super) struct Imds(Service);

impl Imds {
    /// `None` where the environment forbids to ask it. `what` it is called in messages.
    pub(super) fn find(
        what: &'static str,
        auth: &AwsAuth,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Option<Self>, Fault> {
        let off = around.variable("AWS_EC2_METADATA_DISABLED");
        if off.is_some_and(|off| off.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let url = auth.imds_url.clone().or_else(|| around.variable(ENDPOINT));
        let url = url.unwrap_or_else(|| "http://169.254.169.254".to_owned());
        Service::local(what, "auth.aws.imds_url", &url, reach).map(|service| Some(Self(service)))
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let Self(service) = self;
        let session = session(service, "/latest/api/token").await?;
        keys(service, ROLES, &[session]).await
    }
}

/// Opens a session by what is at `below`: the header that further requests bear.
pub(super) async fn session(service: &Service, below: &str) -> Result<Session, Refusal> {
    let ttl = [(TTL, HeaderValue::from_static("21600"))];
    let reply = service.ask(Method::PUT, below, &ttl, Bytes::new()).await?;
    let mut session =
        HeaderValue::from_str(&text(service, &reply)?).map_err(|_| unusable(service))?;
    session.set_sensitive(true);
    Ok((SESSION, session))
}

/// Keys of the first role of the list at `below`.
pub(super) async fn keys(
    service: &Service,
    below: &str,
    session: &[Session],
) -> Result<Lasting<Keys>, Refusal> {
    let roles = text(service, &service.get(below, session).await?)?;
    let role = roles.lines().next().unwrap_or_default().trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c);
    if role.is_empty() || !role.chars().all(plain) {
        return Err(unusable(service));
    }
    let below = format!("{}/{role}", below.trim_end_matches('/'));
    container::read(service, &service.get(&below, session).await?)
}

/// A bare word.
pub(super) fn text(from: &Service, reply: &Reply) -> Result<String, Refusal> {
    match reply.status.is_success() {
        true => String::from_utf8(reply.body.to_vec()).map_err(|_| unusable(from)),
        false => Err(Refusal::status(from.what, reply.status, None)),
    }
}

fn unusable(from: &Service) -> Refusal {
    Refusal::unusable(from.what)
}
