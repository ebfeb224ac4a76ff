//! Requests whose plan is exhausted, before and after the first content.

use super::{Ask, At, Kind, ROW, sim};

const FAILED: Kind = Kind {
    outcome: "failed",
    status: 502,
    phase: "awaiting_content",
    ..ROW
};

const STREAM: Kind = Kind {
    ask: Ask::Stream,
    ..FAILED
};

/// After content.
const BROKEN: Kind = Kind {
    outcome: "truncated",
    status: 200,
    phase: "streaming",
    ..STREAM
};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "server-error",
        members: &[sim("status=500")],
        error: "server_error",
        tree: "wait, attempt 0=server_error/500!server_error",
        ..FAILED
    },
    Kind {
        name: "connect-failed",
        members: &[sim("").at(At::Nowhere)],
        error: "connect_failed",
        phase: "connecting",
        tree: "wait, attempt 0=connect_failed/-!connect_failed",
        ..FAILED
    },
    Kind {
        name: "retries-exhausted",
        members: &[sim("status=503")],
        plan: "{ retry: { of: $0, max_attempts: 2, initial: 10ms } }",
        status: 503,
        error: "overloaded",
        tree: "wait, attempt 0=overloaded/503!overloaded, pause, wait, attempt 0=overloaded/503!overloaded",
        ..FAILED
    },
    Kind {
        name: "every-member-failed",
        members: &[sim("status=500"), sim("status=429,retry-after=30")],
        plan: "[$0, $1]",
        status: 429,
        error: "rate_limited",
        tree: "wait, attempt 0=server_error/500!server_error, wait, attempt 1=rate_limited/429!rate_limited",
        ..FAILED
    },
    Kind {
        name: "upstream-400",
        members: &[sim("status=400")],
        outcome: "upstream_rejected",
        status: 400,
        error: "invalid_request",
        tree: "wait, attempt 0=invalid_request/400!invalid_request",
        ..FAILED
    },
    Kind {
        name: "context-too-long",
        members: &[sim("status=400,error=context_length")],
        outcome: "upstream_rejected",
        status: 400,
        error: "context_length_exceeded",
        tree: "wait, attempt 0=context_length_exceeded/400!context_length_exceeded",
        ..FAILED
    },
    Kind {
        name: "out-of-credit",
        members: &[sim("status=402")],
        status: 429,
        error: "quota_exhausted",
        tree: "wait, attempt 0=quota_exhausted/402!quota_exhausted",
        ..FAILED
    },
    Kind {
        name: "answer-too-large",
        members: &[sim("burst=64KiB").with("max_response_bytes: 1KiB")],
        error: "response_too_large",
        tree: "wait, attempt 0=response_too_large/200!response_too_large",
        ..FAILED
    },
    Kind {
        name: "upstream-401",
        members: &[sim("status=401")],
        error: "unauthorized",
        tree: "wait, attempt 0=unauthorized/401!unauthorized",
        ..FAILED
    },
    Kind {
        name: "upstream-404",
        members: &[sim("status=404")],
        error: "not_found",
        tree: "wait, attempt 0=not_found/404!not_found",
        ..FAILED
    },
    Kind {
        name: "own-clock",
        members: &[sim("silent-headers").with("timeout: 100ms")],
        status: 504,
        error: "timeout",
        phase: "awaiting_headers",
        tree: "wait, attempt 0=timeout/-!timeout",
        ..FAILED
    },
    Kind {
        name: "not-the-dialect",
        members: &[sim("malformed-json")],
        error: "malformed_response",
        tree: "wait, attempt 0=malformed_response/200!malformed_response",
        ..FAILED
    },
    Kind {
        name: "cut-before-a-head",
        members: &[sim("fin=request")],
        error: "truncated",
        phase: "awaiting_headers",
        tree: "wait, attempt 0=truncated/-!truncated",
        ..FAILED
    },
    Kind {
        name: "empty-answer",
        members: &[sim("tokens=0")],
        error: "empty_response",
        tree: "wait, attempt 0=empty_response/200!empty_response",
        ..STREAM
    },
    Kind {
        name: "cut-before-content",
        members: &[sim("tokens=0,no-finish,no-done")],
        error: "truncated",
        tree: "wait, attempt 0=truncated/200!truncated",
        ..STREAM
    },
    Kind {
        name: "in-band-error-before-content",
        members: &[sim("error=overloaded,error-first")],
        status: 503,
        error: "overloaded",
        tree: "wait, attempt 0=overloaded/200!overloaded",
        ..STREAM
    },
    Kind {
        name: "in-band-error-after-content",
        members: &[sim("error=overloaded,error-after=2")],
        error: "overloaded",
        tree: "wait, attempt 0=overloaded/200!overloaded",
        ..BROKEN
    },
    Kind {
        name: "truncated-stream",
        members: &[sim("truncated")],
        error: "truncated",
        tree: "wait, attempt 0=truncated/200!truncated",
        ..BROKEN
    },
    Kind {
        name: "stream-reset",
        members: &[sim("gap=20ms,rst-after=2")],
        error: "truncated",
        tree: "wait, attempt 0=truncated/200!truncated",
        ..BROKEN
    },
    Kind {
        name: "stream-stalled",
        members: &[sim("stall-after=2").with("stream_token_timeout: 150ms")],
        error: "timeout",
        tree: "wait, attempt 0=timeout/200!timeout",
        ..BROKEN
    },
    Kind {
        name: "heartbeat-then-failure",
        members: &[sim("delay=500ms,status=500")],
        route: "heartbeat_interval: 60ms",
        status: 200,
        error: "server_error",
        tree: "wait, attempt 0=server_error/500!server_error",
        ..STREAM
    },
];
