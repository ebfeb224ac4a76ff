//! Where the keys of a profile come from.
//!
//! A profile may hold keys, take a role with the keys of another profile, which may do so again, show a web
//! identity, sign on once for all, or name a program. If it says several, the order is that of AWS's SDK for
//! Go: a role, keys, a web identity, a single sign-on, a program; of a profile that others take a role with,
//! keys go first. What is said and cannot be used is an error that names it, so that nobody goes on to look for
//! keys where they were not meant to be.

use super::{
    AwsAuth,
    container::Container,
    files::{Settings, Shared},
    identity::{Identity, WebIdentity},
    imds::Imds,
    process::Process,
    profile::{self, Profile},
    role::{Asked, Role},
    source::{self, Source},
    sso::Sso,
    sts::Sts,
};
use crate::{
    auth::{fetch::Reach, surroundings::Surroundings},
    spec::Fault,
};

/// How many profiles may lead to each other.
const DEPTH: usize = 8;

/// Looks for the keys of one target's profile.
pub(super) struct Chain<'a> {
    pub(super) auth: &'a AwsAuth,
    pub(super) region: &'a str,
    pub(super) reach: &'a Reach<'a>,
    pub(super) around: &'a Surroundings<'a>,
    pub(super) shared: &'a Shared,
}

impl Chain<'_> {
    /// `None` if the profile has nothing to do with keys, or was not asked for and is not there.
    pub(super) fn source(&self) -> Result<Option<Source>, Fault> {
        let name = &self.shared.name;
        match self.shared.contents.profile(name) {
            Some(settings) => self.of(name, &settings, &[]),
            None if self.shared.named => Err(fault(
                name,
                "is not there",
                "name a profile that is in ~/.aws/config or ~/.aws/credentials",
            )),
            None => Ok(None),
        }
    }

    /// Of one profile; `behind` are those that take a role with its keys.
    fn of(
        &self,
        name: &str,
        settings: &Settings,
        behind: &[&str],
    ) -> Result<Option<Source>, Fault> {
        let keys = || profile::keys(settings).is_some();
        let identity = settings.contains_key("web_identity_token_file");
        match settings.get("role_arn") {
            Some(role) if !identity && (behind.is_empty() || !keys()) => {
                let asked = Asked::new(name, role, settings)?;
                let from = self.taker(name, settings, behind)?;
                let role = Role::new(from, self.sts()?, asked);
                Ok(Some(Source::Role(Box::new(role))))
            }
            _ => self.plain(name, settings),
        }
    }

    /// Whose keys take the role of profile `name`.
    fn taker(&self, name: &str, settings: &Settings, behind: &[&str]) -> Result<Source, Fault> {
        let source = settings.get("source_profile").map(String::as_str);
        match (source, settings.get("credential_source")) {
            (Some(_), Some(_)) => Err(fault(
                name,
                "says both source_profile and credential_source",
                "leave out one of them",
            )),
            (None, None) => Err(fault(
                name,
                "has a role_arn and does not say with whose keys it is taken",
                "add source_profile, credential_source or web_identity_token_file",
            )),
            (None, Some(named)) => self.named(name, named),
            // a profile may have its keys beside its role
            (Some(source), None) if source == name => {
                let plain = self.plain(name, settings)?;
                plain.ok_or_else(|| {
                    let problem = "names itself as source_profile and has no keys";
                    fault(name, problem, "add the keys, or name another profile")
                })
            }
            (Some(source), None) => self.other(name, source, behind),
        }
    }

    /// The profile `source`, whose keys take the role of `name`.
    fn other(&self, name: &str, source: &str, behind: &[&str]) -> Result<Source, Fault> {
        let way: Vec<&str> = behind.iter().copied().chain([name]).collect();
        let problem = match self.shared.contents.profile(source) {
            _ if way.contains(&source) => {
                format!("is its own source_profile: {}, {source}", way.join(", "))
            }
            _ if way.len() >= DEPTH => {
                format!("has over {DEPTH} profiles behind its source_profile")
            }
            None => format!("has source_profile = {source}, which is not there"),
            Some(settings) => match self.of(source, &settings, &way)? {
                Some(source) => return Ok(source),
                None => format!("has source_profile = {source}, which has no keys"),
            },
        };
        let fix = "name a profile of ~/.aws/config or ~/.aws/credentials that leads to keys";
        Err(fault(name, problem, fix))
    }

    /// What `credential_source` names
    /// (<https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html>).
    fn named(&self, name: &str, wanted: &str) -> Result<Source, Fault> {
        let (found, lacks) = match wanted.to_ascii_lowercase().as_str() {
            "environment" => {
                let keys = source::environment(self.around);
                (
                    keys.map(Source::fixed),
                    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
                )
            }
            "ec2instancemetadata" => {
                let what = "the instance's metadata service";
                let imds = Imds::find(what, self.auth, self.reach, self.around)?;
                (imds.map(Source::Imds), "AWS_EC2_METADATA_DISABLED is set")
            }
            "ecscontainer" => {
                let container = Container::find(self.reach, self.around)?;
                (
                    container.map(Source::Container),
                    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and AWS_CONTAINER_CREDENTIALS_FULL_URI are not set",
                )
            }
            _ => (None, "that is none"),
        };
        found.ok_or_else(|| {
            let problem = format!("has credential_source = {wanted}, but {lacks}");
            let fix =
                "use Environment, Ec2InstanceMetadata or EcsContainer, where this process has it";
            fault(name, problem, fix)
        })
    }

    /// A profile without a role that is taken by others.
    fn plain(&self, name: &str, settings: &Settings) -> Result<Option<Source>, Fault> {
        let value = |setting: &str| settings.get(setting).map(String::as_str);
        if profile::keys(settings).is_some() {
            return Ok(Some(Source::Profile(Profile {
                name: name.to_owned(),
                files: self.shared.files.clone(),
            })));
        }
        if let Some(file) = value("web_identity_token_file") {
            let role = value("role_arn").ok_or_else(|| {
                let problem = "has a web_identity_token_file and no role_arn";
                fault(name, problem, "add the role that the token is for")
            })?;
            let identity = Identity::new(role, file, value("role_session_name"));
            let sts = self.sts()?;
            return Ok(Some(Source::WebIdentity(WebIdentity { sts, identity })));
        }
        if value("sso_session").or(value("sso_start_url")).is_some() {
            let sso = Sso::new(
                name,
                settings,
                &self.shared.contents,
                self.reach,
                self.around,
            )?;
            return Ok(Some(Source::Sso(Box::new(sso))));
        }
        let process = value("credential_process").map(|line| Process::new(name, line));
        Ok(process.transpose()?.map(Source::Process))
    }

    fn sts(&self) -> Result<Sts, Fault> {
        Sts::new(self.auth, self.region, self.reach, self.around)
    }
}

pub(super) fn fault(profile: &str, problem: impl Into<String>, fix: &'static str) -> Fault {
    Fault::new("auth.aws.profile", profile, problem, fix)
}
