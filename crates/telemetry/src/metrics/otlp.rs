//! The registry as an OTLP export, read from its own OpenMetrics text.
//!
//! There is one registry; what OTLP carries is what a scrape would show, under the same names. The text is
//! ours, so reading it back needs no more than its grammar as the encoder writes it
//! (<https://prometheus.io/docs/specs/om/open_metrics_spec/>): comments that open a family, then
//! `name{labels} value` lines. Counters become cumulative monotonic sums, histograms keep their bounds.

use crate::export::Envelope;
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    common::v1::{AnyValue, KeyValue, any_value},
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
        ResourceMetrics, ScopeMetrics, Sum, metric::Data, number_data_point,
    },
};
use prost::Message;
use std::time::{SystemTime, UNIX_EPOCH};

/// The span of time an export covers, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) started: u64,
    pub(crate) now: u64,
}

/// Now, in nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// An encoded `ExportMetricsServiceRequest` of what `text` shows.
pub(crate) fn encode(text: &str, envelope: &Envelope, window: Window) -> Vec<u8> {
    let scope = ScopeMetrics {
        scope: Some(envelope.scope.clone()),
        metrics: metrics(text, window),
        ..ScopeMetrics::default()
    };
    let resource = ResourceMetrics {
        resource: Some(envelope.resource.clone()),
        scope_metrics: vec![scope],
        ..ResourceMetrics::default()
    };
    ExportMetricsServiceRequest {
        resource_metrics: vec![resource],
    }
    .encode_to_vec()
}

fn metrics(text: &str, window: Window) -> Vec<Metric> {
    let mut out: Vec<Metric> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(comment) => open(&mut out, comment),
            None => {
                if let (Some(metric), Some(sample)) = (out.last_mut(), Sample::read(line)) {
                    add(metric, sample, window);
                }
            }
        }
    }
    out
}

/// `HELP name text`, `TYPE name kind` or `UNIT name unit`.
fn open(out: &mut Vec<Metric>, comment: &str) {
    let mut words = comment.splitn(3, ' ');
    let (Some(what), Some(name), Some(rest)) = (words.next(), words.next(), words.next()) else {
        return;
    };
    if what == "HELP" {
        out.push(Metric {
            name: name.to_owned(),
            description: rest.to_owned(),
            ..Metric::default()
        });
    }
    let Some(metric) = out.last_mut() else { return };
    match (what, rest) {
        ("TYPE", "counter") => {
            metric.data = Some(Data::Sum(Sum {
                aggregation_temporality: AggregationTemporality::Cumulative.into(),
                is_monotonic: true,
                ..Sum::default()
            }));
        }
        ("TYPE", "histogram") => {
            metric.data = Some(Data::Histogram(Histogram {
                aggregation_temporality: AggregationTemporality::Cumulative.into(),
                ..Histogram::default()
            }));
        }
        ("TYPE", _) => metric.data = Some(Data::Gauge(Gauge::default())),
        ("UNIT", "seconds") => metric.unit = "s".to_owned(),
        ("UNIT", "bytes") => metric.unit = "By".to_owned(),
        _ => {}
    }
}

fn add(metric: &mut Metric, sample: Sample, window: Window) {
    match &mut metric.data {
        Some(Data::Sum(sum)) => sum.data_points.push(sample.number(window)),
        Some(Data::Gauge(gauge)) => gauge.data_points.push(sample.number(window)),
        Some(Data::Histogram(histogram)) => {
            sample.into_histogram(&mut histogram.data_points, window)
        }
        _ => {}
    }
}

/// One line.
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    bound: Option<f64>,
    value: f64,
}

impl Sample {
    fn read(line: &str) -> Option<Self> {
        let (name, rest) = match line.find(['{', ' ']) {
            Some(at) => line.split_at_checked(at)?,
            None => return None,
        };
        let (labels, value) = match rest.strip_prefix('{') {
            Some(inside) => labels(inside)?,
            None => (Vec::new(), rest),
        };
        let mut sample = Self {
            name: name.to_owned(),
            labels,
            bound: None,
            value: value.trim().parse().ok()?,
        };
        if let Some(at) = sample.labels.iter().position(|(k, _)| k == "le") {
            let (_, bound) = sample.labels.swap_remove(at);
            sample.bound = bound.trim_start_matches('+').parse().ok();
        }
        sample.labels.sort_unstable();
        Some(sample)
    }

    fn attributes(&self) -> Vec<KeyValue> {
        let of = |(key, value): &(String, String)| KeyValue {
            key: key.clone(),
            value: Some(AnyValue {
                value: Some(any_value::Value::StringValue(value.clone())),
            }),
            ..KeyValue::default()
        };
        self.labels.iter().map(of).collect()
    }

    fn number(&self, window: Window) -> NumberDataPoint {
        NumberDataPoint {
            attributes: self.attributes(),
            start_time_unix_nano: window.started,
            time_unix_nano: window.now,
            value: Some(number_data_point::Value::AsDouble(self.value)),
            ..NumberDataPoint::default()
        }
    }

    /// The lines of a series follow each other: sum, count, then buckets from the lowest bound.
    fn into_histogram(self, points: &mut Vec<HistogramDataPoint>, window: Window) {
        if self.name.ends_with("_sum") {
            points.push(HistogramDataPoint {
                attributes: self.attributes(),
                start_time_unix_nano: window.started,
                time_unix_nano: window.now,
                sum: Some(self.value),
                ..HistogramDataPoint::default()
            });
            return;
        }
        let Some(point) = points.last_mut() else {
            return;
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let count = self.value as u64;
        match self.bound {
            None => point.count = count,
            Some(bound) => {
                // OTLP counts each bucket alone, the text counts all up to the bound
                let below: u64 = point.bucket_counts.iter().sum();
                point.bucket_counts.push(count.saturating_sub(below));
                if bound.is_finite() {
                    point.explicit_bounds.push(bound);
                }
            }
        }
    }
}

/// `key="value",…}` and what follows it.
fn labels(mut rest: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut out = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((out, after));
        }
        let (key, after) = rest.split_once("=\"")?;
        let (value, after) = quoted(after)?;
        out.push((key.trim_start_matches(',').to_owned(), value));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
}

/// A value up to its closing quote, unescaped.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
