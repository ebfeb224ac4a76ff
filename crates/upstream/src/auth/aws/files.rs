//! The files that AWS's tools share, `~/.aws/config` and `~/.aws/credentials`.
//!
//! They are read once when a target is set up, to see what its profile is good for; who uses keys that stand
//! in them reads them again, as other tools rewrite them. Errors say the usual names of the files, never their
//! paths, and no value but the names of profiles.

use super::AwsAuth;
use crate::auth::surroundings::Surroundings;
use std::{collections::HashMap, path::PathBuf};

/// The settings of one section, by their names in small letters.
pub(super) type Settings = HashMap<String, String>;

/// Where both files are.
#[derive(Clone)]
pub(super) struct Files {
    config: Option<PathBuf>,
    credentials: Option<PathBuf>,
}

/// What stands in them.
pub(super) struct Contents {
    config: Option<String>,
    credentials: Option<String>,
}

/// Both files, and the profile that is meant.
pub(super) struct Shared {
    pub(super) files: Files,
    pub(super) contents: Contents,
    pub(super) name: String,
    /// Whether somebody asked for it by name.
    pub(super) named: bool,
}

impl Shared {
    /// The profile is the target's, else that of `AWS_PROFILE`, else `default`.
    pub(super) fn read(auth: &AwsAuth, around: &Surroundings<'_>) -> Self {
        let named = auth.profile.clone();
        let named = named.or_else(|| around.variable("AWS_PROFILE"));
        let path = |variable, usual| {
            let path = around.variable(variable).map(PathBuf::from);
            path.or_else(|| around.home(usual))
        };
        let files = Files {
            config: path("AWS_CONFIG_FILE", ".aws/config"),
            credentials: path("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
        };
        let read = |path: &Option<PathBuf>| around.read(path.as_ref()?).ok();
        let contents = Contents {
            config: read(&files.config),
            credentials: read(&files.credentials),
        };
        Self {
            files,
            contents,
            named: named.is_some(),
            name: named.unwrap_or_else(|| "default".to_owned()),
        }
    }

    /// The profile's own region.
    pub(super) fn region(&self) -> Option<String> {
        self.contents.profile(&self.name)?.remove("region")
    }
}

impl Files {
    /// What stands in them now.
    pub(super) async fn contents(&self) -> Contents {
        Contents {
            config: text(self.config.as_ref()).await,
            credentials: text(self.credentials.as_ref()).await,
        }
    }
}

impl Contents {
    /// A profile, of both files; what stands in `credentials` counts more.
    pub(super) fn profile(&self, name: &str) -> Option<Settings> {
        let config = self.config.as_deref().and_then(|text| {
            let plain = || section(text, "", "default").filter(|_| name == "default");
            section(text, "profile", name).or_else(plain)
        });
        let credentials = self.credentials.as_deref();
        let credentials = credentials.and_then(|text| section(text, "", name));
        match (config, credentials) {
            (Some(mut settings), Some(more)) => {
                settings.extend(more);
                Some(settings)
            }
            (config, credentials) => credentials.or(config),
        }
    }

    /// A single sign-on that profiles share, which stands in `config` only.
    pub(super) fn sso_session(&self, name: &str) -> Option<Settings> {
        section(self.config.as_deref()?, "sso-session", name)
    }
}

async fn text(path: Option<&PathBuf>) -> Option<String> {
    tokio::fs::read_to_string(path?).await.ok()
}

/// One section of a file: `name = value`, comments by `#` or `;`, nested settings indented. Names are told
/// apart without regard to case.
fn section(text: &str, kind: &str, name: &str) -> Option<Settings> {
    let (mut found, mut inside) = (None, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(title) = trimmed.strip_prefix('[').and_then(|t| t.split(']').next()) {
            inside = is_titled(title, kind, name);
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

/// `profile work`; a name with blanks stands in quotes.
fn is_titled(title: &str, kind: &str, name: &str) -> bool {
    let Some(rest) = title.trim().strip_prefix(kind) else {
        return false;
    };
    let apart = kind.is_empty() || rest.starts_with([' ', '\t']);
    apart && rest.trim().trim_matches(['"', '\'']) == name
}
