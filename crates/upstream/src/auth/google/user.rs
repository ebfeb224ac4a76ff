//! A user's refresh token: what `gcloud auth application-default login` leaves behind, for people whom Google
//! knows and for people of a workforce pool.
//!
//! Whoever hands out tokens may hand out another refresh token beside one, and the old one is then void
//! (RFC 6749 §6): the new one is used from then on, in this process.

use super::{Given, external::basic, no_credentials, read};
use crate::{
    auth::{
        cached::Lasting,
        fetch::Service,
        refusal::Refusal,
        token::{self, Token},
    },
    spec::Fault,
};
use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who refreshes, and where.
pub(super) struct User {
    service: Service,
    client: Client,
    refresh: Mutex<SecretString>,
}

/// How the program proves which one it is.
enum Client {
    /// In the form.
    Fields(String, SecretString),
    /// In `Authorization`.
    Basic(HeaderValue),
}

#[derive(Deserialize)]
struct File {
    client_id: String,
    client_secret: SecretString,
    refresh_token: SecretString,
    #[serde(default)]
    token_url: Option<String>,
}

/// Beside a token.
#[derive(Deserialize)]
struct Renewed {
    refresh_token: SecretString,
}

impl User {
    /// `authorized_user`
    pub(super) fn read(json: &str, service: Service) -> Result<Self, Fault> {
        let file: File = read(json)?;
        Ok(Self {
            service,
            client: Client::Fields(file.client_id, file.client_secret),
            refresh: Mutex::new(file.refresh_token),
        })
    }

    /// `external_account_authorized_user`
    pub(super) fn external(json: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let file: File = read(json)?;
        let url = file.token_url.as_deref().ok_or_else(no_credentials)?;
        let what = "Google's token endpoint for workforces";
        Ok(Self {
            service: given.issuer(what, "token_url", url)?,
            client: Client::Basic(basic(&file.client_id, file.client_secret.expose_secret())?),
            refresh: Mutex::new(file.refresh_token),
        })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        let refresh = self.refresh().clone();
        let mut fields = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose_secret()),
        ];
        let client = match &self.client {
            Client::Fields(id, secret) => {
                fields.push(("client_id", id));
                fields.push(("client_secret", secret.expose_secret()));
                None
            }
            Client::Basic(value) => Some(value),
        };
        let reply = self.service.post(client, &fields).await?;
        let token = token::read(&self.service, &reply)?;
        if let Ok(renewed) = serde_json::from_slice::<Renewed>(&reply.body) {
            *self.refresh() = renewed.refresh_token;
        }
        Ok(token)
    }

    fn refresh(&self) -> MutexGuard<'_, SecretString> {
        self.refresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
