//! Keys that EC2 gives an instance, by version 2 of its metadata service: a session first, then the name of
//! the role, then its keys.

use super::{Keys, container};
use crate::{
    auth::{
        cached::Lasting,
        fetch::{Reach, Service},
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
        let ttl = [(TTL, HeaderValue::from_static("21600"))];
        let session = service
            .ask(Method::PUT, "/latest/api/token", &ttl, Bytes::new())
            .await?;
        let session = self.text(&session)?;
        let mut session = HeaderValue::from_str(&session).map_err(|_| self.unusable())?;
        session.set_sensitive(true);
        let session = [(SESSION, session)];
        let roles = self.text(&service.get(ROLES, &session).await?)?;
        let role = roles.lines().next().unwrap_or_default().trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c);
        if role.is_empty() || !role.chars().all(plain) {
            return Err(self.unusable());
        }
        let keys = service.get(&format!("{ROLES}{role}"), &session).await?;
        container::read(service, &keys)
    }

    fn text(&self, reply: &crate::auth::fetch::Reply) -> Result<String, Refusal> {
        match reply.status.is_success() {
            true => String::from_utf8(reply.body.to_vec()).map_err(|_| self.unusable()),
            false => Err(Refusal::status(self.0.what, reply.status, None)),
        }
    }

    fn unusable(&self) -> Refusal {
        Refusal::unusable(self.0.what)
    }
}
