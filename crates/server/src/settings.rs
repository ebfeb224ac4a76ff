//! What an operator may set about the front, as plain values.
//!
//! A snapshot carries them, so a reload changes them for connections and requests that come later. Limits
//! are counted by the gateway itself and survive the reload; only the figure they are compared with changes.

use http::HeaderName;
use std::{net::IpAddr, sync::Arc, time::Duration};

/// Whether a peer may be believed about the time left.
pub type Trust = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Clocks, limits and names of the front.
#[derive(Clone)]
pub struct Settings {
    /// The ceiling over every request; `None` is no ceiling.
    pub request_deadline: Option<Duration>,
    /// The ways of an agent-proxy deployment: an unreadable deadline header is ignored and counted,
    /// `error.type` repeats the code, a full queue is a `rate_limit_error`.
    pub compat: bool,
    /// Whether the timeouts that SDKs announce by themselves bind unary requests.
    pub sdk_timeouts: bool,
    /// Names (without port) under which callers may address the gateway, beside the loopback names and the
    /// address a connection came in on. `*` is any.
    pub hosts: Vec<String>,
    /// Values of `Origin` that are let in; a web page is refused otherwise.
    pub origins: Vec<String>,
    /// Names of the targets that `/passthrough/{target}/…` reaches.
    pub passthrough: Vec<String>,
    /// The header in which a caller says what its calls have in common: those that carry state of somebody
    /// whom nobody remembers go where the last of them went.
    pub affinity_header: HeaderName,
    /// Peers whose mesh headers (`x-envoy-…`, `l5d-timeout`) count.
    pub trusted: Trust,
    /// First byte, TLS handshake and request head must each have come by then.
    pub header_timeout: Duration,
    /// An idle connection is closed after this long.
    pub idle_timeout: Duration,
    /// A request body may be silent for this long, then 408.
    pub receive_timeout: Duration,
    /// The largest request body, in bytes.
    pub max_body_bytes: usize,
    /// Connections at the same time.
    pub max_connections: usize,
    /// Requests on LLM surfaces at the same time.
    pub max_in_flight: usize,
    /// Bytes of request bodies held at the same time, counted in steps of 64 KiB.
    pub max_memory_bytes: usize,
    /// Served over TLS when set; see [`server_config`](crate::server_config).
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// After the first signal new requests are still served for this long.
    pub lame_duck: Duration,
    /// Then running ones may finish within this.
    pub drain_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            request_deadline: None,
            compat: false,
            sdk_timeouts: true,
            hosts: Vec::new(),
            origins: Vec::new(),
            passthrough: Vec::new(),
            affinity_header: HeaderName::from_static("x-punctual-affinity"),
            trusted: Arc::new(|_| false),
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            receive_timeout: Duration::from_secs(30),
            max_body_bytes: 64 << 20,
            max_connections: 8192,
            max_in_flight: 4096,
            max_memory_bytes: 1 << 30,
            tls: None,
            lame_duck: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(30),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("request_deadline", &self.request_deadline)
            .field("compat", &self.compat)
            .field("hosts", &self.hosts)
            .field("tls", &self.tls.is_some())
            .finish_non_exhaustive()
    }
}
