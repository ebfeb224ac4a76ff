//! Google's application default credentials: a token for all of the Cloud platform.
//!
//! In the order of Google's own libraries (<https://cloud.google.com/docs/authentication/application-default-credentials>):
//! what the target says, `GOOGLE_APPLICATION_CREDENTIALS`, the file of `gcloud`, the metadata server.
//! Federated and impersonated identities are refused by name.

use super::{
    bearer,
    cached::{Cached, Lasting},
    fetch::{Reach, Service},
    refusal::Refusal,
    spec::GoogleAuth,
    surroundings::Surroundings,
    token::{self, Token},
};
use crate::spec::Fault;
use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::path::PathBuf;

mod account;

use account::Account;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const METADATA: &str = "http://metadata.google.internal";
const QUOTA_PROJECT: HeaderName = HeaderName::from_static("x-goog-user-project");
const FIELD: &str = "auth.google";

/// A signer with Google tokens.
pub(crate) struct Google {
    source: Source,
    cached: Cached<Token>,
    quota_project: Option<HeaderValue>,
}

enum Source {
    Account(Service, Box<Account>),
    User(Service, User),
    Metadata(Service),
}

/// What `gcloud auth application-default login` leaves behind.
#[derive(Deserialize)]
struct User {
    client_id: String,
    client_secret: SecretString,
    refresh_token: SecretString,
}

/// What every kind of file has.
#[derive(Deserialize)]
struct File {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    token_uri: Option<String>,
    #[serde(default)]
    quota_project_id: Option<String>,
}

impl Google {
    pub(super) fn new(
        auth: &GoogleAuth,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let Some(json) = contents(auth, around)? else {
            let host = || {
                let host = around.variable("GCE_METADATA_HOST")?;
                Some(format!("http://{host}"))
            };
            let url = auth.metadata_url.clone().or_else(host);
            let url = url.unwrap_or_else(|| METADATA.to_owned());
            let field = "auth.google.metadata_url";
            let service = Service::local("Google's metadata server", field, &url, reach)?;
            return Self::with(Source::Metadata(service), auth.quota_project.as_deref());
        };
        let json = json.expose_secret();
        let file: File = serde_json::from_str(json).map_err(|_| no_credentials())?;
        let stated = file.token_uri.as_deref().unwrap_or(TOKEN_URL);
        let url = auth.token_url.as_deref().unwrap_or(stated);
        let field = "auth.google.token_url";
        let service = Service::new("Google's token endpoint", field, url, reach)?;
        let source = match file.kind.as_str() {
            "service_account" => Source::Account(service, Box::new(Account::read(json, stated)?)),
            "authorized_user" => {
                let user = serde_json::from_str(json).map_err(|_| no_credentials())?;
                Source::User(service, user)
            }
            other => {
                let known = ["external_account", "impersonated_service_account"];
                let kind = known.into_iter().find(|kind| *kind == other);
                return Err(Fault::new(
                    FIELD,
                    kind.unwrap_or_default(),
                    "is a kind of credential that is not supported",
                    "use a service account, the credentials of gcloud, or the metadata server",
                ));
            }
        };
        let project = auth.quota_project.as_deref();
        Self::with(source, project.or(file.quota_project_id.as_deref()))
    }

    fn with(source: Source, quota_project: Option<&str>) -> Result<Self, Fault> {
        let value = quota_project.map(HeaderValue::from_str).transpose();
        let quota_project = value.map_err(|_| {
            let fix = "give the id of the project";
            Fault::new(
                "auth.google.quota_project",
                "",
                "cannot stand in a header",
                fix,
            )
        })?;
        Ok(Self {
            source,
            cached: Cached::default(),
            quota_project,
        })
    }

    pub(super) async fn sign(&self, headers: &mut HeaderMap) -> Result<(), Refusal> {
        let token = self.cached.get(|| self.fetch()).await?;
        bearer(headers, &token);
        if let Some(project) = &self.quota_project {
            headers.insert(QUOTA_PROJECT, project.clone());
        }
        Ok(())
    }

    pub(super) fn forget(&self) {
        self.cached.forget();
    }

    async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        let (service, reply) = match &self.source {
            Source::Account(service, account) => {
                let assertion = account.assertion(SCOPE)?;
                let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
                let fields = [("grant_type", grant), ("assertion", &assertion)];
                (service, service.post("", &fields).await?)
            }
            Source::User(service, user) => {
                let fields = [
                    ("grant_type", "refresh_token"),
                    ("client_id", &user.client_id),
                    ("client_secret", user.client_secret.expose_secret()),
                    ("refresh_token", user.refresh_token.expose_secret()),
                ];
                (service, service.post("", &fields).await?)
            }
            Source::Metadata(service) => {
                let path = "/computeMetadata/v1/instance/service-accounts/default/token";
                let name = HeaderName::from_static("metadata-flavor");
                let flavor = [(name, HeaderValue::from_static("Google"))];
                (service, service.get(path, &flavor).await?)
            }
        };
        token::read(service, &reply)
    }
}

/// The credentials file, wherever it is; `None` if there is none.
fn contents(auth: &GoogleAuth, around: &Surroundings<'_>) -> Result<Option<SecretString>, Fault> {
    if let Some(json) = &auth.json {
        return Ok(Some(json.clone()));
    }
    let named = || around.variable("GOOGLE_APPLICATION_CREDENTIALS");
    let named = auth.file.clone().or_else(|| named().map(PathBuf::from));
    if let Some(path) = named {
        let read = around.read(&path);
        let read = read.map_err(|why| {
            let problem = format!("cannot be read: {}", why.kind());
            let fix = "name a credentials file that this process may read";
            Fault::new("auth.google.file", path.display().to_string(), problem, fix)
        });
        return read.map(SecretString::from).map(Some);
    }
    let folder = match around.variable("CLOUDSDK_CONFIG") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => match around.variable("APPDATA") {
            Some(data) => Some(PathBuf::from(data).join("gcloud")),
            None => around.home(".config/gcloud"),
        },
    };
    let known = folder.map(|folder| folder.join("application_default_credentials.json"));
    let read = known.and_then(|path| around.read(&path).ok());
    Ok(read.map(SecretString::from))
}

fn no_credentials() -> Fault {
    Fault::new(
        FIELD,
        "",
        "is not a credentials file of Google",
        "give the JSON of a service account's key, or of gcloud's application default credentials",
    )
}
