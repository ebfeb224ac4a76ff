//! Credentials of Azure: Entra ID.
//!
//! What must hold: the order is that of Azure's own libraries, as far as it goes: an application, a workload,
//! the host.

use super::Credentials;
use punctual_upstream::{Auth, AzureAuth};

/// Credentials of Entra ID: an access token for Azure's AI services, renewed before it ends.
///
/// ```no_run
/// use punctual::{AzureCredentials, Call, Client, openai};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
/// let client = openai::Azure::new("https://NAME.openai.azure.com", "my-deployment")
///     .credentials(AzureCredentials::default_chain());
/// println!("{}", client.invoke(&Call::from("hi")).await?.text());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct AzureCredentials(AzureAuth);

impl AzureCredentials {
    /// The first there is of an application's secret (`AZURE_TENANT_ID`, `AZURE_CLIENT_ID`,
    /// `AZURE_CLIENT_SECRET`), a workload's identity (`AZURE_FEDERATED_TOKEN_FILE`), and the managed identity
    /// of the host.
    #[must_use]
    pub fn default_chain() -> Self {
        Self::default()
    }

    /// An application's secret.
    #[must_use]
    pub fn client_secret(
        tenant: impl Into<String>,
        client_id: impl Into<String>,
        secret: impl Into<String>,
    ) -> Self {
        Self(AzureAuth {
            tenant: Some(tenant.into()),
            client_id: Some(client_id.into()),
            client_secret: Some(secret.into().into()),
            ..AzureAuth::default()
        })
    }

    /// The tenant; else `AZURE_TENANT_ID`.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.0.tenant = Some(tenant.into());
        self
    }

    /// The application, or which identity is meant where the host has several; else `AZURE_CLIENT_ID`.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.0.client_id = Some(id.into());
        self
    }

    /// What the token is for, `https://cognitiveservices.azure.com/.default` unless set.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.0.scope = Some(scope.into());
        self
    }

    /// Where Entra is; else `AZURE_AUTHORITY_HOST`, else `https://login.microsoftonline.com`.
    #[must_use]
    pub fn authority_url(mut self, url: impl Into<String>) -> Self {
        self.0.authority_url = Some(url.into());
        self
    }

    /// Where the host's metadata service is, `http://169.254.169.254` unless set.
    #[must_use]
    pub fn imds_url(mut self, url: impl Into<String>) -> Self {
        self.0.imds_url = Some(url.into());
        self
    }
}

impl From<AzureCredentials> for Credentials {
    fn from(credentials: AzureCredentials) -> Self {
        Self(Auth::Azure(credentials.0))
    }
}
