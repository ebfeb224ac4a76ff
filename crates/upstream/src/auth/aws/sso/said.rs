//! What a profile says of its single sign-on, by itself or with a section that profiles share.
//!
//! A shared session's own words count. A profile may repeat them, as older tools wrote both, but not say
//! otherwise: one of the two would be a login that nobody made.

use crate::{
    auth::aws::{
        chain::fault,
        files::{Contents, Settings},
    },
    spec::Fault,
};

const FIX: &str = "write the profile as `aws configure sso` does";

/// Both, of one profile.
pub(super) struct Said<'a> {
    profile: &'a str,
    settings: &'a Settings,
    shared: Option<(&'a str, Settings)>,
}

impl<'a> Said<'a> {
    /// # Errors
    /// A session that is not in the files.
    pub(super) fn new(
        profile: &'a str,
        settings: &'a Settings,
        contents: &Contents,
    ) -> Result<Self, Fault> {
        let session = settings.get("sso_session").map(|session| {
            let shared = contents.sso_session(session).ok_or_else(|| {
                let problem = format!(
                    "has sso_session = {session}, but ~/.aws/config has no section [sso-session {session}]"
                );
                fault(profile, problem, FIX)
            });
            shared.map(|shared| (session.as_str(), shared))
        });
        Ok(Self {
            profile,
            settings,
            shared: session.transpose()?,
        })
    }

    /// The name of the shared session.
    pub(super) fn session(&self) -> Option<&'a str> {
        self.shared.as_ref().map(|(name, _)| *name)
    }

    /// What the profile says itself.
    pub(super) fn own(&self, name: &str) -> Result<&str, Fault> {
        let value = self.settings.get(name).map(String::as_str);
        value.ok_or_else(|| self.fault(format!("signs on once for all without {name}")))
    }

    /// What its session says, or the profile itself where there is none.
    pub(super) fn shared(&self, name: &str) -> Result<&str, Fault> {
        let Some((session, shared)) = &self.shared else {
            return self.own(name);
        };
        let value = shared.get(name).ok_or_else(|| {
            self.fault(format!("has sso_session = {session}, which has no {name}"))
        })?;
        match self.settings.get(name) {
            Some(other) if other != value => {
                let problem = format!("has another {name} than its sso_session = {session}");
                Err(self.fault(problem))
            }
            _ => Ok(value),
        }
    }

    fn fault(&self, problem: String) -> Fault {
        fault(self.profile, problem, FIX)
    }
}
