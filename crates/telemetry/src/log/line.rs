//! The JSON line. Its fields are documented in `docs/log.md` and by the schema beside this file.

use super::time::Timestamp;
use crate::{
    redaction::Redaction,
    words::{self, millis},
};
use punctual_core::{AttemptReport, Code, Outcome, Report, Usage};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Line<'a> {
    ts: Timestamp,
    level: &'static str,
    msg: &'static str,
    request_id: &'a str,
    trace_id: Hex<'a>,
    route: Option<&'a str>,
    key: Option<&'a str>,
    surface: &'static str,
    stream: bool,
    outcome: &'static str,
    reason: Option<&'static str>,
    status: Option<u16>,
    error: Option<&'static str>,
    message: Option<String>,
    phase: &'static str,
    elapsed_ms: f64,
    receive_ms: f64,
    queue_ms: f64,
    attempt_ms: f64,
    backoff_ms: f64,
    send_ms: f64,
    first_content_ms: Option<f64>,
    attempts: Attempts<'a>,
    usage: Tokens,
    finish: Option<&'a str>,
    served_by: Option<&'a str>,
    fallback_index: usize,
    heartbeats: u64,
    delivered_bytes: u64,
    possibly_billed_attempts: usize,
    deadline: Option<Limit>,
}

#[derive(Serialize)]
struct Limit {
    budget_ms: f64,
    source: &'static str,
    header: Option<&'static str>,
}

#[derive(Serialize)]
struct Tokens {
    input: Option<u64>,
    output: Option<u64>,
    cached_input: Option<u64>,
    reasoning: Option<u64>,
}

impl From<Usage> for Tokens {
    fn from(u: Usage) -> Self {
        Self {
            input: u.input_tokens,
            output: u.output_tokens,
            cached_input: u.cached_input_tokens,
            reasoning: u.reasoning_tokens,
        }
    }
}

/// Bytes as lower-case digits.
struct Hex<'a>(&'a [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'0'; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ]);
        }
        s.serialize_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

struct Attempts<'a>(&'a Report, &'a Redaction);

impl Serialize for Attempts<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let attempts = self.0.attempts.iter();
        s.collect_seq(attempts.map(|a| Attempt::of(self.0, a, self.1)))
    }
}

#[derive(Serialize)]
struct Attempt<'a> {
    target: &'a str,
    code: &'static str,
    ms: f64,
    status: Option<u16>,
    timeout_type: Option<&'static str>,
    limit_ms: Option<f64>,
    message: Option<String>,
    upstream_request_id: Option<std::borrow::Cow<'a, str>>,
    sent: &'static str,
}

impl<'a> Attempt<'a> {
    fn of(report: &Report, a: &'a AttemptReport, redaction: &Redaction) -> Self {
        Self {
            target: &a.target,
            code: words::attempt_error(report, a).unwrap_or("ok"),
            ms: millis(a.length()),
            status: a.status,
            timeout_type: a.timeout.map(|(clock, _)| clock.as_str()),
            limit_ms: a.timeout.map(|(_, limit)| millis(limit)),
            message: words::attempt_message(a, redaction),
            upstream_request_id: a.request_id.as_deref().map(|id| redaction.scrub(id)),
            sent: a.sent.as_str(),
        }
    }
}

/// How loud a line is.
pub(super) fn level(report: &Report) -> &'static str {
    match report.outcome {
        _ if report
            .failure
            .as_ref()
            .is_some_and(|f| f.code == Code::Internal) =>
        {
            "error"
        }
        Some(Outcome::Failed | Outcome::Truncated | Outcome::DeadlineExceeded) => "warn",
        _ => "info",
    }
}

/// Appends the line of a finished request, without its end.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, redaction: &Redaction) {
    let finish = report.summary.finish.as_deref();
    let finish = finish.map(|f| redaction.scrub(f));
    let ended = report.started_at.checked_add(report.elapsed);
    let line =
        Line {
            ts: Timestamp(ended.unwrap_or(report.started_at)),
            level: level(report),
            msg: "request",
            request_id: &report.id,
            trace_id: Hex(&report.trace.id.0),
            route: report.route.as_deref(),
            key: report.key.as_deref(),
            surface: report.surface.as_str(),
            stream: report.stream,
            outcome: report.outcome.map_or("cancelled", |o| o.as_str()),
            reason: words::reason(report),
            status: report.status,
            error: words::request_error(report),
            message: words::failure_message(report, redaction),
            phase: report.phase.as_str(),
            elapsed_ms: millis(report.elapsed),
            receive_ms: millis(report.receive),
            queue_ms: millis(report.queue),
            attempt_ms: millis(report.attempt),
            backoff_ms: millis(report.backoff),
            send_ms: millis(report.send()),
            first_content_ms: report
                .first_content()
                .map(|at| millis(at.saturating_duration_since(report.started))),
            attempts: Attempts(report, redaction),
            usage: report.summary.usage.into(),
            finish: finish.as_deref().map(|f| words::shortened(f, 64)),
            served_by: report.served_by.as_deref(),
            fallback_index: report.fallback_index,
            heartbeats: report.heartbeats,
            delivered_bytes: report.delivered_bytes,
            possibly_billed_attempts: report.possibly_billed_attempts(),
            deadline: report.deadline.budget().zip(report.deadline.source()).map(
                |(budget, source)| Limit {
                    budget_ms: millis(budget),
                    source: source.as_str(),
                    header: source.header(),
                },
            ),
        };
    // a vector takes everything and no field can fail
    let _ = serde_json::to_writer(out, &line);
}
