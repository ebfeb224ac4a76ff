//! Credentials of Google, as its own libraries look for them.
//!
//! What must hold: what `gcloud auth application-default login`, a key file or the machine itself gives any
//! other program, it gives this one.

use super::Credentials;
use punctual_upstream::{Auth, GoogleAuth};
use std::path::PathBuf;

/// Credentials of Google: an access token for the Cloud platform, renewed before it ends.
///
/// ```no_run
/// use punctual::{Call, Client, GoogleCredentials, google};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
/// let client = google::Vertex::new("my-project", "global", "gemini-2.5-flash")
///     .credentials(GoogleCredentials::default_chain());
/// println!("{}", client.invoke(&Call::from("hi")).await?.text());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct GoogleCredentials(GoogleAuth);

impl GoogleCredentials {
    /// Application default credentials: the first there is of the file that `GOOGLE_APPLICATION_CREDENTIALS`
    /// names, the one that `gcloud auth application-default login` writes, and the metadata server.
    ///
    /// A file can hold a service account's key, a user, an identity that another than Google vouches for, or one
    /// of them that impersonates an account. What it names must be https or on this machine.
    #[must_use]
    pub fn default_chain() -> Self {
        Self::default()
    }

    /// The key of a service account: the contents of the JSON file that Google gives for it. Any other file that
    /// [`default_chain`](Self::default_chain) takes is taken too.
    #[must_use]
    pub fn service_account_json(json: impl Into<String>) -> Self {
        Self(GoogleAuth {
            json: Some(json.into().into()),
            ..GoogleAuth::default()
        })
    }

    /// The same in a file, read when a client is first asked.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(GoogleAuth {
            file: Some(path.into()),
            ..GoogleAuth::default()
        })
    }

    /// The project that quota is taken from; else the one in the file.
    #[must_use]
    pub fn quota_project(mut self, project: impl Into<String>) -> Self {
        self.0.quota_project = Some(project.into());
        self
    }

    /// Where tokens are handed out; else the file's `token_uri` or `token_url`.
    #[must_use]
    pub fn token_url(mut self, url: impl Into<String>) -> Self {
        self.0.token_url = Some(url.into());
        self
    }

    /// Where the metadata server is; else `GCE_METADATA_HOST`, else `http://metadata.google.internal`.
    #[must_use]
    pub fn metadata_url(mut self, url: impl Into<String>) -> Self {
        self.0.metadata_url = Some(url.into());
        self
    }
}

impl From<GoogleCredentials> for Credentials {
    fn from(credentials: GoogleCredentials) -> Self {
        Self(Auth::Google(credentials.0))
    }
}
