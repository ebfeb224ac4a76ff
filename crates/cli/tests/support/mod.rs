//! What the tests of the whole binary share: the gateway as a child process, callers that are bare sockets,
//! and a collector that decodes what telemetry is sent.
//!
//! Each test binary uses a part of it.
#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses a part of it"
)]

pub mod answer;
pub mod caller;
pub mod canary;
pub mod collector;
pub mod gateway;
pub mod h2;

pub use answer::Answer;
pub use caller::{Caller, Request};
pub use collector::Collector;
pub use gateway::Gateway;

use std::time::Duration;

pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Runs an async test body on a runtime of its own.
pub fn run<F: Future>(body: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(body)
}
