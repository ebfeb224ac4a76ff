//! Punctual's way to the providers.
//!
//! [`Upstreams`] is the engine's [`Upstream`](punctual_core::Upstream) over hyper: it builds the request of
//! an attempt, carries it over a pooled connection and judges what comes back, piece by piece. Read
//! `upstreams` first, then `pool` with `http1` and `http2`, then `answer`.
//!
//! What must hold:
//! - Dropping an attempt, or the answer it gave, ends its exchange at once: the HTTP/1.1 connection closes,
//!   the HTTP/2 stream is reset. No task and no channel stands between a request and its socket.
//! - No request's end is another's: connections that are shared are made and driven by the pool's own
//!   tasks, as are look-ups of names.
//! - No bytes of an upstream can panic it or make it hold more than the configured limits.
//! - Nobody waits for another's large body: work that takes long is done aside.
//! - No secret, host or URL of a target leaves this crate in an error.
//! - Redirects are never followed, cookies never kept.

mod address;
mod answer;
mod aside;
mod auth;
mod body;
mod bonds;
mod dial;
mod dialect;
mod fault;
mod head;
mod http1;
mod http2;
mod inflate;
mod pool;
mod pools;
mod request;
mod spec;
mod stream;
mod target;
mod upstreams;
mod way;

pub use answer::Answer;
pub use auth::{AwsAuth, AwsKeys, AzureAuth, GoogleAuth};
pub use pool::PoolStats;
pub use pools::Pools;
pub use spec::{
    Auth, ClientCert, Dialect, EgressProxy, Endpoint, ForwardDeadline, ModelChoice, Site,
    SpecError, TargetSpec, Tls, UsageRule,
};
pub use upstreams::Upstreams;
