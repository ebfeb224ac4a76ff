//! A service account that another identity is allowed to be, for an hour
//! (<https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken>).
//!
//! The other's token is asked for first and shown once; what comes back is the account's.

use super::{FIELD, Given, QUOTA_PROJECT, SCOPE, billed, no_credentials, read, source::Source};
use crate::{
    auth::{
        cached::Lasting,
        fetch::{Reply, Service},
        moment::Moment,
        refusal::Refusal,
        token::{self, Token},
    },
    spec::Fault,
};
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

const SERVICE: &str = "Google's service for impersonation";
const URL: &str = "service_account_impersonation_url";
/// Seconds that a token lasts if the file does not say it, and what it may say (AIP-4117).
const LASTS: u64 = 3600;
const MAY_LAST: std::ops::RangeInclusive<u64> = 600..=43_200;

/// Whose token is asked for, and by whom.
pub(super) struct Impersonated {
    service: Service,
    by: Source,
    /// The project that pays for asking.
    project: Option<HeaderValue>,
    wish: Bytes,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(default)]
    service_account_impersonation_url: Option<String>,
    #[serde(default)]
    service_account_impersonation: Option<Lifetime>,
    #[serde(default)]
    delegates: Option<Vec<String>>,
    #[serde(borrow, default)]
    source_credentials: Option<&'a RawValue>,
    #[serde(default)]
    quota_project_id: Option<String>,
}

#[derive(Deserialize)]
struct Lifetime {
    #[serde(default)]
    token_lifetime_seconds: Option<u64>,
}

#[derive(Serialize)]
struct Wish<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    delegates: &'a [String],
    scope: [&'static str; 1],
    lifetime: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    access_token: SecretString,
    #[serde(default)]
    expire_time: Option<String>,
}

/// An error of Google's APIs (AIP-193).
#[derive(Deserialize)]
struct Denied {
    error: Status,
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

impl Impersonated {
    /// `impersonated_service_account`: the file holds who impersonates.
    pub(super) fn read(json: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let file: File<'_> = read(json)?;
        let inner = file.source_credentials.ok_or_else(no_credentials)?.get();
        let url = file.service_account_impersonation_url.as_deref();
        let url = url.ok_or_else(no_credentials)?;
        let by = Source::first(inner, given)?;
        // who asks is who pays
        let payer = read::<File<'_>>(inner)?.quota_project_id;
        Self::new(url, by, payer, &file, given)
    }

    /// Beside a source in the same file, if the file names an account.
    pub(super) fn beside(json: &str, by: Source, given: &Given<'_>) -> Result<Source, Fault> {
        let file: File<'_> = read(json)?;
        match &file.service_account_impersonation_url {
            None => Ok(by),
            Some(url) => {
                let payer = file.quota_project_id.clone();
                Self::new(url, by, payer, &file, given).map(Source::from)
            }
        }
    }

    fn new(
        url: &str,
        by: Source,
        payer: Option<String>,
        file: &File<'_>,
        given: &Given<'_>,
    ) -> Result<Self, Fault> {
        let stated = file.service_account_impersonation.as_ref();
        let lasts = stated.and_then(|stated| stated.token_lifetime_seconds);
        let lasts = lasts.unwrap_or(LASTS);
        if !MAY_LAST.contains(&lasts) {
            let named = format!("token_lifetime_seconds: {lasts}");
            let fix = "give seconds from 600 to 43200";
            return Err(Fault::new(FIELD, named, "cannot be asked for", fix));
        }
        let wish = Wish {
            delegates: file.delegates.as_deref().unwrap_or_default(),
            scope: [SCOPE],
            lifetime: format!("{lasts}s"),
        };
        Ok(Self {
            service: given.service(SERVICE, URL, url)?,
            by,
            project: payer.as_deref().map(billed).transpose()?,
            // strings always serialise
            wish: serde_json::to_vec(&wish).unwrap_or_default().into(),
        })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        let shown = self.by.fetch().await?.value;
        let mut headers = vec![
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            ),
            (header::AUTHORIZATION, shown),
        ];
        headers.extend(self.project.clone().map(|project| (QUOTA_PROJECT, project)));
        let wish = self.wish.clone();
        granted(&self.service.ask(Method::POST, "", &headers, wish).await?)
    }
}

impl From<Impersonated> for Source {
    fn from(impersonated: Impersonated) -> Self {
        Self::Impersonated(Box::new(impersonated))
    }
}

fn granted(reply: &Reply) -> Result<Lasting<Token>, Refusal> {
    if !reply.status.is_success() {
        let denied = serde_json::from_slice::<Denied>(&reply.body);
        let word = denied.ok().map(|denied| denied.error.status);
        return Err(Refusal::status(SERVICE, reply.status, word.as_deref()));
    }
    let unusable = || Refusal::unusable(SERVICE);
    let granted: Granted = serde_json::from_slice(&reply.body).map_err(|_| unusable())?;
    let left = granted.expire_time.as_deref().and_then(Moment::parse);
    Ok(Lasting {
        value: token::sensitive("Bearer ", &granted.access_token, "").map_err(|_| unusable())?,
        lasts: left.map(|moment| moment.left().max(Duration::from_secs(1))),
    })
}
