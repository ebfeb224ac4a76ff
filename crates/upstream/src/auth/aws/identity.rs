//! Keys of a role that is taken by a web identity: a token that a cluster gives its pods, in a file.
//!
//! The token is replaced from time to time, so the file is read whenever keys are fetched.

use super::{Keys, SESSION, sts::Sts};
use crate::auth::{cached::Lasting, refusal::Refusal, surroundings::Surroundings};
use secrecy::{ExposeSecret, SecretString};
use std::path::PathBuf;

/// Who wants which role.
pub(super) struct Identity {
    role: String,
    file: PathBuf,
    session: String,
}

/// A role for a web identity.
pub(super) struct WebIdentity {
    pub(super) sts: Sts,
    pub(super) identity: Identity,
}

impl Identity {
    pub(super) fn new(role: &str, file: &str, session: Option<&str>) -> Self {
        Self {
            role: role.to_owned(),
            file: file.into(),
            session: session.unwrap_or(SESSION).to_owned(),
        }
    }

    pub(super) fn from_environment(around: &Surroundings<'_>) -> Option<Self> {
        let role = around.variable("AWS_ROLE_ARN")?;
        let file = around.variable("AWS_WEB_IDENTITY_TOKEN_FILE")?;
        let session = around.variable("AWS_ROLE_SESSION_NAME");
        Some(Self::new(&role, &file, session.as_deref()))
    }
}

impl WebIdentity {
    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let identity = &self.identity;
        let token = tokio::fs::read_to_string(&identity.file).await;
        let token = token.map_err(|why| {
            let what = "the file with the web identity's token";
            Refusal::local(what, format_args!("cannot be read: {}", why.kind()))
        })?;
        let token = SecretString::from(token.trim());
        let fields = [
            ("Action", "AssumeRoleWithWebIdentity"),
            ("RoleArn", &identity.role),
            ("RoleSessionName", &identity.session),
            ("WebIdentityToken", token.expose_secret()),
        ];
        self.sts.ask(&fields, None).await
    }
}
