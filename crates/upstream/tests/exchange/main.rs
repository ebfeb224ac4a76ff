//! What the sockets on both sides of [`punctual_upstream`] see, against a scripted upstream.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod answers;
mod bound;
mod coding;
mod credentials;
mod dialects;
mod errors;
mod headers;
mod large;
mod leaving;
mod pooling;
mod proxies;
mod replays;
mod shards;
mod stored;
mod support;
mod trust;
