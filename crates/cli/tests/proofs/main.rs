//! The proofs: each promise of the contract as one table of cells, on real sockets.
//!
//! A proof starts the built binary, calls it in every way there is, and compares what the caller's socket and
//! the upstream's socket saw with the contract's figure. Bounds in milliseconds are the figure, 50 ms, and
//! the 99th percentile by which a bare timer of the same run was late. A cell that ran zero times is a
//! failure: a table that lost a row proves nothing.
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

mod gates;
mod ground;
mod guest;
mod slots;
mod spans;
mod tally;

mod budget;
mod deadline;
mod leaving;
mod member;
mod queue;
mod reader;
mod shorter;
mod soak;
mod tokens;
mod trickle;
mod waits;
mod ways;
