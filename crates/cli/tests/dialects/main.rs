//! Every dialect behind every surface, through the built binary: what the contract promises of failures,
//! deadlines, callers that leave, heartbeats and state is the same whatever is spoken on either side.
//!
//! Expected values stand in one table each, which mirrors the contract and not the code; what differs by
//! dialect is a row of [`peers`], what differs by surface a method of [`voices`]. Bounds in milliseconds are
//! the figure, 50 ms, and the most that a bare timer of the same run was late by.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

mod peers;
mod stage;
mod voices;

mod bound;
mod clocks;
mod content;
mod credentials;
mod failures;
mod faults;
mod features;
mod heads;
mod invoked;
mod kept;
mod numbers;
mod parts;
mod passed;
mod program;
mod shapes;
mod table;
mod unary;
