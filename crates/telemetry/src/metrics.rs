//! Metrics: one registry, scraped as Prometheus text and exported over OTLP.
//!
//! Counters and histograms are fed by the engine's events; what lives elsewhere (queues, breakers, pools,
//! memory) is read by registered closures when somebody looks. Label values are routes, targets, outcomes
//! and codes, so they come from configuration or from code, never from a request; a request without a route
//! has the route `none`. On a request's path no label set is built or hashed where it can be helped: the
//! series of a route and of a target are resolved once and kept.

use crate::{export::outbox::Outbox, log::writer::Lines};
use families::Families;
use handles::{Cache, RouteSeries, TargetSeries};
use prometheus_client::{
    encoding::{prometheus_text, text},
    registry::Registry,
};
use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

mod buckets;
mod collector;
mod families;
mod gauges;
mod handles;
mod labels;
mod observe;
pub(crate) mod otlp;

pub use gauges::{Breaker, Gauges};

/// The `Content-Type` of [`Telemetry::metrics_text`](crate::Telemetry::metrics_text).
pub const METRICS_CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// Reads gauges that live elsewhere.
pub(crate) type Reader = Box<dyn Fn(&mut Gauges) + Send + Sync>;

/// Where things are lost on the way out, for the metric that says so.
#[derive(Clone, Debug)]
pub(crate) struct Losses {
    pub(crate) spans: Arc<Outbox>,
    pub(crate) lines: Option<Arc<Lines>>,
    pub(crate) metrics: Arc<AtomicU64>,
}

impl Losses {
    /// Losses since the start, by signal.
    fn counts(&self) -> [(&'static str, u64); 3] {
        [
            ("spans", self.spans.dropped()),
            ("log", self.lines.as_ref().map_or(0, |l| l.dropped())),
            ("metrics", self.metrics.load(Relaxed)),
        ]
    }
}

/// The registry and the handles into it.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) families: Families,
    routes: Cache<RouteSeries>,
    targets: Cache<TargetSeries>,
    readers: Arc<RwLock<Vec<Reader>>>,
    losses: Losses,
}

impl Metrics {
    pub(crate) fn new(prefix: &str, losses: Losses) -> Self {
        let mut registry = Registry::with_prefix(labels::name(prefix));
        let families = Families::register(&mut registry);
        // whoever starts telemetry has read a configuration
        in_force(&families);
        let readers = Arc::<RwLock<Vec<Reader>>>::default();
        registry.register_collector(Box::new(collector::Elsewhere {
            readers: readers.clone(),
            losses: losses.clone(),
        }));
        Self {
            registry,
            families,
            routes: Cache::default(),
            targets: Cache::default(),
            readers,
            losses,
        }
    }

    /// Reads these too, whenever somebody looks.
    pub(crate) fn read_also(&self, reader: Reader) {
        let mut readers = self.readers.write().unwrap_or_else(PoisonError::into_inner);
        readers.push(reader);
    }

    /// Prometheus text, version 0.0.4.
    pub(crate) fn text(&self) -> String {
        let mut out = String::with_capacity(16 << 10);
        // a string takes everything
        let _ = prometheus_text::encode(&mut out, &self.registry);
        out
    }

    /// OpenMetrics text, which also says units.
    pub(crate) fn open_metrics(&self) -> String {
        let mut out = String::with_capacity(16 << 10);
        // a string takes everything
        let _ = text::encode(&mut out, &self.registry);
        out
    }

    pub(crate) fn reloaded(&self, succeeded: bool) {
        let result = if succeeded { "success" } else { "failure" };
        self.families
            .reloads
            .get_or_create(&labels::Result { result })
            .inc();
        if succeeded {
            in_force(&self.families);
        } else {
            self.families.reload_ok.set(0);
        }
    }

    pub(crate) fn ignored(&self, header: &'static str) {
        self.families
            .ignored_headers
            .get_or_create(&labels::Header { header })
            .inc();
    }

    /// Everything lost since the start.
    pub(crate) fn dropped(&self) -> u64 {
        self.losses.counts().iter().map(|(_, lost)| lost).sum()
    }

    pub(crate) fn late(&self, by: Duration) {
        self.families.lateness.observe(by.as_secs_f64());
    }
}

/// A configuration was read now and is good.
fn in_force(families: &Families) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    families.reload_ok.set(1);
    families
        .reload_at
        .set(since.unwrap_or_default().as_secs_f64());
}

/// Counts a connection from when it was accepted until this is dropped.
#[derive(Debug)]
pub struct ConnectionGuard(Arc<Metrics>);

impl ConnectionGuard {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        metrics.families.connections.inc();
        metrics.families.accepted.inc();
        Self(metrics)
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.families.connections.dec();
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
