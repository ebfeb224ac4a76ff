//! The spans of requests, as the collector was sent them.

use crate::{gates::Mark, support::Collector};
use opentelemetry_proto::tonic::trace::v1::Span;
use std::{collections::HashMap, time::Duration};

pub type Trees = HashMap<String, Vec<Span>>;

/// The spans of these requests, by trace id, once all are closed.
pub async fn trees(collector: &Collector, marks: impl Iterator<Item = &Mark> + Clone) -> Trees {
    let n = marks.clone().count();
    let of = |spans: &[Span]| {
        let mut trees = Trees::new();
        for span in spans {
            trees
                .entry(hex(&span.trace_id))
                .or_default()
                .push(span.clone());
        }
        trees
    };
    let closed = |tree: Option<&Vec<Span>>| {
        tree.is_some_and(|t| t.iter().any(|s| s.name.starts_with("request.")))
    };
    let spans = collector.wait(|spans| {
        let trees = of(spans);
        marks.clone().filter(|m| closed(trees.get(&m.0))).count() == n
    });
    of(&spans.await)
}

pub fn of<'a>(tree: &'a [Span], name: &str) -> &'a Span {
    tree.iter()
        .find(|s| s.name.starts_with(name))
        .unwrap_or_else(|| panic!("no {name}"))
}

pub fn length(span: &Span) -> Duration {
    Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano)
}

/// A trace id as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
