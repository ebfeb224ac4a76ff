//! What to export, where to, how often.
//!
//! The environment is read the way every OpenTelemetry SDK reads it
//! (<https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>), so that an
//! operator needs to learn nothing; the fields are public, so that a configuration file can override it.
//! Without an endpoint nothing is exported. What cannot be understood becomes a warning and the default
//! stays: telemetry never keeps a gateway from starting because of a typo.

use crate::{log::LogFormat, redaction::Redaction, sampler::Sampler};
use http::{HeaderMap, Uri};
use std::{io::Write, sync::Arc, time::Duration};

mod env;
mod text;

/// Where one signal goes: OTLP over HTTP, protobuf-encoded.
#[derive(Clone)]
pub struct Endpoint {
    /// `http` or `https`, with the path of the signal.
    pub uri: Uri,
    /// Sent with every export; may hold credentials, so `Debug` shows names only.
    pub headers: HeaderMap,
    /// How long one export may take.
    pub timeout: Duration,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.uri.host())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// How spans are gathered; the `OTEL_BSP_*` variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Longest time a finished span waits.
    pub delay: Duration,
    /// Spans that may wait; more are dropped and counted.
    pub queue: usize,
    /// Spans in one export.
    pub size: usize,
}

impl Default for Batch {
    /// 5 s, 2,048 spans, 512 a batch: the defaults of the specification.
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(5),
            queue: 2048,
            size: 512,
        }
    }
}

/// All settings of [`Telemetry`](crate::Telemetry).
pub struct Settings {
    /// First part of attribute and metric names: `punctual`, or `agentproxy` and the like.
    pub prefix: Arc<str>,
    /// Attributes of the resource, `service.name` among them.
    pub resource: Vec<(String, String)>,
    /// Where spans go; `None` is nowhere.
    pub traces: Option<Endpoint>,
    /// Where metrics go; `None` is nowhere. They can be scraped in any case.
    pub metrics: Option<Endpoint>,
    /// Which traces are exported. Failures always are.
    pub sampler: Sampler,
    /// How spans are gathered.
    pub batch: Batch,
    /// How often metrics are exported.
    pub metric_interval: Duration,
    /// The form of the log line of each request.
    pub log: LogFormat,
    /// Where log lines go; `None` is standard output.
    pub log_to: Option<Box<dyn Write + Send>>,
    /// The secrets that must not appear.
    pub redaction: Redaction,
    /// What of the environment was not understood, for the log of the start.
    pub warnings: Vec<String>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("prefix", &self.prefix)
            .field("traces", &self.traces)
            .field("metrics", &self.metrics)
            .field("sampler", &self.sampler)
            .field("batch", &self.batch)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

impl Default for Settings {
    /// No export, JSON lines on standard output.
    fn default() -> Self {
        Self {
            prefix: Arc::from("punctual"),
            resource: env::resource(&|_| None, &mut Vec::new()),
            traces: None,
            metrics: None,
            sampler: Sampler::default(),
            batch: Batch::default(),
            metric_interval: Duration::from_secs(60),
            log: LogFormat::Json,
            log_to: None,
            redaction: Redaction::default(),
            warnings: Vec::new(),
        }
    }
}

impl Settings {
    /// The settings that the `OTEL_*` variables ask for; `get` reads one. An empty variable counts as unset.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        env::read(&|name| get(name).filter(|v| !v.trim().is_empty()))
    }

    /// As `self`, with this first part of names.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        self.prefix = Arc::from(prefix);
        self
    }

    /// As `self`, with log lines of this form.
    #[must_use]
    pub fn with_log(mut self, log: LogFormat) -> Self {
        self.log = log;
        self
    }

    /// As `self`, with log lines written there.
    #[must_use]
    pub fn with_log_to(mut self, to: impl Write + Send + 'static) -> Self {
        self.log_to = Some(Box::new(to));
        self
    }

    /// As `self`, with these secrets kept out.
    #[must_use]
    pub fn with_redaction(mut self, redaction: Redaction) -> Self {
        self.redaction = redaction;
        self
    }
}

#[cfg(test)]
mod tests;
