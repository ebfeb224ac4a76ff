//! Keys of a role that is taken by a web identity: a token that a cluster gives its pods, in a file.

use super::{Keys, lasting};
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
use secrecy::{ExposeSecret, SecretString};
use std::path::PathBuf;

/// Who wants which role.
pub(super) struct Identity {
    role: String,
    file: PathBuf,
    session: String,
}

impl Identity {
    pub(super) fn new(role: &str, file: &str, session: Option<&str>) -> Self {
        Self {
            role: role.to_owned(),
            file: file.into(),
            session: session.unwrap_or("punctual").to_owned(),
        }
    }

    pub(super) fn from_environment(around: &Surroundings<'_>) -> Option<Self> {
        let role = around.variable("AWS_ROLE_ARN")?;
        let file = around.variable("AWS_WEB_IDENTITY_TOKEN_FILE")?;
        let session = around.variable("AWS_ROLE_SESSION_NAME");
        Some(Self::new(&role, &file, session.as_deref()))
    }
}

/// Where roles are handed out.
pub(super) struct Sts {
    service: Service,
    identity: Identity,
}

impl Sts {
    pub(super) fn new(
        identity: Identity,
        auth: &AwsAuth,
        region: &str,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let named = || around.variable("AWS_ENDPOINT_URL_STS");
        let url = auth.sts_url.clone().or_else(named);
        let url = url.unwrap_or_else(|| {
            let china = if region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://sts.{region}.amazonaws.com{china}")
        });
        let service = Service::new("AWS STS", "auth.aws.sts_url", &url, reach)?;
        Ok(Self { service, identity })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let token = tokio::fs::read_to_string(&self.identity.file).await;
        let token = token.map_err(|why| {
            let what = "the file with the web identity's token";
            Refusal::local(what, format_args!("cannot be read: {}", why.kind()))
        })?;
        let token = SecretString::from(token.trim());
        let fields = [
            ("Action", "AssumeRoleWithWebIdentity"),
            ("Version", "2011-06-15"),
            ("RoleArn", &self.identity.role),
            ("RoleSessionName", &self.identity.session),
            ("WebIdentityToken", token.expose_secret()),
        ];
        let reply = self.service.post("", &fields).await?;
        let text = String::from_utf8_lossy(&reply.body);
        if !reply.status.is_success() {
            let word = element(&text, "Code");
            return Err(Refusal::status(self.service.what, reply.status, word));
        }
        let keys = || {
            let credentials = element(&text, "Credentials")?;
            let value = |name| element(credentials, name).map(str::to_owned);
            let keys = Keys {
                id: value("AccessKeyId")?,
                secret: value("SecretAccessKey")?.into(),
                token: Some(value("SessionToken")?.into()),
            };
            Some(lasting(keys, element(credentials, "Expiration")))
        };
        keys().ok_or_else(|| Refusal::unusable(self.service.what))
    }
}

/// What stands in the first element of this name. Keys, tokens and dates hold nothing that XML escapes.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (inside, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inside.trim())
}
