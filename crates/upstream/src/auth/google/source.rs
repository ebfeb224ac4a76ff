//! Where a token comes from, by the kind that a credentials file says it is (AIP-4110).
//!
//! Kinds nest: an account is impersonated by another kind, whose token is a step on the way. A step's token is
//! not kept; the last one is, so that there is one cell, one turn to fetch and one end.

use super::{
    FIELD, Given, SCOPE, account::Account, external::External, impersonated::Impersonated, read,
    user::User,
};
use crate::{
    auth::{
        cached::Lasting,
        fetch::Service,
        refusal::Refusal,
        token::{self, Token},
    },
    spec::Fault,
};
use http::{HeaderName, HeaderValue};
use serde::Deserialize;

/// Where a service account's key is exchanged, if it does not say so.
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const ENDPOINT: &str = "Google's token endpoint";
/// Kinds that exist and are not supported; any other word is not repeated.
const OTHERS: [&str; 2] = ["gdch_service_account", "impersonated_service_account"];

/// One way to be given a token.
pub(super) enum Source {
    Account(Service, Box<Account>),
    User(Box<User>),
    External(Box<External>),
    Impersonated(Box<Impersonated>),
    Metadata(Service),
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    token_uri: Option<String>,
}

impl Source {
    /// Of a whole file.
    pub(super) fn read(json: &str, given: &Given<'_>) -> Result<Self, Fault> {
        match read::<File>(json)?.kind.as_str() {
            "impersonated_service_account" => Impersonated::read(json, given).map(Self::from),
            _ => Self::first(json, given),
        }
    }

    /// Of a file, or the part of one, that needs no other source.
    pub(super) fn first(json: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let file: File = read(json)?;
        let url = file.token_uri.as_deref().unwrap_or(TOKEN_URL);
        Ok(match file.kind.as_str() {
            "service_account" => {
                let service = given.issuer(ENDPOINT, "token_uri", url)?;
                Self::Account(service, Box::new(Account::read(json, url)?))
            }
            "authorized_user" => {
                let service = given.issuer(ENDPOINT, "token_uri", url)?;
                Self::User(Box::new(User::read(json, service)?))
            }
            "external_account" => {
                let external = Self::External(Box::new(External::read(json, given)?));
                return Impersonated::beside(json, external, given);
            }
            "external_account_authorized_user" => {
                Self::User(Box::new(User::external(json, given)?))
            }
            other => {
                let kind = OTHERS.into_iter().find(|kind| *kind == other);
                return Err(Fault::new(
                    FIELD,
                    kind.unwrap_or_default(),
                    "is a kind of credential that is not supported here",
                    "use a service account, a user, a federated identity, or one of them that impersonates an account",
                ));
            }
        })
    }

    /// A token and how long it is good.
    pub(super) async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        match self {
            Self::Account(service, account) => {
                let assertion = account.assertion(SCOPE)?;
                let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
                let fields = [("grant_type", grant), ("assertion", &assertion)];
                token::read(service, &service.post(None, &fields).await?)
            }
            Self::User(user) => user.fetch().await,
            Self::External(external) => external.fetch().await,
            Self::Impersonated(impersonated) => Box::pin(impersonated.fetch()).await,
            Self::Metadata(service) => {
                let path = "/computeMetadata/v1/instance/service-accounts/default/token";
                let name = HeaderName::from_static("metadata-flavor");
                let flavor = [(name, HeaderValue::from_static("Google"))];
                token::read(service, &service.get(path, &flavor).await?)
            }
        }
    }
}
