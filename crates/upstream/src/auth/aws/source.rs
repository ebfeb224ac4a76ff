//! Where keys come from, in the order in which AWS's own tools look for them.

use super::{
    Keys,
    container::Container,
    imds::Imds,
    lasting,
    profile::{Holds, Profile},
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
    WebIdentity(Sts),
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
        if let Some(keys) = stated(auth).or_else(|| from_environment(auth, around)) {
            return Ok(Self::Fixed(Arc::new(keys)));
        }
        let profile = Profile::read(auth.profile.as_deref(), around);
        match profile.holds()? {
            Holds::Keys => return Ok(Self::Profile(profile)),
            Holds::WebIdentity(identity) => {
                return Sts::new(identity, auth, region, reach, around).map(Self::WebIdentity);
            }
            Holds::Nothing => {}
        }
        if let Some(identity) = super::sts::Identity::from_environment(around) {
            return Sts::new(identity, auth, region, reach, around).map(Self::WebIdentity);
        }
        if let Some(container) = Container::find(reach, around)? {
            return Ok(Self::Container(container));
        }
        match Imds::find(auth, reach, around)? {
            Some(imds) => Ok(Self::Imds(imds)),
            None => Err(Fault::new(
                "auth.aws",
                "",
                "has no keys: there are none in the environment, in the shared files or from a container, and AWS_EC2_METADATA_DISABLED is set",
                "set auth.aws.keys, or give this process credentials as for any other tool of AWS",
            )),
        }
    }

    /// Keys and how long they are good.
    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        match self {
            Self::Fixed(keys) => Ok(lasting(keys.copy(), None)),
            Self::Profile(profile) => profile.fetch().await,
            Self::WebIdentity(sts) => sts.fetch().await,
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

/// A profile that the target names goes before the environment.
fn from_environment(auth: &AwsAuth, around: &Surroundings<'_>) -> Option<Keys> {
    if auth.profile.is_some() {
        return None;
    }
    Some(Keys {
        id: around.variable("AWS_ACCESS_KEY_ID")?,
        secret: around.variable("AWS_SECRET_ACCESS_KEY")?.into(),
        token: around.variable("AWS_SESSION_TOKEN").map(Into::into),
    })
}
