//! Encodes what is read at scrape time: gauges that live elsewhere, and what telemetry itself lost.

use super::{Gauges, Losses, Reader, labels::Signal};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
};
use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

/// The registry's way to what lives elsewhere.
pub(super) struct Elsewhere {
    pub(super) readers: Arc<RwLock<Vec<Reader>>>,
    pub(super) losses: Losses,
}

impl fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elsewhere").finish_non_exhaustive()
    }
}

impl Collector for Elsewhere {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut gauges = Gauges::default();
        for reader in self
            .readers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            reader(&mut gauges);
        }
        for (what, series) in &gauges.read {
            let help = format!("{}.", what.help);
            let mut family =
                encoder.encode_descriptor(what.name, &help, None, MetricType::Gauge)?;
            if let Some(value) = series.get(&Vec::new()) {
                ConstGauge::new(*value).encode(family)?;
                continue;
            }
            for (labels, value) in series {
                let labels: Vec<(&str, &str)> =
                    labels.iter().map(|(k, v)| (*k, v.as_str())).collect();
                ConstGauge::new(*value).encode(family.encode_family(&labels)?)?;
            }
        }
        let help = "What telemetry could not deliver: spans, log lines, exports of metrics.";
        let mut family =
            encoder.encode_descriptor("telemetry_dropped", help, None, MetricType::Counter)?;
        for (signal, lost) in self.losses.counts() {
            ConstCounter::new(lost).encode(family.encode_family(&Signal { signal })?)?;
        }
        Ok(())
    }
}
