//! A target, checked: where, as whom, with which clocks.
//!
//! A leaf of a plan that changes clocks is an entry of its own with the identities of its target, so lane,
//! breaker and budget stay one; a provider that passes the caller's model through is an entry named
//! `provider/*`. An entry's place in [`Config::targets`](crate::Config) is its `TargetId`.

pub use crate::raw::Dialect;
use http::{HeaderName, HeaderValue, Uri};
use punctual_core::{LaneLimits, Limits, Reserve};
use secrecy::SecretString;
use std::{path::PathBuf, time::Duration};

/// One target.
#[derive(Clone, Debug)]
pub struct TargetConfig {
    /// Its name, as errors, spans and labels say it.
    pub name: String,
    /// The name of its provider; its own name when it has none.
    pub provider: String,
    /// The API spoken there.
    pub dialect: Dialect,
    /// Scheme, authority and path prefix, without a slash at the end.
    pub base_url: Uri,
    /// The model's name there; `None` is the caller's.
    pub model: Option<String>,
    /// What its dialect must know beyond the address.
    pub site: Site,
    /// Whose credential.
    pub auth: Auth,
    /// Headers added to each request; values are marked sensitive.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Request headers of the caller that are passed on.
    pub forward_headers: Vec<HeaderName>,
    /// Headers in which the time left is sent.
    pub forward_deadline: Vec<HeaderName>,
    /// Certificates to trust instead of the platform's.
    pub ca_file: Option<PathBuf>,
    /// Our certificate and its key.
    pub client_cert: Option<(PathBuf, PathBuf)>,
    /// An HTTP proxy to go through.
    pub proxy: Option<Uri>,
    /// Hosts that are reached without it.
    pub no_proxy: Vec<String>,
    /// HTTP/2.
    pub http2: bool,
    /// Whether callers reach it by `/passthrough/{target}/…`.
    pub passthrough: bool,
    /// Its clocks.
    pub limits: Limits,
    /// Time kept for the members behind.
    pub reserve: Reserve,
    /// Longest wait for a permit; `None` is the engine's rule (10 s where another member exists),
    /// `Duration::MAX` no limit.
    pub max_queue_wait: Option<Duration>,
    /// Permits and queue.
    pub lane: LaneLimits,
    /// Whether a request that may have been sent is sent again.
    pub replay_timeouts: bool,
    /// Whether an answer without content is an answer.
    pub allow_empty: bool,
    /// Whether the usage chunk is asked for.
    pub inject_usage: bool,
    /// Bytes of the largest event.
    pub max_event_bytes: usize,
    /// Bytes of the largest unary answer.
    pub max_response_bytes: usize,
    /// False where the caller chooses the model or brings the credential.
    pub benchable: bool,
    /// Identity of its permits and queue.
    pub lane_id: String,
    /// Identity of its breaker: name, endpoint, model, credential.
    pub health_id: String,
    /// Identity of its credential at this endpoint.
    pub credential_id: String,
    /// Identity of its retry budget.
    pub budget_id: String,
}

/// Whose credential goes upstream.
#[derive(Clone, Debug)]
pub enum Auth {
    /// None.
    None,
    /// Ours.
    Key(SecretString),
    /// Ours: AWS's, by an access key or by the chain.
    Aws {
        /// The region that is signed for.
        region: Option<String>,
        /// Key, secret and session token.
        keys: Option<(String, SecretString, Option<SecretString>)>,
        /// The profile in the shared files.
        profile: Option<String>,
    },
    /// Ours: Google's.
    Google {
        /// A credentials file.
        file: Option<PathBuf>,
        /// Its contents.
        json: Option<SecretString>,
    },
    /// Ours: Entra ID's. What is not said is looked for in the environment.
    Entra {
        /// The tenant.
        tenant: Option<String>,
        /// The application.
        client_id: Option<String>,
        /// Its secret.
        client_secret: Option<SecretString>,
    },
    /// The caller's.
    Passthrough,
}

/// What some dialects must know beyond an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Azure's `api-version`.
    pub api_version: Option<String>,
    /// Vertex AI's project.
    pub project: Option<String>,
    /// Vertex AI's location.
    pub location: Option<String>,
    /// Bedrock: whether Claude is asked by InvokeModel.
    pub invoke: bool,
    /// Ollama's `num_ctx`, in tokens.
    pub num_ctx: Option<u32>,
}

/// Headers in which a time left can be sent; what each unit is, the writer of the request knows.
pub const DEADLINE_HEADERS: &[&str] = &[
    "x-request-deadline-ms",
    "x-litellm-timeout",
    "x-uipath-llmgateway-timeoutseconds",
    "x-portkey-request-timeout",
    "cf-aig-request-timeout",
    "x-envoy-upstream-rq-timeout-ms",
    "grpc-timeout",
    "x-server-timeout",
];
