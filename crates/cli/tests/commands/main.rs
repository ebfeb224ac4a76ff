//! Every command of the binary as a user runs it: arguments, files, environment, exit codes, what is printed.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../settings/stage.rs"]
#[allow(dead_code, reason = "it is shared with another test binary")]
mod stage;

mod admin;
mod check;
mod compat;
mod demo;
mod drain;
mod keys;
mod reload;
mod sample;
mod schema;
mod sim;
mod term;
mod zero;
