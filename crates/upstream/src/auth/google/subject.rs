//! The token of another than Google, that is exchanged: in a file that someone renews, asked for at a URL, or a
//! request that AWS would take.
//!
//! What must hold: what is in the file or at the URL is a secret, and so are the headers it is asked with
//! (GitHub's bear a token); messages name members of the credentials file, never what they say.

use super::{FIELD, Given, read, unsafe_url, within};
use crate::{
    auth::{
        aws::{Caller, Places},
        fetch::{Service, is_private},
        refusal::Refusal,
        token,
    },
    spec::Fault,
};
use http::{HeaderName, HeaderValue, Uri, uri::Scheme};
use secrecy::SecretString;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use std::{collections::HashMap, path::PathBuf};

/// Metadata services of Azure and EC2, which have no TLS.
const KNOWN: [&str; 2] = ["169.254.169.254", "fd00:ec2::254"];
const SOURCES: &str = "name a file or a url that has the token, or environment_id: aws1";
const FILE: &str = "the file of credential_source";

/// Where it is, and the member of an object there that it is; without one it is all that is there.
pub(super) enum Subject {
    File(PathBuf, Member),
    Url(Service, Vec<(HeaderName, HeaderValue)>, Member),
    Aws(Box<Caller>),
}

type Member = Option<String>;

#[derive(Deserialize)]
struct Source {
    #[serde(default)]
    file: Option<PathBuf>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    headers: Option<HashMap<String, SecretString>>,
    #[serde(default)]
    format: Option<Format>,
    #[serde(default)]
    environment_id: Option<String>,
    #[serde(default)]
    executable: Option<IgnoredAny>,
    #[serde(default)]
    certificate: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Format {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    subject_token_field_name: Option<String>,
}

impl Subject {
    /// Of `credential_source`; `audience` is whom it is shown to.
    pub(super) fn read(json: &str, audience: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let source: Source = read(json)?;
        let aws = match source.environment_id.as_deref() {
            Some("aws1") => return Self::aws(json, audience, given),
            other => other.is_some(),
        };
        for (named, there) in [
            ("credential_source.environment_id", aws),
            ("credential_source.executable", source.executable.is_some()),
            (
                "credential_source.certificate",
                source.certificate.is_some(),
            ),
        ] {
            if there {
                let problem = "is a source of tokens that is not supported";
                return Err(Fault::new(FIELD, named, problem, SOURCES));
            }
        }
        let member = source.format.unwrap_or_default().member()?;
        match (source.file, source.url) {
            (Some(file), _) => Ok(Self::File(file, member)),
            (None, Some(url)) => {
                let service = local("credential_source.url", &url, given)?;
                let headers = sent(source.headers.unwrap_or_default())?;
                Ok(Self::Url(service, headers, member))
            }
            (None, None) => {
                let problem = "names neither";
                Err(Fault::new(FIELD, "credential_source", problem, SOURCES))
            }
        }
    }

    fn aws(json: &str, audience: &str, given: &Given<'_>) -> Result<Self, Fault> {
        let places: Places = read(json)?;
        let service = |named, url: &str| local(named, url, given);
        let caller = Caller::new(places, audience, given.around, service)?;
        Ok(Self::Aws(Box::new(caller)))
    }

    pub(super) async fn fetch(&self) -> Result<SecretString, Refusal> {
        match self {
            Self::File(path, member) => {
                let text = tokio::fs::read_to_string(path).await;
                let text = text.map_err(|why| {
                    Refusal::local(FILE, format_args!("cannot be read: {}", why.kind()))
                })?;
                let none = || Refusal::local(FILE, "holds no token where its format says");
                token_in(&text, member.as_deref()).ok_or_else(none)
            }
            Self::Url(service, headers, member) => {
                let reply = service.get("", headers).await?;
                if !reply.status.is_success() {
                    return Err(Refusal::status(service.what, reply.status, None));
                }
                let text = std::str::from_utf8(&reply.body).ok();
                let token = text.and_then(|text| token_in(text, member.as_deref()));
                token.ok_or_else(|| Refusal::unusable(service.what))
            }
            Self::Aws(caller) => Box::pin(caller.proof()).await,
        }
    }
}

fn token_in(text: &str, member: Option<&str>) -> Option<SecretString> {
    let token = match member {
        None => text.trim().to_owned(),
        Some(member) => {
            let mut all: HashMap<String, Value> = serde_json::from_str(text).ok()?;
            match all.remove(member)? {
                Value::String(token) => token,
                _ => return None,
            }
        }
    };
    Some(token)
        .filter(|token| !token.is_empty())
        .map(Into::into)
}

/// A service that the file's member `named` names; without TLS it is here, where no proxy leads.
fn local(named: &'static str, url: &str, given: &Given<'_>) -> Result<Service, Fault> {
    let what = "the URL of credential_source";
    if !is_private(url, &KNOWN) {
        return Err(unsafe_url(named));
    }
    let scheme = url
        .parse::<Uri>()
        .ok()
        .and_then(|uri| uri.scheme().cloned());
    let service = match scheme {
        Some(scheme) if scheme == Scheme::HTTP => Service::local(what, FIELD, url, given.reach),
        _ => Service::new(what, FIELD, url, given.reach),
    };
    service.map_err(|fault| within(named, fault))
}

/// Headers as a token is asked for with them.
fn sent(headers: HashMap<String, SecretString>) -> Result<Vec<(HeaderName, HeaderValue)>, Fault> {
    let header = |(name, value): (String, SecretString)| {
        let name = HeaderName::try_from(name).ok();
        name.zip(token::sensitive("", &value, FIELD).ok())
    };
    let headers = headers.into_iter().map(header).collect::<Option<_>>();
    headers.ok_or_else(|| {
        let fix = "write each as a name and a text without control characters";
        let problem = "holds one that cannot be sent";
        Fault::new(FIELD, "credential_source.headers", problem, fix)
    })
}

impl Format {
    /// The member that the token is; `None` where it stands alone.
    fn member(self) -> Result<Option<String>, Fault> {
        let fault = |named, problem| {
            let fix = "write type as text, or as json with subject_token_field_name";
            Err(Fault::new(FIELD, named, problem, fix))
        };
        match (self.kind.as_deref(), self.subject_token_field_name) {
            (None | Some("text"), _) => Ok(None),
            (Some("json"), Some(member)) => Ok(Some(member)),
            (Some("json"), None) => fault(
                "credential_source.format.subject_token_field_name",
                "is missing",
            ),
            _ => fault("credential_source.format.type", "is not known"),
        }
    }
}
