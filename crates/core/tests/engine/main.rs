//! The engine against a scripted upstream, on paused time: no sockets, exact instants.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

mod blocked;
mod bonds;
mod clocks;
mod hints;
mod instants;
mod leaving;
mod plans;
mod properties;
mod streams;
mod support;
