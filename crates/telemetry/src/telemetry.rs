//! Starts everything, hands out the observer, takes what the engine cannot know, flushes at the end.

use crate::{
    export::{Flush, Tasks, Trust, outbox::Outbox},
    fan::Fan,
    lateness,
    log::{Log, LogFormat, writer::Lines},
    metrics::{ConnectionGuard, Gauges, Losses, Metrics},
    redaction::{Current, Redaction},
    sampler::Sampler,
    settings::{Endpoint, Settings},
    spans::{Keys, Spans},
};
use punctual_core::{Observer, Trace};
use std::{io, sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc, oneshot};

/// Why telemetry could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The platform's certificates could not be loaded, and a collector is reached by https.
    #[error("telemetry: the platform's certificates could not be loaded: {0}")]
    Certificates(#[from] rustls::Error),
    /// The thread that writes the log could not be started.
    #[error("telemetry: the thread that writes the log could not be started: {0}")]
    Thread(#[from] io::Error),
    /// There is no tokio runtime here.
    #[error("telemetry: it must be started inside a tokio runtime")]
    NoRuntime(#[from] tokio::runtime::TryCurrentError),
}

/// Everything that Punctual says about itself. Clones share; when the last is gone its tasks end.
#[derive(Clone)]
pub struct Telemetry(Arc<Inner>);

struct Inner {
    observer: Arc<dyn Observer>,
    metrics: Arc<Metrics>,
    sampler: Sampler,
    redaction: Current,
    lines: Option<Arc<Lines>>,
    exporters: Vec<mpsc::Sender<Flush>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(lines) = &self.lines {
            lines.close();
        }
    }
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry")
            .field("exporters", &self.0.exporters.len())
            .finish_non_exhaustive()
    }
}

impl Telemetry {
    /// Starts inside a tokio runtime. A collector that does not answer is no error: what cannot be
    /// delivered is dropped and counted.
    pub fn start(settings: Settings) -> Result<Self, StartError> {
        Self::start_trusting(settings, Trust::platform)
    }

    pub(crate) fn start_trusting(
        settings: Settings,
        platform: impl Fn() -> Result<Trust, rustls::Error>,
    ) -> Result<Self, StartError> {
        tokio::runtime::Handle::try_current()?;
        // a plain collector must be reachable where there are no certificates at all
        let trust = |to: &Endpoint| match to.uri.scheme_str() {
            Some("https") => platform(),
            _ => Ok(Trust::default()),
        };
        let redaction = Current::new(settings.redaction);
        let lines = match settings.log {
            LogFormat::Off => None,
            _ => Some(Lines::start(settings.log_to.unwrap_or_else(stdout))?),
        };
        let batch = settings.batch;
        let outbox = Arc::new(Outbox::new(batch.queue, batch.size));
        let losses = Losses {
            spans: outbox.clone(),
            lines: lines.clone(),
            metrics: Arc::default(),
        };
        let lost = losses.metrics.clone();
        let metrics = Arc::new(Metrics::new(&settings.prefix, losses));
        let mut observers: Vec<Arc<dyn Observer>> = vec![metrics.clone()];
        let mut tasks = Tasks::new(&settings.resource);
        if let Some(endpoint) = settings.traces {
            let ready = Arc::new(Notify::new());
            let trust = trust(&endpoint)?;
            tasks.spans(endpoint, trust, outbox.clone(), ready.clone(), batch);
            observers.push(Arc::new(Spans {
                keys: Keys::new(&settings.prefix),
                sampler: settings.sampler,
                outbox,
                ready,
                redaction: redaction.clone(),
            }));
        }
        if let Some(endpoint) = settings.metrics {
            let trust = trust(&endpoint)?;
            tasks.metrics(endpoint, trust, settings.metric_interval, &metrics, lost);
        }
        if let Some(lines) = &lines {
            observers.push(Arc::new(Log {
                format: settings.log,
                lines: lines.clone(),
                redaction: redaction.clone(),
            }));
        }
        tasks
            .tracker
            .spawn(lateness::measure(Arc::downgrade(&metrics)));
        Ok(Self(Arc::new(Inner {
            observer: Arc::new(Fan::new(observers)),
            metrics,
            sampler: settings.sampler,
            redaction,
            lines,
            exporters: tasks.exporters,
        })))
    }

    /// The observer to give to the engine's records.
    #[must_use]
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.0.observer.clone()
    }

    /// Sets the sampled flag of a request's trace as the sampler decides, so that the upstream is told.
    pub fn sample(&self, trace: &mut Trace) {
        trace.sampled = self.0.sampler.keeps(trace);
    }

    /// All metrics as Prometheus text, of the type [`METRICS_CONTENT_TYPE`](crate::METRICS_CONTENT_TYPE).
    #[must_use]
    pub fn metrics_text(&self) -> String {
        self.0.metrics.text()
    }

    /// Reads gauges that live elsewhere, each time somebody looks at the metrics. Must not block.
    pub fn register_gauges(&self, reader: Box<dyn Fn(&mut Gauges) + Send + Sync>) {
        self.0.metrics.read_also(reader);
    }

    /// A caller connected; the connection counts as open until the guard is dropped.
    #[must_use]
    pub fn connection_opened(&self) -> ConnectionGuard {
        ConnectionGuard::new(self.0.metrics.clone())
    }

    /// The configuration was reloaded, or could not be.
    pub fn note_reload(&self, succeeded: bool) {
        self.0.metrics.reloaded(succeeded);
    }

    /// A deadline header was not understood and is ignored.
    pub fn note_ignored_deadline(&self, header: &'static str) {
        self.0.metrics.ignored(header);
    }

    /// Keeps these secrets out from now on, in place of the former ones.
    pub fn redact(&self, redaction: Redaction) {
        self.0.redaction.replace(redaction);
    }

    /// Spans, log lines and exports of metrics that were lost since the start.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.metrics.dropped()
    }

    /// Delivers what has been gathered: spans, metrics, log lines. False if `timeout` was too short.
    pub async fn flush(&self, timeout: Duration) -> bool {
        let all = async {
            let mut waiting = Vec::new();
            waiting.extend(self.0.lines.as_ref().map(|lines| lines.flush()));
            for exporter in &self.0.exporters {
                let (done, sent) = oneshot::channel();
                if exporter.send(done).await.is_ok() {
                    waiting.push(sent);
                }
            }
            for done in waiting {
                let _ = done.await;
            }
        };
        tokio::time::timeout(timeout, all).await.is_ok()
    }
}

fn stdout() -> Box<dyn io::Write + Send> {
    Box::new(io::stdout())
}

#[cfg(test)]
mod tests;
