//! What an operator says about a credential that must be computed or fetched.
//!
//! Everything is optional: what is not said is looked for where the provider's own tools look for it. The
//! addresses of the services that hand out credentials can be set, for private endpoints and for tests.

use secrecy::SecretString;
use std::path::PathBuf;

/// AWS: requests are signed (Signature Version 4). Without `keys` they come from the environment, the shared
/// files, a web identity, a container's endpoint or the instance's metadata service, in this order. A profile
/// in the shared files may also take a role, use a single sign-on or name a program that prints keys.
#[derive(Clone, Debug, Default)]
pub struct AwsAuth {
    /// The region that is asked; else `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's, or the one in the
    /// host of the base URL.
    pub region: Option<String>,
    /// The service that is asked, `bedrock` if not said.
    pub service: Option<String>,
    /// Keys in so many words.
    pub keys: Option<AwsKeys>,
    /// The profile in the shared files; else `AWS_PROFILE`, else `default`.
    pub profile: Option<String>,
    /// Where STS is; else `AWS_ENDPOINT_URL_STS`, else the region's.
    pub sts_url: Option<String>,
    /// Where the instance's metadata service is; else `AWS_EC2_METADATA_SERVICE_ENDPOINT`, else
    /// `http://169.254.169.254`.
    pub imds_url: Option<String>,
}

/// An access key.
#[derive(Clone, Debug)]
pub struct AwsKeys {
    /// `AKIA…` or `ASIA…`.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: SecretString,
    /// Beside a temporary key.
    pub session_token: Option<SecretString>,
}

/// Google: application default credentials. Without `json` and `file` they come from
/// `GOOGLE_APPLICATION_CREDENTIALS`, the file that `gcloud` writes, or the metadata server, in this order.
#[derive(Clone, Debug, Default)]
pub struct GoogleAuth {
    /// The contents of a credentials file.
    pub json: Option<SecretString>,
    /// A credentials file.
    pub file: Option<PathBuf>,
    /// The project that quota is taken from; else the one in the file.
    pub quota_project: Option<String>,
    /// Where tokens are handed out; else the file's `token_uri` or `token_url`.
    pub token_url: Option<String>,
    /// Where the metadata server is; else `GCE_METADATA_HOST`, else `http://metadata.google.internal`.
    pub metadata_url: Option<String>,
}

/// Entra ID, for Azure: an application's secret, a workload's identity (`AZURE_FEDERATED_TOKEN_FILE`), or the
/// identity that the host was given, in this order.
#[derive(Clone, Debug, Default)]
pub struct AzureAuth {
    /// The tenant; else `AZURE_TENANT_ID`.
    pub tenant: Option<String>,
    /// The application, or the identity that is meant where a host has several; else `AZURE_CLIENT_ID`.
    pub client_id: Option<String>,
    /// The application's secret; else `AZURE_CLIENT_SECRET`.
    pub client_secret: Option<SecretString>,
    /// What is asked for, `https://cognitiveservices.azure.com/.default` if not said.
    pub scope: Option<String>,
    /// Where Entra is; else `AZURE_AUTHORITY_HOST`, else `https://login.microsoftonline.com`.
    pub authority_url: Option<String>,
    /// Where the host's metadata service is, `http://169.254.169.254` if not said.
    pub imds_url: Option<String>,
}
