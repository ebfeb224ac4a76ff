//! The log line of a request, held against its spans, its row, and what its caller's socket saw.

use crate::{
    kinds::{Before, Kind},
    play::Played,
    schema,
    support::collector::attribute,
    tree::{self, Part, Tree},
    verdict::Verdict,
};
use serde_json::Value;

/// Times are written in microseconds.
const ROUNDING_MS: f64 = 0.05;
/// The longest wait for a permit that is free (contract §7.3).
const FREE_MS: f64 = 5.0;
/// The comment that keeps a silent stream alive.
const HEARTBEAT: &str = ": waiting\n";

/// What the row says must be so.
pub fn as_the_row_says(line: &Value, kind: &Kind, verdict: &mut Verdict) {
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    verdict.is("outcome", text("outcome"), kind.outcome);
    verdict.is("error", text("error"), kind.error);
    verdict.is("reason", text("reason"), kind.reason);
    verdict.is("phase", text("phase"), kind.phase);
    verdict.is("status", &line["status"], &Value::from(kind.status));
    if let Some(tokens) = kind.tokens {
        verdict.is("tokens", &line["usage"]["output"], &Value::from(tokens));
    }
    let route = if kind.is_served() { kind.name } else { "" };
    verdict.is("route", text("route"), route);
    let stream = kind.is_stream() && kind.is_served() && !text("route").is_empty();
    verdict.is("stream", line["stream"].as_bool(), Some(stream));
    let queued = line["queue_ms"].as_f64().unwrap_or(f64::NAN);
    let free = kind.before == Before::Nothing;
    verdict.holds(
        format!("a free lane took {queued} ms"),
        !free || queued < FREE_MS + verdict.slack_ms,
    );
    let beats = line["heartbeats"].as_u64() > Some(0);
    verdict.is("heartbeats", beats, kind.route.contains("heartbeat"));
}

/// The caller's socket saw what is recorded.
pub fn as_the_caller_saw(line: &Value, played: &Played, verdict: &mut Verdict) {
    schema::check(line, verdict);
    let saw = played.status.map_or(Value::from(499), Value::from);
    verdict.is("the status", &line["status"], &saw);
    let outcome = line["outcome"].as_str().unwrap_or_default();
    let Some(answer) = &played.answer else {
        // a caller that left with the last event in its hands was served
        return verdict.holds(
            format!("outcome {outcome} of one that left"),
            ["cancelled", "ok"].contains(&outcome),
        );
    };
    verdict.is(
        "x-request-id",
        answer.header("x-request-id"),
        Some(played.id.as_str()),
    );
    let error = line["error"].as_str();
    let text = answer.text();
    let streamed = answer
        .header("content-type")
        .is_some_and(|t| t.starts_with("text/event-stream"));
    // a panic in a body leaves nothing that could say so
    let cut = streamed && error == Some("internal");
    verdict.is("the answer is complete", answer.complete, !cut);
    if cut {
        verdict.holds("[DONE] of a cut answer", !answer.done());
    } else if streamed {
        let errors = answer.error_events();
        let codes: Vec<_> = errors.iter().map(|e| e["code"].as_str()).collect();
        let wanted: Vec<_> = error.map(Some).into_iter().collect();
        verdict.is("error events", codes, wanted);
        verdict.is("[DONE]", answer.done(), outcome == "ok");
    } else if answer.status >= 400 {
        // an upstream's own words about a caller's mistake are passed on
        let ours = outcome != "upstream_rejected";
        verdict.holds(
            format!("code {} in the answer", answer.code()),
            !ours || Some(answer.code().as_str()) == error,
        );
    }
    verdict.is(
        "an answer under 200 of an error",
        outcome == "ok",
        error.is_none(),
    );
    if outcome == "ok" {
        let bytes = text.len() - HEARTBEAT.len() * text.matches(HEARTBEAT).count();
        verdict.is(
            "delivered_bytes",
            line["delivered_bytes"].as_u64(),
            Some(bytes as u64),
        );
        let beats = text.matches(HEARTBEAT).count() as u64;
        verdict.is("heartbeats", line["heartbeats"].as_u64(), Some(beats));
        if beats == 0 {
            let by = answer.header("x-punctual-target");
            verdict.is("x-punctual-target", by, line["served_by"].as_str());
            let attempts = line["attempts"].as_array().map(|a| a.len().to_string());
            verdict.is(
                "x-punctual-attempts",
                answer.header("x-punctual-attempts"),
                attempts.as_deref(),
            );
        }
    }
}

/// The spans say the same.
pub fn as_the_spans_say(line: &Value, tree: &Tree, verdict: &mut Verdict) {
    let root = |name: &str| attribute(&tree.root.attributes, name);
    for (field, name) in [
        ("outcome", "punctual.outcome"),
        ("status", "http.response.status_code"),
        ("error", "error.type"),
        ("reason", "punctual.reason"),
        ("phase", "punctual.phase"),
        ("route", "punctual.route"),
        ("key", "punctual.key"),
        ("request_id", "punctual.request_id"),
        ("served_by", "punctual.served_by"),
        ("fallback_index", "punctual.fallback_index"),
        ("heartbeats", "punctual.heartbeats"),
        ("delivered_bytes", "punctual.delivered_bytes"),
        (
            "possibly_billed_attempts",
            "punctual.possibly_billed_attempts",
        ),
    ] {
        verdict.is(field, written(&line[field]), root(name));
    }
    for (field, name) in [
        ("input", "gen_ai.usage.input_tokens"),
        ("output", "gen_ai.usage.output_tokens"),
    ] {
        verdict.is(field, written(&line["usage"][field]), root(name));
    }
    let elapsed = line["elapsed_ms"].as_f64().unwrap_or(f64::NAN);
    let off = (elapsed - tree::ms(&tree.root)).abs();
    verdict.holds(format!("elapsed_ms is off by {off}"), off < ROUNDING_MS);
    let none = Vec::new();
    let attempts = line["attempts"].as_array().unwrap_or(&none);
    let spans: Vec<_> = tree
        .parts
        .iter()
        .filter(|p| p.is("resilience.attempt"))
        .collect();
    verdict.is("attempts", attempts.len(), spans.len());
    verdict.is(
        "attempt_count",
        root("punctual.attempt_count"),
        Some(spans.len().to_string()),
    );
    for (n, (attempt, span)) in attempts.iter().zip(spans).enumerate() {
        verdict.is(
            "the attempt's number",
            span.says("punctual.attempt"),
            Some((n + 1).to_string()),
        );
        as_an_attempt_says(attempt, span, verdict);
    }
}

fn as_an_attempt_says(line: &Value, part: &Part, verdict: &mut Verdict) {
    let code = line["code"]
        .as_str()
        .filter(|c| *c != "ok")
        .map(str::to_owned);
    verdict.is("an attempt's code", code, part.says("error.type"));
    for (field, name) in [
        ("target", "punctual.target"),
        ("status", "http.response.status_code"),
        ("timeout_type", "punctual.timeout_type"),
        ("sent", "punctual.request_sent"),
        ("upstream_request_id", "punctual.upstream_request_id"),
    ] {
        verdict.is(
            format!("an attempt's {field}"),
            written(&line[field]),
            part.says(name),
        );
    }
    let answered = part.says("http.response.status_code").is_some();
    verdict.is(
        "sent is yes",
        part.says("punctual.request_sent") == Some("yes".into()),
        answered,
    );
    let upstream = part.upstream.as_ref();
    for name in [
        "error.type",
        "http.response.status_code",
        "punctual.target",
        "punctual.attempt",
    ] {
        let said = upstream.and_then(|u| attribute(&u.attributes, name));
        verdict.is(format!("the exchange's {name}"), said, part.says(name));
    }
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
