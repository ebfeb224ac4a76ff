//! What a target is, in the words of whoever configures it.
//!
//! Everything here is plain data; it is checked and precomputed once, in [`Upstreams::new`]. A mistake is
//! a [`SpecError`] that names the target, the field, the value and the fix, and never a secret.
//!
//! [`Upstreams::new`]: crate::Upstreams::new

use http::{HeaderMap, HeaderName};
use secrecy::SecretString;
use std::sync::Arc;

use crate::auth::{AwsAuth, AwsKeys, AzureAuth, GoogleAuth};
pub use crate::{dialect::Dialect, request::ForwardDeadline};

/// One endpoint, model and credential.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// Its name in errors and metrics.
    pub name: Arc<str>,
    /// The API it speaks.
    pub dialect: Dialect,
    /// Where it is and how it is reached.
    pub endpoint: Endpoint,
    /// What its dialect must know beyond the address.
    pub site: Site,
    /// Which model it is asked for.
    pub model: ModelChoice,
    /// Who asks.
    pub auth: Auth,
    /// Headers sent with every request; values marked sensitive are scrubbed from what comes back.
    pub headers: HeaderMap,
    /// Headers of the caller that are passed on, beyond those that always are.
    pub forward_headers: Vec<HeaderName>,
    /// In which headers the time left is told.
    pub forward_deadline: Vec<ForwardDeadline>,
    /// Whether the usage chunk of a stream is asked for on our own account.
    pub usage: UsageRule,
    /// Whether a request that may have been processed is sent again: one that a pooled connection took along
    /// when it died. One of which no byte was sent always is.
    pub replay: bool,
    /// A whole answer larger than this is refused, in bytes after decoding.
    pub max_response_bytes: usize,
    /// An event larger than this is refused, in bytes after decoding.
    pub max_event_bytes: usize,
}

impl TargetSpec {
    /// A target at `base_url` with the defaults: `openai`, the caller's model, no credential, 64 MiB.
    pub fn new(name: impl Into<Arc<str>>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            dialect: Dialect::OpenAi,
            endpoint: Endpoint::new(base_url),
            site: Site::default(),
            model: ModelChoice::FromCaller,
            auth: Auth::None,
            headers: HeaderMap::new(),
            forward_headers: Vec::new(),
            forward_deadline: Vec::new(),
            usage: UsageRule::AsSent,
            replay: true,
            max_response_bytes: 64 << 20,
            max_event_bytes: 64 << 20,
        }
    }
}

/// What some dialects must know beyond an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Azure's `api-version`; without one the base URL ends in `/openai/v1`.
    pub api_version: Option<String>,
    /// Vertex AI's project.
    pub project: Option<String>,
    /// Vertex AI's location, `global` if not said.
    pub location: Option<String>,
    /// Bedrock: Claude is asked by InvokeModel, in the words of Anthropic's Messages API, and not by Converse.
    pub invoke: bool,
    /// Ollama's `options.num_ctx`, in tokens.
    pub num_ctx: Option<u32>,
    /// Parameters of every request's query, beyond the dialect's own; encoded when they are sent.
    pub query: Vec<(String, String)>,
}

/// Where a target is. Targets whose endpoints are equal share their connections.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// `http://` or `https://`, host, optional port, optional path. Without a path the dialect's own is meant
    /// (`/v1` for most); a path is used as it is, so `https://h/openai` is asked at `https://h/openai/chat/completions`.
    pub base_url: String,
    /// HTTP/2: by ALPN on `https`, with prior knowledge on `http`. Otherwise HTTP/1.1.
    pub http2: bool,
    /// Trust and identity on `https`.
    pub tls: Tls,
    /// The proxy on the way out, if any.
    pub proxy: Option<EgressProxy>,
}

impl Endpoint {
    /// Reached directly over HTTP/1.1, trusted as the platform does.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            http2: false,
            tls: Tls::default(),
            proxy: None,
        }
    }
}

/// How TLS with an endpoint is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tls {
    /// Certificates of authorities to trust, PEM.
    pub ca_pem: Option<Vec<u8>>,
    /// Whether only `ca_pem` is trusted; otherwise it is added to the platform's authorities.
    pub only_ca: bool,
    /// Certificate chain and private key to show, both PEM.
    pub client: Option<ClientCert>,
    /// The name to verify and to send as SNI, when it is not the host of `base_url`.
    pub server_name: Option<String>,
}

/// A client certificate with its key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ClientCert {
    /// The chain, leaf first.
    pub chain_pem: Vec<u8>,
    /// The private key.
    pub key_pem: Vec<u8>,
}

impl std::fmt::Debug for ClientCert {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCert").finish_non_exhaustive()
    }
}

/// Proxies on the way out, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name them. `https` targets go
/// through `CONNECT`, `http` targets by absolute-form requests (HTTP/2 ones by `CONNECT`).
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct EgressProxy {
    /// For `http` targets: `http://[user:password@]host:port`; empty for none.
    pub http: String,
    /// For `https` targets, likewise.
    pub https: String,
    /// Hosts reached directly: names (with all their subdomains), addresses, CIDR blocks or `*`, separated
    /// by commas.
    pub no_proxy: String,
}

impl std::fmt::Debug for EgressProxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // the addresses may hold passwords
        f.debug_struct("EgressProxy")
            .field("no_proxy", &self.no_proxy)
            .finish_non_exhaustive()
    }
}

/// Which model a target is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// Always this one.
    Fixed(Arc<str>),
    /// The one the caller named.
    FromCaller,
}

/// Who asks.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Nobody: no credential is sent.
    None,
    /// We, by a key where the dialect has its place for one.
    Key(SecretString),
    /// The caller: its own `Authorization` is sent.
    Passthrough,
    /// We, by a key in a header of this name.
    ApiKey {
        /// The header.
        header: HeaderName,
        /// All of its value.
        key: SecretString,
    },
    /// We, by signatures for AWS.
    Aws(AwsAuth),
    /// We, by tokens of Google.
    Google(GoogleAuth),
    /// We, by tokens of Entra ID.
    Azure(AzureAuth),
}

impl Auth {
    /// What must not be repeated of what the upstream says.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        match self {
            Self::Key(key) | Self::ApiKey { key, .. } => vec![key.clone()],
            Self::Aws(aws) => {
                let token = |keys: &AwsKeys| keys.session_token.clone();
                let keys = aws.keys.iter();
                keys.flat_map(|keys| [Some(keys.secret_access_key.clone()), token(keys)])
                    .flatten()
                    .collect()
            }
            Self::Azure(azure) => azure.client_secret.iter().cloned().collect(),
            Self::None | Self::Passthrough | Self::Google(_) => Vec::new(),
        }
    }
}

/// Whether `stream_options.include_usage` is added to streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageRule {
    /// The request goes as it came.
    #[default]
    AsSent,
    /// It is added, and the extra chunk left out again unless the caller had asked for it.
    Inject,
}

/// Why a target cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("target {target}: {field} {value:?} {problem}; {fix}")]
pub struct SpecError {
    /// The target's name.
    pub target: Arc<str>,
    /// The field at fault.
    pub field: &'static str,
    /// Its value; empty where it may hold a secret.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to write instead.
    pub fix: &'static str,
}

/// A [`SpecError`] before it is known whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) field: &'static str,
    pub(crate) value: String,
    pub(crate) problem: String,
    pub(crate) fix: &'static str,
}

impl Fault {
    pub(crate) fn new(
        field: &'static str,
        value: impl Into<String>,
        problem: impl Into<String>,
        fix: &'static str,
    ) -> Self {
        let (value, problem) = (value.into(), problem.into());
        Self {
            field,
            value,
            problem,
            fix,
        }
    }

    pub(crate) fn of(self, target: &Arc<str>) -> SpecError {
        SpecError {
            target: target.clone(),
            field: self.field,
            value: self.value,
            problem: self.problem,
            fix: self.fix,
        }
    }
}
