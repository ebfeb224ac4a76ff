//! The front door and telemetry, checked: every value is there, every default is filled in.
//!
//! `Option<Duration>` is a limit that may be off; nothing here is "not said" any more.

use http::{HeaderName, HeaderValue, Uri};
use ipnet::IpNet;
use secrecy::SecretString;
use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// Settings of the HTTP server.
#[derive(Clone, Debug)]
pub struct Server {
    /// Addresses to listen on, at least one.
    pub listen: Vec<SocketAddr>,
    /// `Host` values served beside loopback names and the listen addresses, lower case, with or without
    /// port.
    pub hosts: Vec<String>,
    /// `Origin` values served.
    pub origins: Vec<String>,
    /// Networks whose `x-envoy-*` and `l5d-timeout` headers count.
    pub trusted_peers: Vec<IpNet>,
    /// Ceiling of every request.
    pub request_deadline: Option<Duration>,
    /// Certificate and key; `None` is plain HTTP.
    pub tls: Option<Tls>,
    /// True when nobody is asked for a key.
    pub open: bool,
    /// True when `auth: none` is written: open at every address, not only where nobody else comes.
    pub open_to_all: bool,
    /// The administrative listener; `None` is off.
    pub admin: Option<Admin>,
    /// Requests at once.
    pub max_in_flight: usize,
    /// Connections at once.
    pub max_connections: usize,
    /// Bytes for bodies and held-back events of all requests.
    pub memory_budget: usize,
    /// Bytes of one request body.
    pub max_body_bytes: usize,
    /// Longest pause in an upload.
    pub receive_timeout: Option<Duration>,
    /// Longest wait for the first byte, and for the whole head.
    pub header_timeout: Option<Duration>,
    /// Longest idle time of a kept connection.
    pub keep_alive: Option<Duration>,
    /// Longest time a caller may take nothing.
    pub caller_stall_timeout: Option<Duration>,
    /// Heartbeats where route and key say nothing.
    pub heartbeat_interval: Option<Duration>,
    /// How long new requests are served after SIGTERM.
    pub lame_duck: Duration,
    /// How long running requests may finish after that.
    pub drain_timeout: Duration,
    /// Whether what SDKs announce counts.
    pub sdk_timeouts: bool,
    /// Whose value ties calls that carry a provider's state to the target that made it.
    pub affinity_header: HeaderName,
    /// Worker threads; `None` is one per core.
    pub workers: Option<usize>,
    /// Behave as an agent-proxy does towards its callers.
    pub agent_proxy: bool,
}

impl Server {
    /// What others could reach unasked if this were served at the addresses of `bound`, as one sentence
    /// with a way out. The check of a file looks at the addresses in it; sockets stay where they were
    /// bound until a restart, so a reload has to look at those.
    #[must_use]
    pub fn exposed_at(&self, bound: &Self) -> Option<String> {
        let reachable = |addr: &&SocketAddr| !addr.ip().is_loopback();
        let public = bound.listen.iter().find(reachable);
        if let Some(addr) = public.filter(|_| self.open && !self.open_to_all) {
            return Some(format!(
                "server.listen: {addr} is bound until a restart and can be reached by others, and no key \
                 would be asked for; keep the keys, restart, or write auth: none"
            ));
        }
        let token = self.admin.as_ref().and_then(|admin| admin.token.as_ref());
        let admin = bound.admin.as_ref().map(|admin| &admin.listen);
        let addr = admin.filter(reachable).filter(|_| token.is_none())?;
        Some(format!(
            "server.admin.listen: {addr} is bound until a restart and can be reached by others, and no \
             token would be asked for; keep the token, or restart"
        ))
    }
}

/// Certificate and key of the server, both readable when they were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// Certificate chain, PEM.
    pub cert_file: PathBuf,
    /// Private key, PEM.
    pub key_file: PathBuf,
}

/// The administrative listener.
#[derive(Clone, Debug)]
pub struct Admin {
    /// Where.
    pub listen: SocketAddr,
    /// What its callers must present; `None` only on loopback.
    pub token: Option<SecretString>,
}

/// Traces, metrics, logs.
#[derive(Clone, Debug)]
pub struct Telemetry {
    /// What attributes and metrics begin with.
    pub prefix: String,
    /// Where traces and metrics go.
    pub otlp: Option<Otlp>,
    /// One JSON line per request.
    pub log: bool,
    /// Prometheus on the administrative listener.
    pub metrics: bool,
}

/// A collector.
#[derive(Clone, Debug)]
pub struct Otlp {
    /// Its base; paths such as `/v1/traces` are appended.
    pub endpoint: Uri,
    /// Headers of each export; values are marked sensitive.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Share of traces kept, 0 to 1.
    pub sample: f64,
}
