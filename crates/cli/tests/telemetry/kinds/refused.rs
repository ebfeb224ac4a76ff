//! Requests that never get as far as an attempt: refused at the door, or for load.

use super::{Ask, At, Before, Kind, ROW, sim};

const REJECTED: Kind = Kind {
    outcome: "rejected",
    phase: "receiving",
    tree: "",
    ..ROW
};

const OVERLOADED: Kind = Kind {
    outcome: "overloaded",
    status: 429,
    phase: "queued",
    ..ROW
};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "not-json",
        body: Some("{\"model\": \"not-json\", "),
        status: 400,
        error: "invalid_request_body",
        ..REJECTED
    },
    Kind {
        name: "unreadable-deadline",
        headers: &[("x-request-deadline-ms", "soon")],
        status: 400,
        error: "invalid_request_deadline",
        ..REJECTED
    },
    Kind {
        name: "no-key",
        headers: &[("authorization", "Bearer nobody")],
        status: 401,
        error: "invalid_api_key",
        ..REJECTED
    },
    Kind {
        name: "unknown-model",
        status: 404,
        error: "model_not_found",
        ..REJECTED
    },
    Kind {
        name: "upload-stalled",
        half: true,
        status: 408,
        error: "receive_timeout",
        ..REJECTED
    },
    Kind {
        name: "too-large",
        body: Some(TOO_LARGE),
        status: 413,
        error: "request_too_large",
        ..REJECTED
    },
    Kind {
        name: "not-a-media-type",
        headers: &[("content-type", "text/plain")],
        status: 415,
        error: "unsupported_media_type",
        ..REJECTED
    },
    Kind {
        name: "queue-full",
        members: &[sim("silent-headers").with("max_concurrency: 1, max_queue: 1")],
        before: Before::Holders(2),
        error: "queue_full",
        tree: "wait full!queue_full",
        ..OVERLOADED
    },
    Kind {
        name: "queue-expiry",
        members: &[sim("silent-headers").with("max_concurrency: 1, max_queue_wait: 150ms")],
        before: Before::Holders(1),
        error: "queue_timeout",
        tree: "wait timeout!queue_timeout",
        ..OVERLOADED
    },
    Kind {
        name: "queue-expiry-then-fallback",
        members: &[
            sim("silent-headers").with("max_concurrency: 1, max_queue_wait: 150ms"),
            sim(""),
        ],
        plan: "[$0, $1]",
        before: Before::Holders(1),
        tree: "wait timeout!queue_timeout, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "cooling-down",
        members: &[sim("status=429,retry-after=30")],
        before: Before::Answered,
        error: "cooling_down",
        phase: "receiving",
        tree: "",
        ..OVERLOADED
    },
    Kind {
        name: "cooled-down",
        members: &[sim("status=429,retry-after-ms=300,fail=1")],
        before: Before::Answered,
        tree: "cooldown, wait, attempt 0=ok/200",
        ..ROW
    },
    Kind {
        name: "heartbeat-then-queue-expiry",
        ask: Ask::Stream,
        members: &[sim("silent-headers").with("max_concurrency: 1, max_queue_wait: 500ms")],
        route: "heartbeat_interval: 60ms",
        before: Before::Holders(1),
        status: 200,
        error: "queue_timeout",
        tree: "wait timeout!queue_timeout",
        ..OVERLOADED
    },
    Kind {
        name: "below-min-attempt",
        members: &[sim("").at(At::Nowhere), sim("")],
        plan: "[$0, $1]",
        route: "min_attempt: 10s",
        headers: &[("x-request-deadline-ms", "5000")],
        outcome: "deadline_exceeded",
        status: 504,
        error: "request_deadline_exceeded",
        reason: "below_min_attempt",
        phase: "queued",
        tree: "wait",
        ..ROW
    },
];

/// Larger than the 64 KiB that the gateway of the tests takes.
const TOO_LARGE: &str = match str::from_utf8(&[b' '; 100 << 10]) {
    Ok(text) => text,
    Err(_) => "",
};
