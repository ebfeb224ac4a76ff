//! Requests whose time is up, in each phase.

use super::{Ask, At, Before, Kind, ROW, sim};

const LATE: Kind = Kind {
    headers: &[("x-request-deadline-ms", "250")],
    outcome: "deadline_exceeded",
    status: 504,
    error: "request_deadline_exceeded",
    ..ROW
};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "deadline-spent",
        headers: &[("x-request-deadline-ms", "-5")],
        phase: "receiving",
        tree: "",
        ..LATE
    },
    Kind {
        name: "deadline-receiving",
        half: true,
        phase: "receiving",
        tree: "",
        ..LATE
    },
    Kind {
        name: "deadline-queued",
        members: &[sim("silent-headers").with("max_concurrency: 1")],
        before: Before::Holders(1),
        phase: "queued",
        tree: "wait deadline!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "deadline-connecting",
        members: &[sim("").at(At::SilentTls)],
        phase: "connecting",
        tree: "wait, attempt 0=request_deadline_exceeded/-!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "deadline-awaiting-headers",
        members: &[sim("silent-headers")],
        phase: "awaiting_headers",
        tree: "wait, attempt 0=request_deadline_exceeded/-!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "deadline-awaiting-content",
        ask: Ask::Stream,
        members: &[sim("role-only=20ms")],
        phase: "awaiting_content",
        tree: "wait, attempt 0=request_deadline_exceeded/200!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "deadline-behind-heartbeats",
        headers: &[("x-request-deadline-ms", "600")],
        ask: Ask::Stream,
        members: &[sim("role-only=20ms")],
        route: "heartbeat_interval: 60ms",
        status: 200,
        phase: "awaiting_content",
        tree: "wait, attempt 0=request_deadline_exceeded/200!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "deadline-streaming",
        ask: Ask::Stream,
        members: &[sim("tokens=1,gap=20ms,forever")],
        status: 200,
        phase: "streaming",
        tree: "wait, attempt 0=request_deadline_exceeded/200!request_deadline_exceeded",
        ..LATE
    },
    // none passes in a pause: a pause that could not end in time is never begun
    Kind {
        name: "deadline-behind-pauses",
        headers: &[("x-request-deadline-ms", "400")],
        members: &[sim("status=500"), sim("silent-headers")],
        plan: "[{ retry: { of: $0, max_attempts: 2, initial: 20ms } }, $1]",
        phase: "awaiting_headers",
        tree: "wait, attempt 0=server_error/500!server_error, pause, \
               wait, attempt 0=server_error/500!server_error, \
               wait, attempt 1=request_deadline_exceeded/-!request_deadline_exceeded",
        ..LATE
    },
    Kind {
        name: "no-time-for-the-pause",
        headers: &[("x-request-deadline-ms", "2000")],
        members: &[sim("status=503,retry-after=20")],
        plan: "{ retry: { of: $0 } }",
        outcome: "failed",
        status: 503,
        error: "overloaded",
        phase: "awaiting_content",
        tree: "wait, attempt 0=overloaded/503!overloaded",
        ..ROW
    },
];
