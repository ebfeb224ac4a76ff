//! Requests that the end of the process meets. What is said of them must be delivered before it exits.

use super::{Ask, At, Before, Caller, Kind, ROW, When, sim};

const DRAINED: Kind = Kind {
    caller: Caller::Drained(When::Asked),
    outcome: "shutdown",
    status: 503,
    error: "shutting_down",
    ..ROW
};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "drained-queued",
        caller: Caller::Drained(When::Queued),
        members: &[sim("silent-headers").with("max_concurrency: 1")],
        before: Before::Holders(1),
        phase: "queued",
        tree: "wait shutdown!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-connecting",
        caller: Caller::Drained(When::Dialled),
        members: &[sim("").at(At::SilentTls)],
        phase: "connecting",
        tree: "wait, attempt 0=shutting_down/-!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-awaiting-headers",
        members: &[sim("silent-headers")],
        phase: "awaiting_headers",
        tree: "wait, attempt 0=shutting_down/-!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-behind-heartbeats",
        caller: Caller::Drained(When::Beaten),
        ask: Ask::Stream,
        members: &[sim("silent-headers")],
        route: "heartbeat_interval: 60ms",
        status: 200,
        phase: "awaiting_headers",
        tree: "wait, attempt 0=shutting_down/-!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-backoff",
        caller: Caller::Drained(When::Failed),
        members: &[sim("status=503,retry-after=20")],
        plan: "{ retry: { of: $0 } }",
        phase: "backoff",
        tree: "wait, attempt 0=overloaded/503!overloaded, pause!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-streaming",
        caller: Caller::Drained(When::Content),
        ask: Ask::Stream,
        members: &[sim("tokens=1,gap=20ms,forever")],
        status: 200,
        tree: "wait, attempt 0=shutting_down/200!shutting_down",
        ..DRAINED
    },
    Kind {
        name: "drained-receiving",
        half: true,
        caller: Caller::Drained(When::Sent),
        phase: "receiving",
        tree: "",
        ..DRAINED
    },
    Kind {
        name: "came-while-draining",
        caller: Caller::Late,
        phase: "receiving",
        tree: "",
        ..DRAINED
    },
];
