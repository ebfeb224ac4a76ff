//! An identity that another than Google vouches for: its token is exchanged for one of Google's (AIP-4117,
//! RFC 8693).
//!
//! What must hold: the other's token is read anew for each exchange, for it ends sooner than what it gives.

use super::{FIELD, Given, SCOPE, read, subject::Subject};
use crate::{
    auth::{
        cached::Lasting,
        fetch::Service,
        form,
        refusal::Refusal,
        token::{self, Token},
    },
    spec::Fault,
};
use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// Where tokens are exchanged, if the file does not say so.
const TOKEN_URL: &str = "https://sts.googleapis.com/v1/token";

/// Who is vouched for, by what, and where that is exchanged.
pub(super) struct External {
    service: Service,
    audience: String,
    kind: String,
    subject: Subject,
    client: Option<HeaderValue>,
    /// The project that pays for a workforce's exchange, as the endpoint takes it.
    options: Option<String>,
}

#[derive(Deserialize)]
struct File<'a> {
    audience: String,
    subject_token_type: String,
    #[serde(default)]
    token_url: Option<String>,
    #[serde(borrow)]
    credential_source: &'a serde_json::value::RawValue,
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    client_secret: Option<SecretString>,
    #[serde(default)]
    workforce_pool_user_project: Option<String>,
}

impl External {
    pub(super) fn read(json: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let file: File<'_> = read(json)?;
        let url = file.token_url.as_deref().unwrap_or(TOKEN_URL);
        let what = "Google's security token service";
        let secret = file.client_secret.unwrap_or_default();
        let client = file.client_id.as_deref();
        let client = client.map(|id| basic(id, secret.expose_secret()));
        // a client's own project pays
        let project = file
            .workforce_pool_user_project
            .filter(|_| client.is_none());
        let options = project.map(|project| {
            let options = serde_json::json!({ "userProject": project });
            form::encode(&options.to_string(), b"")
        });
        Ok(Self {
            service: given.issuer(what, "token_url", url)?,
            subject: Subject::read(file.credential_source.get(), &file.audience, given)?,
            audience: file.audience,
            kind: file.subject_token_type,
            client: client.transpose()?,
            options,
        })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        let subject = self.subject.fetch().await?;
        let wanted = "urn:ietf:params:oauth:token-type:access_token";
        let mut fields = vec![
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            ("audience", &self.audience),
            ("scope", SCOPE),
            ("requested_token_type", wanted),
            ("subject_token", subject.expose_secret()),
            ("subject_token_type", &self.kind),
        ];
        fields.extend(self.options.iter().map(|options| ("options", &**options)));
        let reply = self.service.post(self.client.as_ref(), &fields).await?;
        token::read(&self.service, &reply)
    }
}

/// A client's id and secret as a header (RFC 7617).
pub(super) fn basic(id: &str, secret: &str) -> Result<HeaderValue, Fault> {
    let both = SecretString::from(BASE64.encode(format!("{id}:{secret}")));
    token::sensitive("Basic ", &both, FIELD)
}
