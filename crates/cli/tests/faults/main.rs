//! Faults that gateways of LLM APIs have had, played against the built binary: `docs/known-faults.md` names
//! each with the test that stands here or elsewhere.
//!
//! What a caller's socket and the upstream's socket saw is compared, nothing else: a fault is what somebody
//! else noticed. Bounds in milliseconds are the figure, 50 ms, and the 99th percentile by which a bare timer
//! of the same run was late.
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

mod house;

mod carried;
mod ends;
mod envelope;
mod expect;
mod halves;
mod labels;
mod large;
mod names;
mod partial;
mod policy;
mod rollout;
mod slots;
