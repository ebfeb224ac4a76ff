//! What Punctual says about itself: spans, metrics and one log line per request.
//!
//! The engine tells an [`Observer`](punctual_core::Observer) what happens to requests; this crate is the
//! observers. A [`Telemetry`] is started once from [`Settings`], gives out one observer, and takes what the
//! engine cannot know: connections, gauges read at scrape time, configuration reloads.
//!
//! What must hold: nothing here blocks a request, every buffer is bounded, what does not fit is dropped and
//! counted, and [`Telemetry::flush`] delivers the rest before the process ends. No credential, no prompt
//! and no upstream URL passes; labels come from configuration only. A span, a metric update and a log line
//! together cost a request a few microseconds, encoding included.

mod export;
mod fan;
mod lateness;
mod log;
mod metrics;
mod protobuf;
mod redaction;
mod sampler;
#[cfg(test)]
mod scene;
mod settings;
mod spans;
mod telemetry;
mod words;

pub use fan::Fan;
pub use log::{LOG_SCHEMA, LogFormat};
pub use metrics::{Breaker, ConnectionGuard, Gauges, METRICS_CONTENT_TYPE};
pub use redaction::Redaction;
pub use sampler::{Root, Sampler};
pub use settings::{Batch, Endpoint, Settings};
pub use telemetry::{StartError, Telemetry};
