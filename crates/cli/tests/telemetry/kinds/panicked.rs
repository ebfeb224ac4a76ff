//! Requests that a bug of ours ends. No caller and no upstream can bring one about in the binary, so these
//! rows are played against its crates put together in the test's own process, with an upstream that panics
//! in place of the real one; sockets, collector and questions are the same.

use super::{Ask, Kind, ROW, sim};

/// What the upstream of these rows does before it panics.
pub const BEFORE_A_HEAD: &str = "panics before a head";
pub const AFTER_CONTENT: &str = "panics after content";

const BUG: Kind = Kind {
    members: &[sim(BEFORE_A_HEAD)],
    outcome: "failed",
    status: 500,
    error: "internal",
    phase: "awaiting_headers",
    tree: "wait, attempt 0=internal/-!internal",
    ..ROW
};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "panic",
        ..BUG
    },
    Kind {
        name: "panic-behind-heartbeats",
        ask: Ask::Stream,
        route: "heartbeat_interval: 60ms",
        status: 200,
        ..BUG
    },
    Kind {
        name: "panic-streaming",
        ask: Ask::Stream,
        members: &[sim(AFTER_CONTENT)],
        status: 200,
        phase: "streaming",
        tree: "wait, attempt 0=internal/200!internal",
        ..BUG
    },
];
