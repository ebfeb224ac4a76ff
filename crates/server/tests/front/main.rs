//! The front on real sockets, in front of a scripted upstream: what a caller sees, what the upstream's
//! exchange sees, and what the record says.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod admin;
mod answers;
mod anthropic;
mod bound;
mod clocks;
mod door;
mod drain;
mod http2;
mod leaving;
mod limits;
mod passed;
mod streams;
mod support;
mod surfaces;
mod tls;
