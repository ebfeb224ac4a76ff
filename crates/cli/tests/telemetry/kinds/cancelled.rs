//! Requests whose caller leaves or stops reading, in each phase.

use super::{Ask, At, Before, Caller, Kind, ROW, When, sim};

const GONE: Kind = Kind {
    outcome: "cancelled",
    status: 499,
    error: "client_disconnected",
    reason: "gone",
    ..ROW
};

const GONE_STREAMING: Kind = Kind {
    ask: Ask::Stream,
    status: 200,
    caller: Caller::Leaves(When::Content),
    tree: "wait, attempt 0=client_disconnected/200!client_disconnected",
    ..GONE
};

const BLANK: &str = "wait, attempt 0=client_disconnected/-!client_disconnected";

pub const KINDS: &[Kind] = &[
    Kind {
        name: "gone-receiving",
        half: true,
        caller: Caller::Leaves(When::Sent),
        phase: "receiving",
        tree: "",
        ..GONE
    },
    Kind {
        name: "gone-queued",
        members: &[sim("silent-headers").with("max_concurrency: 1")],
        before: Before::Holders(1),
        caller: Caller::Leaves(When::Queued),
        phase: "queued",
        tree: "wait cancelled!client_disconnected",
        ..GONE
    },
    Kind {
        name: "gone-connecting",
        members: &[sim("").at(At::SilentTls)],
        caller: Caller::Leaves(When::Dialled),
        phase: "connecting",
        tree: BLANK,
        ..GONE
    },
    Kind {
        name: "gone-awaiting-headers",
        members: &[sim("silent-headers")],
        caller: Caller::Leaves(When::Asked),
        phase: "awaiting_headers",
        tree: BLANK,
        ..GONE
    },
    Kind {
        name: "reset-awaiting-headers",
        ask: Ask::Embedding,
        members: &[sim("silent-headers")],
        caller: Caller::Resets(When::Asked),
        phase: "awaiting_headers",
        tree: BLANK,
        ..GONE
    },
    Kind {
        name: "gone-awaiting-content",
        ask: Ask::Stream,
        members: &[sim("role-only=10ms")],
        caller: Caller::Leaves(When::Headed),
        phase: "awaiting_content",
        tree: "wait, attempt 0=client_disconnected/200!client_disconnected",
        ..GONE
    },
    Kind {
        name: "gone-behind-heartbeats",
        members: &[sim("silent-headers")],
        route: "heartbeat_interval: 60ms",
        caller: Caller::Leaves(When::Beaten),
        phase: "awaiting_headers",
        tree: BLANK,
        ..GONE_STREAMING
    },
    Kind {
        name: "gone-streaming",
        members: &[sim("raw-metered")],
        tokens: Some(2),
        ..GONE_STREAMING
    },
    Kind {
        name: "reset-streaming",
        ask: Ask::CompletionStream,
        members: &[sim("tokens=1,gap=20ms,forever")],
        caller: Caller::Resets(When::Content),
        ..GONE_STREAMING
    },
    Kind {
        name: "stream-reset-streaming",
        members: &[sim("tokens=1,gap=20ms,forever")],
        caller: Caller::ResetsStream,
        ..GONE_STREAMING
    },
    Kind {
        name: "gone-backoff",
        members: &[sim("status=503,retry-after=20")],
        plan: "{ retry: { of: $0 } }",
        caller: Caller::Leaves(When::Failed),
        phase: "backoff",
        tree: "wait, attempt 0=overloaded/503!overloaded, pause!client_disconnected",
        ..GONE
    },
    Kind {
        name: "stalled",
        members: &[sim("burst=12MiB,forever")],
        caller: Caller::Stops,
        error: "client_stalled",
        reason: "stalled",
        tree: "wait, attempt 0=client_stalled/200!client_stalled",
        ..GONE_STREAMING
    },
];
