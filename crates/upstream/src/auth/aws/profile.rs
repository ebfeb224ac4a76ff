//! The files that AWS's tools share, `~/.aws/config` and `~/.aws/credentials`.
//!
//! A profile may hold keys or name a role for a web identity. What would need a program to be run, a browser
//! or another role first is refused by name, so that nobody looks for keys where there are none.

use super::{Keys, lasting, sts::Identity};
use crate::{
    auth::{cached::Lasting, refusal::Refusal, surroundings::Surroundings},
    spec::Fault,
};
use std::{collections::HashMap, path::PathBuf, time::Duration};

/// How long keys are used before the files are looked at again.
const FRESH: Duration = Duration::from_secs(300);
const WHAT: &str = "the profile in AWS's shared files";

/// One profile, as both files have it.
pub(super) struct Profile {
    name: String,
    /// Whether somebody asked for it by name.
    named: bool,
    config: Option<PathBuf>,
    credentials: Option<PathBuf>,
    settings: Option<HashMap<String, String>>,
}

/// What a profile is good for.
pub(super) enum Holds {
    Keys,
    WebIdentity(Identity),
    Nothing,
}

impl Profile {
    pub(super) fn read(stated: Option<&str>, around: &Surroundings<'_>) -> Self {
        let named = stated.map(str::to_owned);
        let named = named.or_else(|| around.variable("AWS_PROFILE"));
        let path = |variable, usual| {
            let path = around.variable(variable).map(PathBuf::from);
            path.or_else(|| around.home(usual))
        };
        let mut profile = Self {
            named: named.is_some(),
            name: named.unwrap_or_else(|| "default".to_owned()),
            config: path("AWS_CONFIG_FILE", ".aws/config"),
            credentials: path("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
            settings: None,
        };
        let read = |path: &Option<PathBuf>| around.read(path.as_ref()?).ok();
        let (config, credentials) = (read(&profile.config), read(&profile.credentials));
        profile.settings = profile.settings(config.as_deref(), credentials.as_deref());
        profile
    }

    pub(super) fn region(&self) -> Option<String> {
        self.setting("region").map(str::to_owned)
    }

    pub(super) fn holds(&self) -> Result<Holds, Fault> {
        let fault = |problem: &str, fix| Fault::new("auth.aws.profile", &self.name, problem, fix);
        if self.settings.is_none() && self.named {
            let fix = "name a profile that is in ~/.aws/config or ~/.aws/credentials";
            return Err(fault("is not there", fix));
        }
        if self.keys().is_some() {
            return Ok(Holds::Keys);
        }
        let role = self.setting("role_arn");
        if let Some((role, file)) = role.zip(self.setting("web_identity_token_file")) {
            let session = self.setting("role_session_name");
            return Ok(Holds::WebIdentity(Identity::new(role, file, session)));
        }
        for (setting, problem, fix) in [
            (
                "credential_process",
                "gets its keys from a program (credential_process), which is never run",
                "run it outside and pass its keys on in the environment or the shared files",
            ),
            (
                "sso_session",
                "signs in through a browser (sso_session), which a server cannot",
                "use the keys of `aws configure export-credentials`, a role or a Bedrock API key",
            ),
            (
                "sso_start_url",
                "signs in through a browser (sso_start_url), which a server cannot",
                "use the keys of `aws configure export-credentials`, a role or a Bedrock API key",
            ),
            (
                "role_arn",
                "takes a role by other credentials (role_arn), which is not supported",
                "give the role to the instance or the container, or name a web_identity_token_file",
            ),
        ] {
            if self.setting(setting).is_some() {
                return Err(fault(problem, fix));
            }
        }
        Ok(Holds::Nothing)
    }

    /// The keys as they are in the files now.
    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let config = text(self.config.as_ref()).await;
        let credentials = text(self.credentials.as_ref()).await;
        let settings = self.settings(config.as_deref(), credentials.as_deref());
        let keys = settings.as_ref().and_then(keys);
        let keys = keys.ok_or_else(|| Refusal::local(WHAT, "has no keys any more"))?;
        Ok(Lasting {
            lasts: Some(FRESH),
            ..lasting(keys, None)
        })
    }

    fn keys(&self) -> Option<Keys> {
        keys(self.settings.as_ref()?)
    }

    fn setting(&self, name: &str) -> Option<&str> {
        self.settings.as_ref()?.get(name).map(String::as_str)
    }

    /// Of both files; what stands in `credentials` counts more.
    fn settings(
        &self,
        config: Option<&str>,
        credentials: Option<&str>,
    ) -> Option<HashMap<String, String>> {
        let prefixed = format!("profile {}", self.name);
        let config = config.and_then(|text| {
            let plain = || section(text, "default").filter(|_| self.name == "default");
            section(text, &prefixed).or_else(plain)
        });
        let credentials = credentials.and_then(|text| section(text, &self.name));
        match (config, credentials) {
            (Some(mut settings), Some(more)) => {
                settings.extend(more);
                Some(settings)
            }
            (config, credentials) => credentials.or(config),
        }
    }
}

async fn text(path: Option<&PathBuf>) -> Option<String> {
    tokio::fs::read_to_string(path?).await.ok()
}

fn keys(settings: &HashMap<String, String>) -> Option<Keys> {
    let token = settings.get("aws_session_token").cloned();
    Some(Keys {
        id: settings.get("aws_access_key_id")?.clone(),
        secret: settings.get("aws_secret_access_key")?.clone().into(),
        token: token.map(Into::into),
    })
}

/// One section of a file: `name = value`, comments by `#` or `;`, nested settings indented. Names are told
/// apart without regard to case.
fn section(text: &str, name: &str) -> Option<HashMap<String, String>> {
    let (mut found, mut inside) = (None, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(title) = trimmed.strip_prefix('[').and_then(|t| t.split(']').next()) {
            let title: Vec<&str> = title.split_ascii_whitespace().collect();
            inside = title.join(" ") == name;
            if inside {
                found.get_or_insert_with(HashMap::new);
            }
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if !inside || indented || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let (Some((name, value)), Some(found)) = (trimmed.split_once('='), &mut found) {
            let value = value.split(" #").next().unwrap_or_default().trim();
            if !value.is_empty() {
                found.insert(name.trim().to_ascii_lowercase(), value.to_owned());
            }
        }
    }
    found
}
