//! Bytes and formats of LLM APIs: what a request asks for, where an event ends, what an event,
//! an answer or an error means, and how our own errors are written.
//!
//! Nothing here does I/O, waits or spawns, and nothing depends on the other crates: bytes go in,
//! values come out. Three things must hold everywhere:
//!
//! - **No bytes can panic it.** Everything comes from a socket.
//! - **Bytes through.** What is relayed is a slice of what came in; parsing is a borrowed peek
//!   beside it, never a round trip through a tree.
//! - **A caller's body is never quoted**, and an upstream's only after [`scrub`].
//!
//! The types that every dialect shares are in [`dialect`]; adding one is a folder
//! `dialect/<name>/` which produces the same [`dialect::Judged`].

mod api;
pub mod array;
pub mod dialect;
pub mod error_body;
pub mod eventstream;
pub mod frame;
pub mod hosted;
mod intake;
mod json;
pub mod lines;
pub mod middle;
pub mod models;
pub mod peek;
pub mod retry_after;
mod rfc3339;
pub mod scrub;
pub mod sniff;
pub mod splice;
pub mod sse;
pub mod state;
mod surface;
pub mod usage;
pub mod verdict;
pub mod via;

pub use api::{Api, about_response};
pub use peek::{BadBody, Peek};
pub use surface::Surface;
pub use usage::Usage;
pub use verdict::{Class, Verdict};
pub use via::Via;
