//! Requests that are answered well, whatever it took.

use super::{Ask, Caller, Kind, ROW, When, sim};

pub const KINDS: &[Kind] = &[
    Kind {
        name: "unary",
        tokens: Some(2),
        ..ROW
    },
    Kind {
        name: "stream",
        ask: Ask::Stream,
        members: &[sim("usage,tokens=3")],
        tokens: Some(3),
        ..ROW
    },
    Kind {
        name: "completion",
        ask: Ask::Completion,
        ..ROW
    },
    Kind {
        name: "completion-stream",
        ask: Ask::CompletionStream,
        ..ROW
    },
    Kind {
        name: "embedding",
        ask: Ask::Embedding,
        ..ROW
    },
    Kind {
        name: "no-traceparent",
        headers: &[("traceparent", "00-not-one")],
        ..ROW
    },
    Kind {
        name: "with-a-deadline",
        headers: &[("x-request-deadline-ms", "30000")],
        ..ROW
    },
    Kind {
        name: "fallback",
        members: &[sim("status=500"), sim("")],
        plan: "[$0, $1]",
        tree: "wait, attempt 0=server_error/500!server_error, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "fallback-from-a-dead-port",
        ask: Ask::Stream,
        members: &[sim("").at(super::At::Nowhere), sim("")],
        plan: "[$0, $1]",
        tree: "wait, attempt 0=connect_failed/-!connect_failed, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "fallback-on-a-members-own-clock",
        members: &[sim("silent-headers").with("timeout: 100ms"), sim("")],
        plan: "[$0, $1]",
        tree: "wait, attempt 0=timeout/-!timeout, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "fallback-from-a-cut-preamble",
        ask: Ask::Stream,
        members: &[sim("tokens=0,no-finish,no-done"), sim("")],
        plan: "[$0, $1]",
        tree: "wait, attempt 0=truncated/200!truncated, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "retry",
        members: &[sim("status=503,fail=1")],
        plan: "{ retry: { of: $0, max_attempts: 3, initial: 30ms } }",
        tree: "wait, attempt 0=overloaded/503!overloaded, pause, wait, attempt 0=ok/200",
        ..ROW
    },
    Kind {
        name: "retry-and-fallback",
        members: &[sim("status=500"), sim("")],
        plan: "[{ retry: { of: $0, max_attempts: 2, initial: 10ms } }, $1]",
        tree: "wait, attempt 0=server_error/500!server_error, pause, \
               wait, attempt 0=server_error/500!server_error, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "heartbeat-then-success",
        ask: Ask::Stream,
        members: &[sim("delay=500ms")],
        route: "heartbeat_interval: 60ms",
        ..ROW
    },
    Kind {
        name: "heartbeat-then-fallback",
        ask: Ask::Stream,
        members: &[sim("delay=500ms,status=500"), sim("")],
        plan: "[$0, $1]",
        route: "heartbeat_interval: 60ms",
        tree: "wait, attempt 0=server_error/500!server_error, wait, attempt 1=ok/200",
        ..ROW
    },
    Kind {
        name: "left-with-the-end-in-hand",
        ask: Ask::Stream,
        members: &[sim("raw-whole")],
        caller: Caller::Leaves(When::Ended),
        ..ROW
    },
    Kind {
        name: "unsampled",
        sampled: false,
        tree: "",
        ..ROW
    },
    Kind {
        name: "unsampled-with-a-failed-attempt",
        members: &[sim("status=500"), sim("")],
        plan: "[$0, $1]",
        sampled: false,
        tree: "wait, attempt 0=server_error/500!server_error, wait, attempt 1=ok/200",
        ..ROW
    },
];
