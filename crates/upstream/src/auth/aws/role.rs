//! Keys of a role that is taken by other keys (`role_arn` with `source_profile` or `credential_source`).
//!
//! The other keys may be those of a role again: such a chain is walked whole each time keys are fetched, inside
//! the attempt that needs them, and only what comes out at its end is kept. How long a chain can be is seen
//! where it is found.

use super::{Keys, SESSION, files::Settings, source::Source, sts::Sts};
use crate::{
    auth::{cached::Lasting, refusal::Refusal},
    spec::Fault,
};
use std::pin::Pin;

/// A role, and who takes it.
pub(super) struct Role {
    from: Source,
    sts: Sts,
    asked: Asked,
}

/// What a profile says of its role.
pub(super) struct Asked {
    role: String,
    session: String,
    external_id: Option<String>,
    /// Seconds.
    duration: Option<String>,
}

/// What STS takes as `DurationSeconds`
/// (<https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html>).
const DURATIONS: std::ops::RangeInclusive<u32> = 900..=43_200;

impl Asked {
    /// # Errors
    /// What nobody is there to type, and what STS would refuse.
    pub(super) fn new(profile: &str, role: &str, settings: &Settings) -> Result<Self, Fault> {
        let fault =
            |problem: String, fix| Err(Fault::new("auth.aws.profile", profile, problem, fix));
        if settings.contains_key("mfa_serial") {
            let problem = "takes its role with a code that somebody types (mfa_serial)".to_owned();
            return fault(problem, "use a role that asks for none, or single sign-on");
        }
        let duration = settings.get("duration_seconds");
        if let Some(text) = duration
            && !text.parse().is_ok_and(|n| DURATIONS.contains(&n))
        {
            let problem = format!("has duration_seconds = {text}");
            return fault(problem, "write whole seconds, 900 to 43200");
        }
        let session = settings.get("role_session_name");
        Ok(Self {
            role: role.to_owned(),
            session: session.map_or(SESSION, String::as_str).to_owned(),
            external_id: settings.get("external_id").cloned(),
            duration: duration.cloned(),
        })
    }
}

impl Role {
    pub(super) fn new(from: Source, sts: Sts, asked: Asked) -> Self {
        Self { from, sts, asked }
    }

    /// In a box, as whoever takes a role may have one by a role.
    pub(super) fn fetch(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<Lasting<Keys>, Refusal>> + Send + '_>> {
        Box::pin(async move {
            let keys = self.from.fetch().await?.value;
            let asked = &self.asked;
            let mut fields = vec![
                ("Action", "AssumeRole"),
                ("RoleArn", &asked.role),
                ("RoleSessionName", &asked.session),
            ];
            fields.extend(asked.external_id.as_deref().map(|id| ("ExternalId", id)));
            let duration = asked.duration.as_deref();
            fields.extend(duration.map(|seconds| ("DurationSeconds", seconds)));
            self.sts.ask(&fields, Some(&keys)).await
        })
    }
}
