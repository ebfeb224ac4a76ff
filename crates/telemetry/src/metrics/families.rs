//! Every metric with its name, unit, labels and help: the table that `docs/telemetry.md` shows.

use super::{
    buckets::{BYTES, FINE, LONG, SHORT},
    labels::{
        Admission, Class, Connection, Header, Result, Route, RouteCode, RouteOutcome, Target,
        TargetOutcome, TargetReason, Tokens,
    },
};
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::sync::atomic::AtomicU64;

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;
/// Seconds that add up.
pub(super) type Seconds = Counter<f64, AtomicU64>;

macro_rules! families {
    ($($field:ident: $type:ty = $new:expr, $name:literal, $unit:expr, $help:literal;)*) => {
        /// Handles of all families.
        #[derive(Debug)]
        pub(crate) struct Families { $(pub(super) $field: $type,)* }

        impl Families {
            pub(super) fn register(registry: &mut Registry) -> Self {
                let families = Self { $($field: $new,)* };
                $(match $unit {
                    Some(unit) => registry.register_with_unit($name, $help, unit, families.$field.clone()),
                    None => registry.register($name, $help, families.$field.clone()),
                })*
                families
            }
        }
    };
}

fn long() -> Histogram {
    Histogram::new(LONG)
}

fn short() -> Histogram {
    Histogram::new(SHORT)
}

fn fine() -> Histogram {
    Histogram::new(FINE)
}

fn bytes() -> Histogram {
    Histogram::new(BYTES)
}

fn of<L: Clone + std::hash::Hash + Eq>(new: fn() -> Histogram) -> Histograms<L> {
    Family::new_with_constructor(new)
}

const S: Option<Unit> = Some(Unit::Seconds);
const B: Option<Unit> = Some(Unit::Bytes);
const N: Option<Unit> = None;

families! {
    requests: Family<RouteOutcome, Counter> = Family::default(), "requests", N, "Requests by their one outcome";
    errors: Family<RouteCode, Counter> = Family::default(), "request_errors", N, "Requests that did not end well, by error code";
    in_flight: Gauge = Gauge::default(), "requests_in_flight", N, "Requests whose head was read and that have not ended";
    duration: Histograms<RouteOutcome> = of(long), "request_duration", S, "Request head to last byte";
    first_content: Histograms<Route> = of(short), "time_to_first_content", S, "Request head to first content for the caller, streams that had content";
    without_content: Family<RouteOutcome, Counter> = Family::default(), "streams_without_content", N, "Streams that ended before any content, by outcome";
    token_gap: Histograms<Route> = of(fine), "inter_token_gap", S, "Mean time between tokens of a stream, once per request";
    held_back: Histograms<Route> = of(bytes), "held_back", B, "Preamble held back of a stream before its commit";
    heartbeats: Family<Route, Counter> = Family::default(), "heartbeats", N, "Heartbeats written to waiting callers";
    budget: Histograms<Class> = of(long), "deadline_budget", S, "Budgets of requests with a deadline, by who set it";
    overshoot: Histogram = fine(), "deadline_overshoot", S, "How long after its deadline an expired request ended";
    connections: Gauge = Gauge::default(), "connections", N, "Connections of callers that are open";
    accepted: Counter = Counter::default(), "connections_accepted", N, "Connections of callers since the start";
    queue_wait: Histograms<Admission> = of(short), "queue_wait", S, "Wait for a permit, once per admission";
    queue_predicted: Histograms<Target> = of(short), "queue_wait_predicted", S, "Wait predicted when a queue was joined";
    attempts: Family<TargetOutcome, Counter> = Family::default(), "attempts", N, "Attempts by outcome: ok or an error code";
    attempt_duration: Histograms<Target> = of(long), "attempt_duration", S, "Dispatch to the upstream's last byte";
    connect: Histograms<Target> = of(short), "upstream_connect", S, "Dispatch to a new connection, TLS included";
    tls: Histograms<Target> = of(short), "upstream_tls", S, "TLS handshakes of new connections";
    headers: Histograms<Target> = of(short), "upstream_headers", S, "Dispatch to the upstream's head";
    upstream_content: Histograms<Target> = of(short), "upstream_first_content", S, "Dispatch to the upstream's first content";
    upstream_connections: Family<Connection, Counter> = Family::default(), "upstream_connections", N, "Attempts that got a connection, by whether the pool had one";
    closed_early: Family<TargetReason, Counter> = Family::default(), "upstream_closed_early", N, "Upstream calls that were ended before their last byte, by why";
    closed_early_seconds: Family<TargetReason, Seconds> = Family::default(), "upstream_closed_early_run", S, "Time that those calls had run";
    retries: Family<Target, Counter> = Family::default(), "retries", N, "Attempts on a target that this request had tried before";
    fallbacks: Family<Target, Counter> = Family::default(), "fallbacks", N, "Attempts on a target after another one failed";
    budget_empty: Family<Target, Counter> = Family::default(), "retry_budget_empty", N, "Retries not made because the target's retry budget was empty";
    cooldowns: Family<Target, Counter> = Family::default(), "cooldowns", N, "Pauses that targets asked for";
    tokens: Family<Tokens, Counter> = Family::default(), "tokens", N, "Tokens as the providers counted them";
    reloads: Family<Result, Counter> = Family::default(), "config_reloads", N, "Configuration reloads by result";
    reload_ok: Gauge = Gauge::default(), "config_last_reload_successful", N, "Whether the last reload succeeded";
    reload_at: Gauge<f64, AtomicU64> = Gauge::default(), "config_last_reload_success_timestamp", S, "When the configuration in force was loaded, Unix time";
    ignored_headers: Family<Header, Counter> = Family::default(), "ignored_deadline_headers", N, "Deadline headers that were not understood and ignored";
    lateness: Histogram = fine(), "event_loop_lateness", S, "How late a timer of the process fires";
}
