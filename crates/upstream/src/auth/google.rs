//! Google's application default credentials: a token for all of the Cloud platform.
//!
//! In the order of Google's own libraries (<https://cloud.google.com/docs/authentication/application-default-credentials>):
//! what the target says, `GOOGLE_APPLICATION_CREDENTIALS`, the file of `gcloud`, the metadata server. What a
//! file can be is in [`source`]; one token is kept, and made anew as a whole, however many services it takes.
//!
//! What must hold: a file says where secrets are sent, so what it names is https or on this machine.

use super::{
    bearer,
    cached::Cached,
    fetch::{Reach, Service, is_private},
    refusal::Refusal,
    spec::GoogleAuth,
    surroundings::Surroundings,
    token::Token,
};
use crate::spec::Fault;
use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::path::PathBuf;

mod account;
mod external;
mod impersonated;
mod source;
mod subject;
mod user;

use source::Source;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const METADATA: &str = "http://metadata.google.internal";
const QUOTA_PROJECT: HeaderName = HeaderName::from_static("x-goog-user-project");
const FIELD: &str = "auth.google";

/// A signer with Google tokens.
pub(crate) struct Google {
    source: Source,
    cached: Cached<Token>,
    quota_project: Option<HeaderValue>,
}

/// What a file is read with.
struct Given<'a> {
    auth: &'a GoogleAuth,
    reach: &'a Reach<'a>,
    around: &'a Surroundings<'a>,
}

/// What every kind of file may have.
#[derive(Deserialize)]
struct Billed {
    #[serde(default)]
    quota_project_id: Option<String>,
}

impl Google {
    pub(super) fn new(
        auth: &GoogleAuth,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let project = auth.quota_project.as_deref();
        let Some(json) = contents(auth, around)? else {
            let host = || {
                let host = around.variable("GCE_METADATA_HOST")?;
                Some(format!("http://{host}"))
            };
            let url = auth.metadata_url.clone().or_else(host);
            let url = url.unwrap_or_else(|| METADATA.to_owned());
            let field = "auth.google.metadata_url";
            let service = Service::local("Google's metadata server", field, &url, reach)?;
            return Self::with(Source::Metadata(service), project);
        };
        let json = json.expose_secret();
        let file: Billed = read(json)?;
        let source = Source::read(
            json,
            &Given {
                auth,
                reach,
                around,
            },
        )?;
        Self::with(source, project.or(file.quota_project_id.as_deref()))
    }

    fn with(source: Source, project: Option<&str>) -> Result<Self, Fault> {
        Ok(Self {
            source,
            cached: Cached::default(),
            quota_project: project.map(billed).transpose()?,
        })
    }

    pub(super) async fn sign(&self, headers: &mut HeaderMap) -> Result<(), Refusal> {
        let token = self.cached.get(|| self.source.fetch()).await?;
        bearer(headers, &token);
        if let Some(project) = &self.quota_project {
            headers.insert(QUOTA_PROJECT, project.clone());
        }
        Ok(())
    }

    pub(super) fn forget(&self) {
        self.cached.forget();
    }
}

impl Given<'_> {
    /// A service that the file's member `named` names.
    fn service(&self, what: &'static str, named: &str, url: &str) -> Result<Service, Fault> {
        if !is_private(url, &[]) {
            return Err(unsafe_url(named));
        }
        let service = Service::new(what, FIELD, url, self.reach);
        service.map_err(|fault| within(named, fault))
    }

    /// The same for what hands out tokens, which the target may say in its place.
    fn issuer(&self, what: &'static str, named: &str, url: &str) -> Result<Service, Fault> {
        match &self.auth.token_url {
            Some(url) => Service::new(what, "auth.google.token_url", url, self.reach),
            None => self.service(what, named, url),
        }
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

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, Fault> {
    serde_json::from_str(json).map_err(|_| no_credentials())
}

/// The header that says which project pays.
fn billed(project: &str) -> Result<HeaderValue, Fault> {
    HeaderValue::from_str(project).map_err(|_| {
        let field = "auth.google.quota_project";
        let fix = "give the id of the project";
        Fault::new(field, "", "cannot stand in a header", fix)
    })
}

fn unsafe_url(named: &str) -> Fault {
    let fix = "write it as https://host[:port][/path]; tokens are not sent in the clear";
    Fault::new(FIELD, named, "is neither https nor on this machine", fix)
}

/// A fault of what the file's member `named` says.
fn within(named: &str, fault: Fault) -> Fault {
    Fault::new(FIELD, named, fault.problem, fault.fix)
}

fn no_credentials() -> Fault {
    Fault::new(
        FIELD,
        "",
        "is not a credentials file of Google, or lacks a part of one",
        "give the file as gcloud or the console of Google Cloud made it",
    )
}
