//! What clients promise over real sockets, against the simulator: one table for all thirteen of them, and what
//! only a socket can show.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod conformance;
mod credentials;
mod execution;
mod golden;
mod settings;
mod support;
mod talking;
mod whole;
