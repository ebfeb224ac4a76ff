//! Metrics, added up: what a scrape and the last export show is what lines and spans tell one by one.

use crate::support::collector::attribute;
use crate::verdict::Verdict;
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    metrics::v1::{metric::Data, number_data_point},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Counts by `name{labels}`.
pub type Counts = BTreeMap<String, f64>;

/// The samples of a scrape.
pub fn scraped(text: &str) -> Counts {
    let samples = text.lines().filter(|l| !l.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    samples.filter_map(sample).collect()
}

/// The counters of an export, under the names of a scrape.
pub fn exported(export: &ExportMetricsServiceRequest) -> Counts {
    let scopes = export
        .resource_metrics
        .iter()
        .flat_map(|r| &r.scope_metrics);
    let mut counts = Counts::new();
    for metric in scopes.flat_map(|s| &s.metrics) {
        let Some(Data::Sum(sum)) = &metric.data else {
            continue;
        };
        for point in &sum.data_points {
            let label = |name: &str| {
                let value = attribute(&point.attributes, name)?;
                Some(format!("{name}=\"{value}\""))
            };
            let labels = ["route", "target", "outcome", "code", "kind"]
                .into_iter()
                .filter_map(label);
            let labels = labels.collect::<Vec<_>>().join(",");
            let value = match point.value {
                Some(number_data_point::Value::AsDouble(d)) => d,
                #[expect(clippy::cast_precision_loss, reason = "small counts")]
                Some(number_data_point::Value::AsInt(n)) => n as f64,
                None => f64::NAN,
            };
            counts.insert(format!("{}_total{{{labels}}}", metric.name), value);
        }
    }
    counts
}

/// What the lines come to, as counters.
pub fn of_lines(lines: &[Value]) -> Counts {
    let mut counts = Counts::new();
    let mut count = |name: String, by: f64| *counts.entry(name).or_default() += by;
    for line in lines {
        let text = |name: &str| line[name].as_str();
        let (route, outcome) = (
            text("route").unwrap_or("none"),
            text("outcome").unwrap_or("?"),
        );
        count(
            format!("punctual_requests_total{{route=\"{route}\",outcome=\"{outcome}\"}}"),
            1.0,
        );
        if let Some(code) = text("error") {
            count(
                format!("punctual_request_errors_total{{route=\"{route}\",code=\"{code}\"}}"),
                1.0,
            );
        }
        for attempt in line["attempts"].as_array().into_iter().flatten() {
            let (target, code) = (
                attempt["target"].as_str().unwrap(),
                attempt["code"].as_str().unwrap(),
            );
            count(
                format!("punctual_attempts_total{{target=\"{target}\",outcome=\"{code}\"}}"),
                1.0,
            );
        }
        if let Some(beats) = line["heartbeats"].as_f64().filter(|b| *b > 0.0) {
            count(
                format!("punctual_heartbeats_total{{route=\"{route}\"}}"),
                beats,
            );
        }
    }
    counts
}

/// Complains of every counter of these families that is not the same in both.
pub fn compare(shown: &Counts, told: &Counts, verdict: &mut Verdict) {
    let families = [
        "requests_total",
        "request_errors_total",
        "attempts_total",
        "heartbeats_total",
    ];
    let counted = |name: &&String| {
        families
            .iter()
            .any(|f| name.starts_with(&format!("punctual_{f}{{")))
    };
    for name in shown.keys().chain(told.keys()).filter(counted) {
        let of = |counts: &Counts| counts.get(name).copied().unwrap_or(0.0);
        verdict.is(name, of(shown), of(told));
    }
}

/// The sum over all series of a family.
pub fn total(counts: &Counts, family: &str) -> f64 {
    let of = |name: &str| name == family || name.starts_with(&format!("{family}{{"));
    counts
        .iter()
        .filter(|(name, _)| of(name))
        .map(|(_, value)| value)
        .sum()
}

/// A small count.
pub fn float(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::NAN, f64::from)
}
