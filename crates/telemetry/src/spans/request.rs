//! The request's own span, and the waits and pauses below it.

use super::{
    attributes::Attributes,
    keys::Keys,
    span::{Frame, Kind, failed},
};
use crate::{redaction::Redaction, words};
use punctual_core::{BackoffReport, QueueReport, Report, Surface};

/// `gen_ai.operation.name`, as the semantic conventions name operations.
pub(super) const fn operation(surface: Surface) -> &'static str {
    match surface {
        Surface::Completions => "text_completion",
        Surface::Responses | Surface::Messages => "chat",
        other => other.as_str(),
    }
}

/// `queue.wait`.
pub(super) fn queue_wait(out: &mut Vec<u8>, keys: &Keys, report: &Report, wait: &QueueReport) {
    let frame = Frame {
        report,
        id: wait.span,
        parent: Some(report.trace.span),
        name: ("queue.", "wait"),
        kind: Kind::Internal,
        started: wait.started,
        ended: wait.ended,
    };
    let mut a = frame.write(out);
    a.flag(&keys.admitted, wait.admitted);
    a.count(&keys.attempt, u64::from(wait.attempt));
    a.text(&keys.target, &wait.target);
    a.text_if(&keys.reason, wait.refused);
    a.ms_if(&keys.predicted, wait.predicted);
    let error = words::queue_error(report, wait);
    a.text_if(&keys.error, error);
    if error.is_some() {
        failed(out, "");
    }
}

/// `resilience.backoff`.
pub(super) fn backoff(out: &mut Vec<u8>, keys: &Keys, report: &Report, pause: &BackoffReport) {
    let frame = Frame {
        report,
        id: pause.span,
        parent: Some(report.trace.span),
        name: ("resilience.", "backoff"),
        kind: Kind::Internal,
        started: pause.started,
        ended: pause.ended,
    };
    let mut a = frame.write(out);
    a.text_if(&keys.target, pause.target.as_deref());
    a.flag(&keys.cooldown, pause.cooldown);
    let error = words::backoff_error(report, pause);
    a.text_if(&keys.error, error);
    if error.is_some() {
        failed(out, "");
    }
}

/// `request.<surface>`.
pub(super) fn request(out: &mut Vec<u8>, keys: &Keys, report: &Report, redaction: &Redaction) {
    let frame = Frame {
        report,
        id: report.trace.span,
        parent: report.trace.parent,
        name: ("request.", report.surface.as_str()),
        kind: Kind::Server,
        started: report.started,
        ended: report
            .started
            .checked_add(report.elapsed)
            .unwrap_or(report.started),
    };
    let mut a = frame.write(out);
    identity(&mut a, keys, report);
    ending(&mut a, keys, report);
    sums(&mut a, keys, report);
    answer(&mut a, keys, report, redaction);
    if words::request_failed(report) {
        let said = words::failure_message(report, redaction).unwrap_or_default();
        failed(out, &said);
    }
}

fn identity(a: &mut Attributes<'_>, keys: &Keys, report: &Report) {
    a.text(&keys.request_id, &report.id);
    a.text(&keys.operation, operation(report.surface));
    a.text_if(&keys.route, report.route.as_deref());
    a.text_if(&keys.request_model, report.route.as_deref());
    a.text_if(&keys.key, report.key.as_deref());
    a.flag(&keys.stream, report.stream);
    let deadline = &report.deadline;
    a.ms_if(&keys.budget_ms, deadline.budget());
    if let Some(source) = deadline.source() {
        a.text(&keys.source, source.as_str());
        a.text(&keys.source_class, source.class().as_str());
        a.text_if(&keys.source_header, source.header());
    }
}

fn ending(a: &mut Attributes<'_>, keys: &Keys, report: &Report) {
    a.text_if(&keys.outcome, report.outcome.map(|o| o.as_str()));
    a.text_if(&keys.error, words::request_error(report));
    a.text_if(&keys.reason, words::reason(report));
    a.count_if(&keys.status, report.status.map(u64::from));
    a.text(&keys.phase, report.phase.as_str());
    a.count(&keys.attempt_count, u64::from(report.attempt_count()));
    a.text_if(&keys.served_by, report.served_by.as_deref());
    a.count(&keys.fallback_index, report.fallback_index as u64);
    a.flag(&keys.committed, report.committed.is_some());
    a.text_if(&keys.committed_by, report.committed_by);
    if !report.summary.dropped.is_empty() {
        a.text_if(&keys.dropped, Some(&*report.summary.dropped.join(", ")));
    }
    let billed = report.possibly_billed_attempts() as u64;
    a.count(&keys.billed, billed);
    if report.attempts.iter().any(|a| a.retry_budget_empty) {
        a.flag(&keys.budget_empty, true);
    }
}

fn sums(a: &mut Attributes<'_>, keys: &Keys, report: &Report) {
    a.ms(&keys.receive_ms, report.receive);
    a.ms(&keys.queue_ms, report.queue);
    a.ms(&keys.attempt_ms, report.attempt);
    a.ms(&keys.backoff_ms, report.backoff);
    a.ms(&keys.send_ms, report.send());
    a.count(&keys.heartbeats, report.heartbeats);
    a.count(&keys.delivered, report.delivered_bytes);
}

fn answer(a: &mut Attributes<'_>, keys: &Keys, report: &Report, redaction: &Redaction) {
    let summary = &report.summary;
    a.count(&keys.content_events, summary.content_events);
    a.foreign(&keys.response_model, summary.model.as_deref(), redaction);
    a.foreign(&keys.response_id, summary.response_id.as_deref(), redaction);
    a.foreign_list(&keys.finish, summary.finish.as_deref(), redaction);
    usage(a, keys, &summary.usage);
}

/// `gen_ai.usage.*`: on the request and its attempts, nowhere else.
pub(super) fn usage(a: &mut Attributes<'_>, keys: &Keys, usage: &punctual_core::Usage) {
    a.count_if(&keys.input_tokens, usage.input_tokens);
    a.count_if(&keys.output_tokens, usage.output_tokens);
    a.count_if(&keys.cached_tokens, usage.cached_input_tokens);
    a.count_if(&keys.reasoning_tokens, usage.reasoning_tokens);
}
