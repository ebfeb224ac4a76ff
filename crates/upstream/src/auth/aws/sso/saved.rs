//! A login as `aws sso login` saves it, in `~/.aws/sso/cache`.
//!
//! The file is shared with every other tool of AWS on this machine: what is written back is what was read, with
//! only the token's own members changed, in one step, readable for its owner alone. It is written back because
//! the SDKs do: a renewal may use up what the next tool would renew with.

use crate::auth::moment::Moment;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The members of the file.
#[derive(Clone)]
pub(super) struct Saved(Map<String, Value>);

impl Saved {
    /// The name of the file for a session's name, or for the start URL of a profile without one.
    pub(super) fn file(of: &str) -> String {
        let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, of.as_bytes());
        let hex = digest.as_ref().iter().map(|byte| format!("{byte:02x}"));
        hex.collect::<String>() + ".json"
    }

    /// `None` if it is no login.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let saved = Self(serde_json::from_str(text).ok()?);
        (saved.0.contains_key("accessToken") && saved.0.contains_key("expiresAt")).then_some(saved)
    }

    pub(super) fn member(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn token(&self) -> SecretString {
        self.member("accessToken").unwrap_or_default().into()
    }

    /// How long the login is good, as far as its end can be read.
    pub(super) fn left(&self) -> Duration {
        let end = self.member("expiresAt").and_then(Moment::parse);
        end.map_or(Duration::ZERO, Moment::left)
    }

    /// The same login with a new token.
    pub(super) fn renewed(&self, token: &str, lasts: u64, renew_with: Option<&str>) -> Self {
        let end = Moment(Moment::now().0.saturating_add(lasts)).written();
        let mut members = self.0.clone();
        members.insert("accessToken".to_owned(), token.into());
        members.insert("expiresAt".to_owned(), end.into());
        if let Some(renew_with) = renew_with {
            members.insert("refreshToken".to_owned(), renew_with.into());
        }
        Self(members)
    }

    /// Puts it in the place of `file`; blocks.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let beside: PathBuf = file.with_extension(format!("json.{}", std::process::id()));
        let written = private(&beside, &Value::Object(self.0.clone()).to_string());
        let written = written.and_then(|()| fs::rename(&beside, file));
        if written.is_err() {
            fs::remove_file(&beside).ok();
        }
        written
    }
}

fn private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    io::Write::write_all(&mut options.open(file)?, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_awss_tools_name_them() {
        // printf %s NAME | sha1sum
        for (of, file) in [
            ("admin", "d033e22ae348aeb5660fc2140aec35850c4da997.json"),
            (
                "https://d-92671207e4.awsapps.com/start",
                "13f9d35043871d073ab260e020f0ffde092cb14b.json",
            ),
        ] {
            assert_eq!(Saved::file(of), file);
        }
    }
}
