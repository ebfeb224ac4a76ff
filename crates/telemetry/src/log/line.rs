//! The JSON line. Its fields are documented in `docs/log.md` and by the schema beside this file.
//!
//! Every field is there in every line, `null` where nothing is to be said, in the order of the schema: whoever
//! reads lines by column or by eye can rely on it.

use super::{
    json::{Members, name},
    time::Timestamp,
};
use crate::{redaction::Redaction, words};
use punctual_core::{AttemptReport, Code, Outcome, Report, Timings};

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
    let mut m = Members(out);
    identity(&mut m, report);
    ending(&mut m, report, redaction);
    sums(&mut m, report);
    attempts(&mut m, report, redaction);
    answer(&mut m, report, redaction);
    deadline(&mut m, report);
    m.raw(b"}");
}

fn identity(m: &mut Members<'_>, report: &Report) {
    let ended = report.started_at.checked_add(report.elapsed);
    let ended = Timestamp(ended.unwrap_or(report.started_at));
    m.raw(b"{\"ts\":\"").raw(&ended.text()).raw(b"\"");
    m.word(name!("level"), level(report));
    m.word(name!("msg"), "request");
    m.text(name!("request_id"), &report.id);
    m.raw(name!("trace_id")).raw(b"\"");
    m.raw(&hex(&report.trace.id.0)).raw(b"\"");
    m.text_if(name!("route"), report.route.as_deref());
    m.text_if(name!("key"), report.key.as_deref());
    m.word(name!("surface"), report.surface.as_str());
    m.flag(name!("stream"), report.stream);
}

fn ending(m: &mut Members<'_>, report: &Report, redaction: &Redaction) {
    let outcome = report.outcome.map_or("cancelled", |o| o.as_str());
    m.word(name!("outcome"), outcome);
    m.word_if(name!("reason"), words::reason(report));
    m.count_if(name!("status"), report.status.map(u64::from));
    m.word_if(name!("error"), words::request_error(report));
    let message = words::failure_message(report, redaction);
    m.text_if(name!("message"), message.as_deref());
    m.word(name!("phase"), report.phase.as_str());
}

fn sums(m: &mut Members<'_>, report: &Report) {
    m.ms(name!("elapsed_ms"), report.elapsed);
    m.ms(name!("receive_ms"), report.receive);
    m.ms(name!("queue_ms"), report.queue);
    m.ms(name!("attempt_ms"), report.attempt);
    m.ms(name!("backoff_ms"), report.backoff);
    m.ms(name!("send_ms"), report.send());
    let first = report.first_content();
    let until_first = first.map(|at| at.saturating_duration_since(report.started));
    m.ms_if(name!("first_content_ms"), until_first);
}

fn attempts(m: &mut Members<'_>, report: &Report, redaction: &Redaction) {
    m.raw(name!("attempts")).raw(b"[");
    for (i, attempt) in report.attempts.iter().enumerate() {
        m.raw(if i == 0 { b"" } else { b"," });
        self::attempt(m, report, attempt, redaction);
    }
    m.raw(b"]");
}

fn attempt(m: &mut Members<'_>, report: &Report, a: &AttemptReport, redaction: &Redaction) {
    m.text(b"{\"target\":", &a.target);
    let code = words::attempt_error(report, a).unwrap_or("ok");
    m.word(name!("code"), code);
    m.ms(name!("ms"), a.length());
    m.count_if(name!("status"), a.status.map(u64::from));
    let (clock, limit) = a.timeout.unzip();
    m.word_if(name!("timeout_type"), clock.map(|c| c.as_str()));
    m.ms_if(name!("limit_ms"), limit);
    let message = words::attempt_message(a, redaction);
    m.text_if(name!("message"), message.as_deref());
    let id = a.request_id.as_deref().map(|id| redaction.scrub(id));
    m.text_if(name!("upstream_request_id"), id.as_deref());
    m.word(name!("sent"), a.sent.as_str());
    m.raw(b"}");
}

fn answer(m: &mut Members<'_>, report: &Report, redaction: &Redaction) {
    let usage = &report.summary.usage;
    m.raw(name!("usage")).raw(b"{\"input\":");
    m.count_if(b"", usage.input_tokens);
    m.count_if(name!("output"), usage.output_tokens);
    m.count_if(name!("cached_input"), usage.cached_input_tokens);
    m.count_if(name!("reasoning"), usage.reasoning_tokens);
    m.raw(b"}");
    let finish = report.summary.finish.as_deref();
    let finish = finish.map(|f| redaction.scrub(f));
    let finish = finish.as_deref().map(|f| words::shortened(f, 64));
    m.text_if(name!("finish"), finish);
    m.text_if(name!("served_by"), report.served_by.as_deref());
    m.count(name!("fallback_index"), report.fallback_index as u64);
    m.count(name!("heartbeats"), report.heartbeats);
    m.count(name!("delivered_bytes"), report.delivered_bytes);
    let billed = report.possibly_billed_attempts() as u64;
    m.count(name!("possibly_billed_attempts"), billed);
    timings(m, report);
    m.raw(name!("dropped")).raw(b"[");
    for (i, name) in report.summary.dropped.iter().enumerate() {
        m.text(if i == 0 { b"" } else { b"," }, name);
    }
    m.raw(b"]");
}

fn timings(m: &mut Members<'_>, report: &Report) {
    let said = &report.summary.timings;
    m.raw(name!("provider_ms"));
    if *said == Timings::default() {
        m.raw(b"null");
        return;
    }
    m.raw(b"{\"total\":");
    m.ms_if(b"", said.total);
    m.ms_if(name!("load"), said.load);
    m.ms_if(name!("prompt"), said.prompt);
    m.ms_if(name!("output"), said.output);
    m.raw(b"}");
}

fn deadline(m: &mut Members<'_>, report: &Report) {
    m.raw(name!("deadline"));
    match report.deadline.budget().zip(report.deadline.source()) {
        Some((budget, source)) => {
            m.ms(b"{\"budget_ms\":", budget);
            m.word(name!("source"), source.as_str());
            m.word_if(name!("header"), source.header());
            m.raw(b"}");
        }
        None => {
            m.raw(b"null");
        }
    }
}

/// Bytes as lower-case digits.
fn hex(bytes: &[u8; 16]) -> [u8; 32] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [b'0'; 32];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]);
    }
    text
}
