//! The series of one route and of one target, resolved once.

use super::{
    families::{Families, Seconds},
    labels::{
        Admission, Connection, Route, RouteOutcome, Target, TargetOutcome, TargetReason, Tokens,
    },
};
use prometheus_client::metrics::{counter::Counter, histogram::Histogram};
use punctual_core::Outcome;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

/// Values by a name from configuration: as many as there are names.
#[derive(Debug)]
pub(super) struct Cache<T>(RwLock<HashMap<Arc<str>, Arc<T>>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Cache<T> {
    /// The value of `name`, made at its first use.
    pub(super) fn get(&self, name: &str, make: impl FnOnce(Arc<str>) -> T) -> Arc<T> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.get(name) {
            return value.clone();
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let name: Arc<str> = Arc::from(name);
        known
            .entry(name.clone())
            .or_insert_with(|| Arc::new(make(name)))
            .clone()
    }
}

/// What each outcome of a route feeds.
#[derive(Debug)]
pub(super) struct OutcomeSeries {
    pub(super) requests: Counter,
    pub(super) duration: Histogram,
}

/// The series of one route.
#[derive(Debug)]
pub(super) struct RouteSeries {
    pub(super) name: Arc<str>,
    outcomes: [OnceLock<OutcomeSeries>; 9],
    pub(super) first_content: Histogram,
    pub(super) token_gap: Histogram,
    pub(super) held_back: Histogram,
    pub(super) heartbeats: Counter,
}

impl RouteSeries {
    pub(super) fn new(f: &Families, name: Arc<str>) -> Self {
        let route = Route {
            route: name.clone(),
        };
        Self {
            outcomes: Default::default(),
            first_content: f.first_content.get_or_create_owned(&route),
            token_gap: f.token_gap.get_or_create_owned(&route),
            held_back: f.held_back.get_or_create_owned(&route),
            heartbeats: f.heartbeats.get_or_create_owned(&route),
            name,
        }
    }

    /// The series of an outcome, which appear with their first request.
    pub(super) fn outcome(&self, f: &Families, outcome: Outcome) -> Option<&OutcomeSeries> {
        let slot = self.outcomes.get(outcome as usize)?;
        Some(slot.get_or_init(|| {
            let labels = RouteOutcome {
                route: self.name.clone(),
                outcome: outcome.as_str(),
            };
            OutcomeSeries {
                requests: f.requests.get_or_create_owned(&labels),
                duration: f.duration.get_or_create_owned(&labels),
            }
        }))
    }
}

/// Tokens of one route by one target.
#[derive(Debug)]
pub(super) struct TokenSeries {
    pub(super) input: Counter,
    pub(super) output: Counter,
    pub(super) cached_input: Counter,
    pub(super) reasoning: Counter,
}

/// The series of one target.
#[derive(Debug)]
pub(super) struct TargetSeries {
    pub(super) name: Arc<str>,
    pub(super) ok: Counter,
    pub(super) duration: Histogram,
    pub(super) connect: Histogram,
    pub(super) tls: Histogram,
    pub(super) headers: Histogram,
    pub(super) first_content: Histogram,
    pub(super) admitted: Histogram,
    pub(super) reused: Counter,
    pub(super) dialled: Counter,
    pub(super) retries: Counter,
    pub(super) fallbacks: Counter,
    pub(super) cooldowns: Counter,
    tokens: Cache<TokenSeries>,
}

impl TargetSeries {
    pub(super) fn new(f: &Families, name: Arc<str>) -> Self {
        let target = Target {
            target: name.clone(),
        };
        let connection = |reused| Connection {
            target: name.clone(),
            reused,
        };
        Self {
            ok: f.attempts.get_or_create_owned(&TargetOutcome {
                target: name.clone(),
                outcome: "ok",
            }),
            duration: f.attempt_duration.get_or_create_owned(&target),
            connect: f.connect.get_or_create_owned(&target),
            tls: f.tls.get_or_create_owned(&target),
            headers: f.headers.get_or_create_owned(&target),
            first_content: f.upstream_content.get_or_create_owned(&target),
            admitted: f.queue_wait.get_or_create_owned(&Admission {
                target: name.clone(),
                admitted: true,
            }),
            reused: f
                .upstream_connections
                .get_or_create_owned(&connection(true)),
            dialled: f
                .upstream_connections
                .get_or_create_owned(&connection(false)),
            retries: f.retries.get_or_create_owned(&target),
            fallbacks: f.fallbacks.get_or_create_owned(&target),
            cooldowns: f.cooldowns.get_or_create_owned(&target),
            tokens: Cache::default(),
            name,
        }
    }

    /// Where this target's tokens for a route are counted.
    pub(super) fn tokens(&self, f: &Families, route: &str) -> Arc<TokenSeries> {
        self.tokens.get(route, |route| {
            let of = |kind| {
                f.tokens.get_or_create_owned(&Tokens {
                    route: route.clone(),
                    target: self.name.clone(),
                    kind,
                })
            };
            TokenSeries {
                input: of("input"),
                output: of("output"),
                cached_input: of("cached_input"),
                reasoning: of("reasoning"),
            }
        })
    }

    /// Calls ended early for this reason, and the time they had run.
    pub(super) fn closed_early(&self, f: &Families, reason: &'static str) -> (Counter, Seconds) {
        let labels = TargetReason {
            target: self.name.clone(),
            reason,
        };
        (
            f.closed_early.get_or_create_owned(&labels),
            f.closed_early_seconds.get_or_create_owned(&labels),
        )
    }
}
