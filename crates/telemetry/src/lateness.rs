//! How late the process's own timers fire.
//!
//! When a request is slow, this tells "we were starved" from "the upstream was slow". A task asks for a
//! timer every 100 ms, armed as the engine arms its own, and records by how much it was missed.

use crate::metrics::Metrics;
use punctual_core::arm;
use std::{sync::Weak, time::Duration};
use tokio::time::Instant;

const EVERY: Duration = Duration::from_millis(100);

/// Measures until the metrics are gone.
pub(crate) async fn measure(metrics: Weak<Metrics>) {
    loop {
        let at = Instant::now() + EVERY;
        arm(at).await;
        let Some(metrics) = metrics.upgrade() else {
            return;
        };
        metrics.late(at.elapsed());
    }
}
