//! Punctual's HTTP front: sockets in, one answer out for every request, whatever becomes of it.
//!
//! [`Gateway::run`] accepts connections; each is one task that drives hyper and, beside it, everything
//! hyper does not see: the caller's leaving behind unread bytes, a head that never ends, a reader that
//! stopped, the drain. A request goes through `front`: the door (host, origin, key, size), its clock, its
//! body, its route; then the engine of `punctual-core` serves it and `answer` writes what came of it.
//!
//! What must hold:
//! - the deadline starts at the head, and no state of a request is without a clock or a watcher;
//! - dropping a connection ends everything about its requests: nothing is spawned but connections, hyper's
//!   HTTP/2 streams, what is left of their uploads and the passes over large bodies, all under one tracker;
//! - every request on an LLM surface has exactly one outcome, a refusal and a panic included;
//! - nothing of a credential or of a caller's body is ever written into an answer.
//!
//! The crate knows neither the configuration's format nor how providers are talked to: both are handed in
//! with a [`Snapshot`].

mod admin;
mod answer;
mod connection;
mod declared;
mod front;
mod gateway;
mod health;
mod keys;
mod listen;
mod load;
mod memory;
mod routes;
mod settings;
mod shutdown;
mod tls;

pub use gateway::{Connected, Gateway, Hooks, Listeners, Snapshot, Stats};
pub use keys::{Key, Keyring, Keys};
pub use routes::{Resolved, Route, Routes};
pub use settings::{Settings, Trust};
pub use shutdown::{Shutdown, Trigger};
pub use tls::server_config;
