//! The spans of one attempt: what we decided (`resilience.attempt`), and the exchange itself
//! (`upstream.<surface>`), whose context the upstream was given.
//!
//! Both last until the upstream's last byte, both say what the upstream said. Tokens and finish reasons are
//! on the attempt only, so that a sum over spans counts them once beside the request.

use super::{
    attributes::Attributes,
    keys::Keys,
    request::{operation, usage},
    span::{Frame, Kind, failed},
};
use crate::{redaction::Redaction, words};
use punctual_core::{AttemptReport, Report, Sent};

/// `resilience.attempt`.
pub(super) fn attempt(
    out: &mut Vec<u8>,
    keys: &Keys,
    report: &Report,
    attempt: &AttemptReport,
    redaction: &Redaction,
) {
    let frame = Frame {
        report,
        id: attempt.span,
        parent: Some(report.trace.span),
        name: ("resilience.", "attempt"),
        kind: Kind::Internal,
        started: attempt.started,
        ended: attempt.ended,
    };
    let mut a = frame.write(out);
    said(&mut a, keys, report, attempt, redaction);
    times(&mut a, keys, attempt);
    a.count(&keys.content_events, attempt.content_events);
    a.foreign_list(&keys.finish, attempt.finish.as_deref(), redaction);
    a.foreign(&keys.response_model, attempt.model.as_deref(), redaction);
    if attempt.completed {
        let id = report.summary.response_id.as_deref();
        a.foreign(&keys.response_id, id, redaction);
    }
    usage(&mut a, keys, &attempt.usage);
    status(out, report, attempt, redaction);
}

/// `upstream.<surface>`.
pub(super) fn upstream(
    out: &mut Vec<u8>,
    keys: &Keys,
    report: &Report,
    attempt: &AttemptReport,
    redaction: &Redaction,
) {
    let frame = Frame {
        report,
        id: attempt.upstream_span,
        parent: Some(attempt.span),
        name: ("upstream.", report.surface.as_str()),
        kind: Kind::Client,
        started: attempt.started,
        ended: attempt.ended,
    };
    let mut a = frame.write(out);
    a.text(&keys.operation, operation(report.surface));
    a.text_if(&keys.request_model, report.route.as_deref());
    said(&mut a, keys, report, attempt, redaction);
    status(out, report, attempt, redaction);
}

/// Whom, what came of it, what the upstream said.
fn said(
    a: &mut Attributes<'_>,
    keys: &Keys,
    report: &Report,
    attempt: &AttemptReport,
    redaction: &Redaction,
) {
    a.text(&keys.target, &attempt.target);
    a.count(&keys.attempt, u64::from(attempt.number));
    a.count_if(&keys.status, attempt.status.map(u64::from));
    a.text_if(&keys.error, words::attempt_error(report, attempt));
    a.text(&keys.sent, attempt.sent.as_str());
    a.foreign(
        &keys.upstream_request_id,
        attempt.request_id.as_deref(),
        redaction,
    );
}

fn times(a: &mut Attributes<'_>, keys: &Keys, attempt: &AttemptReport) {
    if let Some((clock, limit)) = attempt.timeout {
        a.text(&keys.timeout_type, clock.as_str());
        a.ms(&keys.limit_ms, limit);
    }
    // whether the provider did the work cannot be known from here
    a.flag(
        &keys.ambiguous,
        !attempt.completed && attempt.sent == Sent::Maybe,
    );
    a.flag(&keys.reused, attempt.reused_connection);
    a.ms_if(&keys.connect_ms, attempt.connect);
    a.ms_if(&keys.tls_ms, attempt.tls);
    a.ms_if(&keys.headers_ms, attempt.headers);
    a.ms_if(&keys.content_ms, attempt.first_content);
    a.ms_if(&keys.retry_after_ms, attempt.retry_after);
}

fn status(out: &mut Vec<u8>, report: &Report, attempt: &AttemptReport, redaction: &Redaction) {
    if words::attempt_error(report, attempt).is_some() {
        let said = words::attempt_message(attempt, redaction).unwrap_or_default();
        failed(out, &said);
    }
}
