//! Which attribute may stand on which span, which must, and of what type: the table of `docs/telemetry.md`,
//! held against every span that is received.

use crate::{support::collector::attribute, verdict::Verdict};
use opentelemetry_proto::tonic::{common::v1::any_value::Value, trace::v1::Span};

/// Letters of spans: request, wait, attempt, upstream, backoff. Capitals must have it.
struct Row(&'static str, &'static str, char);

/// Name, spans, type: text, flag, count, milliseconds, list.
const TABLE: &[Row] = &[
    Row("error.type", "rwaub", 't'),
    Row("http.response.status_code", "Rau", 'c'),
    Row("punctual.target", "WAUb", 't'),
    Row("punctual.attempt", "WAU", 'c'),
    Row("punctual.reason", "rw", 't'),
    Row("punctual.queue.admitted", "W", 'f'),
    Row("punctual.queue.predicted_ms", "w", 'm'),
    Row("punctual.cooldown", "B", 'f'),
    Row("punctual.outcome", "R", 't'),
    Row("punctual.request_id", "R", 't'),
    Row("punctual.route", "r", 't'),
    Row("punctual.key", "r", 't'),
    Row("punctual.stream", "R", 'f'),
    Row("punctual.phase", "R", 't'),
    Row("punctual.attempt_count", "R", 'c'),
    Row("punctual.served_by", "r", 't'),
    Row("punctual.fallback_index", "R", 'c'),
    Row("punctual.possibly_billed_attempts", "R", 'c'),
    Row("punctual.retry_budget_empty", "r", 'f'),
    Row("punctual.committed", "R", 'f'),
    Row("punctual.committed_by", "r", 't'),
    Row("punctual.dropped", "r", 't'),
    Row("punctual.receive_ms", "R", 'm'),
    Row("punctual.queue_ms", "R", 'm'),
    Row("punctual.attempt_ms", "R", 'm'),
    Row("punctual.backoff_ms", "R", 'm'),
    Row("punctual.send_ms", "R", 'm'),
    Row("punctual.deadline.budget_ms", "r", 'm'),
    Row("punctual.deadline.source", "r", 't'),
    Row("punctual.deadline.source_class", "r", 't'),
    Row("punctual.deadline.header", "r", 't'),
    Row("punctual.heartbeats", "R", 'c'),
    Row("punctual.delivered_bytes", "R", 'c'),
    Row("punctual.content_events", "RA", 'c'),
    Row("punctual.timeout_type", "a", 't'),
    Row("punctual.limit_ms", "a", 'm'),
    Row("punctual.connect_ms", "a", 'm'),
    Row("punctual.tls_ms", "a", 'm'),
    Row("punctual.headers_ms", "a", 'm'),
    Row("punctual.first_content_ms", "a", 'm'),
    Row("punctual.connection.reused", "A", 'f'),
    Row("punctual.request_sent", "AU", 't'),
    Row("punctual.upstream_request_id", "au", 't'),
    Row("punctual.ambiguous", "A", 'f'),
    Row("punctual.retry_after_ms", "a", 'm'),
    Row("gen_ai.operation.name", "RU", 't'),
    Row("gen_ai.request.model", "ru", 't'),
    Row("gen_ai.response.model", "ra", 't'),
    Row("gen_ai.response.id", "ra", 't'),
    Row("gen_ai.response.finish_reasons", "ra", 'l'),
    Row("gen_ai.usage.input_tokens", "ra", 'c'),
    Row("gen_ai.usage.output_tokens", "ra", 'c'),
    Row("gen_ai.usage.cache_read.input_tokens", "ra", 'c'),
    Row("gen_ai.usage.reasoning.output_tokens", "ra", 'c'),
];

/// `STATUS_CODE_ERROR`.
const ERROR: i32 = 2;

/// The letter of a span, and the `SpanKind` that goes with it.
fn letter(name: &str) -> (char, i32) {
    match name {
        "queue.wait" => ('w', 1),
        "resilience.attempt" => ('a', 1),
        "resilience.backoff" => ('b', 1),
        name if name.starts_with("request.") => ('r', 2),
        _ => ('u', 3),
    }
}

pub fn check(span: &Span, verdict: &mut Verdict) {
    let (letter, kind) = letter(&span.name);
    let about = |what: &str| format!("{}: {what}", span.name);
    verdict.is(about("kind"), span.kind, kind);
    for a in &span.attributes {
        let name = a.key.as_str();
        let Some(Row(_, spans, of)) = TABLE.iter().find(|row| row.0 == name) else {
            verdict.complain(about(&format!("{name} is not documented")));
            continue;
        };
        verdict.holds(
            about(&format!("{name} does not belong here")),
            spans.to_lowercase().contains(letter),
        );
        let value = a.value.as_ref().and_then(|v| v.value.as_ref());
        let fits = match value {
            Some(Value::StringValue(_)) => *of == 't',
            Some(Value::BoolValue(_)) => *of == 'f',
            Some(Value::IntValue(n)) => *of == 'c' && *n >= 0,
            Some(Value::DoubleValue(ms)) => *of == 'm' && *ms >= 0.0,
            Some(Value::ArrayValue(_)) => *of == 'l',
            _ => false,
        };
        verdict.holds(about(&format!("{name} is {value:?}")), fits);
        let often = span.attributes.iter().filter(|b| b.key == a.key).count();
        verdict.is(about(name), often, 1);
    }
    let must = |row: &&Row| row.1.contains(letter.to_ascii_uppercase());
    for Row(name, ..) in TABLE.iter().filter(must) {
        let there = attribute(&span.attributes, name).is_some();
        verdict.holds(about(&format!("{name} is missing")), there);
    }
    let code = span.status.as_ref().map_or(0, |s| s.code);
    let failed = attribute(&span.attributes, "error.type").is_some();
    verdict.is(about("status is ERROR"), code == ERROR, failed);
    verdict.holds(
        about("status is OK, which is for operators to say"),
        code == ERROR || code == 0,
    );
}

/// The table is the documentation's: nothing is missing there.
#[test]
fn every_attribute_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/telemetry.md");
    let text = std::fs::read_to_string(path).unwrap();
    for Row(name, ..) in TABLE {
        let short = name.split('.').skip(1).map(|w| format!(".{w}"));
        let short: Vec<String> = short.collect();
        let ends = (0..short.len()).map(|at| format!("`{}`", short[at..].concat()));
        let named = ends.into_iter().any(|end| text.contains(&end));
        assert!(named || text.contains(&format!("`{name}`")), "{name}");
    }
}
