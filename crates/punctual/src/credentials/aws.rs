//! Credentials of AWS, named as AWS's own tools name them.
//!
//! What must hold: the order of the default chain is that of the SDKs, so that a program finds what any other
//! tool on the machine finds.

use super::Credentials;
use punctual_upstream::{Auth, AwsAuth, AwsKeys};

/// Credentials of AWS: every request is signed (Signature Version 4).
///
/// ```no_run
/// use punctual::{AwsCredentials, Call, Client, aws};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
/// let client = aws::Bedrock::new("eu-central-1", "eu.amazon.nova-lite-v1:0")
///     .credentials(AwsCredentials::default_chain());
/// println!("{}", client.invoke(&Call::from("hi")).await?.text());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct AwsCredentials(AwsAuth);

impl AwsCredentials {
    /// The first there is of a Bedrock API key (`AWS_BEARER_TOKEN_BEDROCK`), keys in the environment
    /// (`AWS_ACCESS_KEY_ID` and its like), the profile (`AWS_PROFILE`, else `default`) in `~/.aws`, a web
    /// identity (`AWS_WEB_IDENTITY_TOKEN_FILE`), the endpoint of a container, and the instance's metadata
    /// service.
    ///
    /// A profile may hold keys, take a role with others (`source_profile`, `credential_source`), show a web
    /// identity, use the login of `aws sso login`, or name a program (`credential_process`), which is run and
    /// ends with the attempt. No browser is opened and no code asked for: `mfa_serial` is refused by name.
    #[must_use]
    pub fn default_chain() -> Self {
        Self::default()
    }

    /// This access key, and no look at anything else.
    #[must_use]
    pub fn keys(access_key_id: impl Into<String>, secret_access_key: impl Into<String>) -> Self {
        Self::of(access_key_id.into(), secret_access_key.into(), None)
    }

    /// A temporary access key, which has a session token beside it.
    #[must_use]
    pub fn temporary(
        access_key_id: impl Into<String>,
        secret_access_key: impl Into<String>,
        session_token: impl Into<String>,
    ) -> Self {
        let token = Some(session_token.into());
        Self::of(access_key_id.into(), secret_access_key.into(), token)
    }

    /// The profile of this name in `~/.aws`, before keys in the environment.
    #[must_use]
    pub fn profile(name: impl Into<String>) -> Self {
        Self(AwsAuth {
            profile: Some(name.into()),
            ..AwsAuth::default()
        })
    }

    fn of(access_key_id: String, secret_access_key: String, token: Option<String>) -> Self {
        Self(AwsAuth {
            keys: Some(AwsKeys {
                access_key_id,
                secret_access_key: secret_access_key.into(),
                session_token: token.map(Into::into),
            }),
            ..AwsAuth::default()
        })
    }

    /// The region to sign for, where it is not the client's.
    #[must_use]
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.0.region = Some(region.into());
        self
    }

    /// The service to sign for, `bedrock` unless set.
    #[must_use]
    pub fn service(mut self, service: impl Into<String>) -> Self {
        self.0.service = Some(service.into());
        self
    }

    /// Where STS is; else `AWS_ENDPOINT_URL_STS`, else the region's.
    #[must_use]
    pub fn sts_url(mut self, url: impl Into<String>) -> Self {
        self.0.sts_url = Some(url.into());
        self
    }

    /// Where the instance's metadata service is; else `AWS_EC2_METADATA_SERVICE_ENDPOINT`, else
    /// `http://169.254.169.254`.
    #[must_use]
    pub fn imds_url(mut self, url: impl Into<String>) -> Self {
        self.0.imds_url = Some(url.into());
        self
    }
}

impl From<AwsCredentials> for Credentials {
    fn from(credentials: AwsCredentials) -> Self {
        Self(Auth::Aws(credentials.0))
    }
}
