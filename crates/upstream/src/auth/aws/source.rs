//! Where keys come from, in the order in which AWS's own tools look for them.

use super::{
    Keys,
    chain::Chain,
    container::Container,
    files::Shared,
    identity::{Identity, WebIdentity},
    imds::Imds,
    lasting,
    process::Process,
    profile::Profile,
    role::Role,
    sso::Sso,
    sts::Sts,
};
use crate::{
    auth::{
        cached::Lasting, fetch::Reach, refusal::Refusal, spec::AwsAuth, surroundings::Surroundings,
    },
    spec::Fault,
};
use std::sync::Arc;

/// One place that has keys.
pub(super) enum Source {
    /// Said by the target or the environment; never changes.
    Fixed(Arc<Keys>),
    /// The shared files, which other tools rewrite.
    Profile(Profile),
    /// A role that is taken by the token of a cluster.
    WebIdentity(WebIdentity),
    /// A role that is taken by other keys.
    Role(Box<Role>),
    /// A login that a person made on this machine.
    Sso(Box<Sso>),
    /// A program that prints keys.
    Process(Process),
    /// What ECS and EKS give a container.
    Container(Container),
    /// What EC2 gives an instance.
    Imds(Imds),
}

impl Source {
    /// The first that is there.
    pub(super) fn find(
        auth: &AwsAuth,
        region: &str,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        // a profile that the target names goes before the environment
        let surrounding = || environment(around).filter(|_| auth.profile.is_none());
        if let Some(keys) = stated(auth).or_else(surrounding) {
            return Ok(Self::fixed(keys));
        }
        let chain = Chain {
            auth,
            region,
            reach,
            around,
            shared: &Shared::read(auth, around),
        };
        if let Some(source) = chain.source()? {
            return Ok(source);
        }
        if let Some(identity) = Identity::from_environment(around) {
            let sts = Sts::new(auth, region, reach, around)?;
            return Ok(Self::WebIdentity(WebIdentity { sts, identity }));
        }
        if let Some(container) = Container::find(reach, around)? {
            return Ok(Self::Container(container));
        }
        let what = "the instance's metadata service (no other source of AWS keys was found)";
        match Imds::find(what, auth, reach, around)? {
            Some(imds) => Ok(Self::Imds(imds)),
            None => Err(Fault::new(
                "auth.aws",
                "",
                "has no keys: there are none in the environment, in the shared files or from a container, and AWS_EC2_METADATA_DISABLED is set",
                "set auth.aws.keys, or give this process credentials as for any other tool of AWS",
            )),
        }
    }

    pub(super) fn fixed(keys: Keys) -> Self {
        Self::Fixed(Arc::new(keys))
    }

    /// Keys and how long they are good.
    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        match self {
            Self::Fixed(keys) => Ok(lasting(keys.copy(), None)),
            Self::Profile(profile) => profile.fetch().await,
            Self::WebIdentity(identity) => identity.fetch().await,
            Self::Role(role) => role.fetch().await,
            Self::Sso(sso) => sso.fetch().await,
            Self::Process(process) => process.fetch().await,
            Self::Container(container) => container.fetch().await,
            Self::Imds(imds) => imds.fetch().await,
        }
    }
}

impl Keys {
    fn copy(&self) -> Self {
        Self {
            id: self.id.clone(),
            secret: self.secret.clone(),
            token: self.token.clone(),
        }
    }
}

fn stated(auth: &AwsAuth) -> Option<Keys> {
    let keys = auth.keys.as_ref()?;
    Some(Keys {
        id: keys.access_key_id.clone(),
        secret: keys.secret_access_key.clone(),
        token: keys.session_token.clone(),
    })
}

/// Keys in the environment.
pub(super) fn environment(around: &Surroundings<'_>) -> Option<Keys> {
    Some(Keys {
        id: around.variable("AWS_ACCESS_KEY_ID")?,
        secret: around.variable("AWS_SECRET_ACCESS_KEY")?.into(),
        token: around.variable("AWS_SESSION_TOKEN").map(Into::into),
    })
}
