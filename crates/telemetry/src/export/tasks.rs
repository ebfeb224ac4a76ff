//! Starts the exporters.

use super::{Envelope, Flush, Metrics, Spans, Trust, outbox::Outbox};
use crate::{
    metrics::{
        Metrics as Registry,
        otlp::{self, Window},
    },
    settings::{Batch, Endpoint},
};
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio::sync::{Notify, mpsc};
use tokio_util::task::TaskTracker;

/// Flushes that may be asked for at once.
const FLUSHES: usize = 4;

/// What exporters share, and the ways to ask them for a flush.
pub(crate) struct Tasks {
    pub(crate) tracker: TaskTracker,
    pub(crate) envelope: Envelope,
    pub(crate) exporters: Vec<mpsc::Sender<Flush>>,
}

impl Tasks {
    pub(crate) fn new(resource: &[(String, String)]) -> Self {
        Self {
            tracker: TaskTracker::new(),
            envelope: Envelope::new(resource),
            exporters: Vec::new(),
        }
    }

    fn asked(&mut self) -> mpsc::Receiver<Flush> {
        let (ask, asked) = mpsc::channel(FLUSHES);
        self.exporters.push(ask);
        asked
    }

    /// Exports spans.
    pub(crate) fn spans(
        &mut self,
        endpoint: Endpoint,
        trust: Trust,
        outbox: Arc<Outbox>,
        ready: Arc<Notify>,
        batch: Batch,
    ) {
        let spans = Spans {
            endpoint,
            outbox,
            ready,
            delay: batch.delay,
            envelope: self.envelope.clone(),
        };
        let asked = self.asked();
        self.tracker
            .spawn(spans.run(trust, self.tracker.clone(), asked));
    }

    /// Exports metrics for as long as they are in use.
    pub(crate) fn metrics(
        &mut self,
        endpoint: Endpoint,
        trust: Trust,
        interval: Duration,
        registry: &Arc<Registry>,
        lost: Arc<AtomicU64>,
    ) {
        let (registry, envelope) = (Arc::downgrade(registry), self.envelope.clone());
        let started = otlp::now();
        let encode = move || {
            let text = registry.upgrade()?.open_metrics();
            let now = otlp::now();
            Some(otlp::encode(&text, &envelope, Window { started, now }))
        };
        let metrics = Metrics {
            endpoint,
            interval,
            encode: Box::new(encode),
            lost,
        };
        let asked = self.asked();
        self.tracker
            .spawn(metrics.run(trust, self.tracker.clone(), asked));
    }
}
