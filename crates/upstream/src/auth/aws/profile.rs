//! Keys that stand in AWS's shared files.
//!
//! Other tools rewrite these files when keys end, and say no end: so the keys are looked at again after a
//! while, and at once when they were refused.

use super::{
    Keys,
    files::{Files, Settings},
    lasting,
};
use crate::auth::{cached::Lasting, refusal::Refusal};
use std::time::Duration;

/// How long keys are used before the files are looked at again.
const FRESH: Duration = Duration::from_secs(300);

/// A profile with keys.
pub(super) struct Profile {
    pub(super) name: String,
    pub(super) files: Files,
}

impl Profile {
    /// The keys as they are in the files now.
    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let settings = self.files.contents().await.profile(&self.name);
        let keys = settings.as_ref().and_then(keys).ok_or_else(|| {
            let what = format!("profile {} in AWS's shared files", self.name);
            Refusal::local(&what, "has no keys any more")
        })?;
        Ok(Lasting {
            lasts: Some(FRESH),
            ..lasting(keys, None)
        })
    }
}

/// The keys of a profile.
pub(super) fn keys(settings: &Settings) -> Option<Keys> {
    let token = settings.get("aws_session_token").cloned();
    Some(Keys {
        id: settings.get("aws_access_key_id")?.clone(),
        secret: settings.get("aws_secret_access_key")?.clone().into(),
        token: token.map(Into::into),
    })
}
