//! What telemetry says of a part of a request: its error code, and whether a message may be shown.
//!
//! Spans, metrics and the log line must agree on what failed and why, so they all ask here. A message is
//! shown only where its words are ours: an upstream's own text may quote the prompt.

use crate::redaction::Redaction;
use punctual_core::{AttemptReport, BackoffReport, Code, Outcome, QueueReport, Reason, Report};
use std::time::Duration;

/// Bytes of a message that are kept.
const MESSAGE: usize = 512;

/// `error.type` of an attempt and of its exchange; `None` when it did well.
pub(crate) fn attempt_error(report: &Report, attempt: &AttemptReport) -> Option<&'static str> {
    match attempt.failed {
        Some(code) => Some(code.as_str()),
        None if attempt.completed => None,
        None => Some(report.error_type().unwrap_or("client_disconnected")),
    }
}

/// `error.type` of a wait that ended without a permit.
pub(crate) fn queue_error(report: &Report, wait: &QueueReport) -> Option<&'static str> {
    Some(match wait.refused? {
        "deadline" => Code::DeadlineExceeded.as_str(),
        "timeout" => Code::QueueTimeout.as_str(),
        "full" => Code::QueueFull.as_str(),
        "would_expire" => Code::QueueWouldExpire.as_str(),
        "shutdown" => Code::ShuttingDown.as_str(),
        _ => report.error_type().unwrap_or("client_disconnected"),
    })
}

/// `error.type` of a pause that the request's end cut short.
pub(crate) fn backoff_error(report: &Report, pause: &BackoffReport) -> Option<&'static str> {
    // while the request runs, only its deadline cuts a pause
    let told = || {
        report
            .error_type()
            .unwrap_or(Code::DeadlineExceeded.as_str())
    };
    pause.cut.then(told)
}

/// Why an attempt was closed before the upstream's last byte, if it was closed by us.
pub(crate) fn closed_early(report: &Report, attempt: &AttemptReport) -> Option<&'static str> {
    match attempt.failed {
        Some(Code::Timeout) => Some("timeout"),
        Some(Code::DeadlineExceeded) => Some("deadline"),
        Some(Code::ShuttingDown) => Some("shutdown"),
        Some(Code::ResponseTooLarge) => Some("too_large"),
        Some(_) => None,
        None if attempt.completed => None,
        None => Some(match report.outcome {
            Some(Outcome::DeadlineExceeded) => "deadline",
            Some(Outcome::Shutdown) => "shutdown",
            _ => "cancelled",
        }),
    }
}

/// Whether the request ended in any other way than well.
pub(crate) fn request_failed(report: &Report) -> bool {
    report.outcome != Some(Outcome::Ok)
}

/// `error.type` of the request: a code, or its outcome where nobody gave one.
pub(crate) fn request_error(report: &Report) -> Option<&'static str> {
    let outcome = report.outcome.filter(|o| *o != Outcome::Ok)?;
    Some(report.error_type().unwrap_or(outcome.as_str()))
}

/// Whether the request, or anything done for it, failed: then its spans are kept.
pub(crate) fn worth_keeping(report: &Report) -> bool {
    request_failed(report) || report.attempts.iter().any(|a| a.failed.is_some())
}

/// Whether the message of a failure with this code is worded by us and quotes nobody.
fn worded_by_us(code: Code) -> bool {
    matches!(
        code,
        Code::ConnectFailed
            | Code::Timeout
            | Code::Truncated
            | Code::EmptyResponse
            | Code::ResponseTooLarge
            | Code::QueueFull
            | Code::QueueTimeout
            | Code::QueueWouldExpire
            | Code::CoolingDown
            | Code::BreakerOpen
            | Code::KeyLimit
            | Code::DeadlineExceeded
            | Code::ShuttingDown
            | Code::Internal
    )
}

/// The finer reason of an outcome: why it was cancelled, or a failure's reason within its code.
pub(crate) fn reason(report: &Report) -> Option<&'static str> {
    match report.reason {
        Some(Reason::Gone) => Some("gone"),
        Some(Reason::Stalled) => Some("stalled"),
        None => report.failure.as_ref().and_then(|f| f.reason),
    }
}

/// The message of the request's last word, if it may be shown.
pub(crate) fn failure_message(report: &Report, redaction: &Redaction) -> Option<String> {
    let failure = report.failure.as_ref()?;
    shown(failure.code, &failure.message, redaction)
}

/// The message of a failed attempt, if it may be shown.
pub(crate) fn attempt_message(attempt: &AttemptReport, redaction: &Redaction) -> Option<String> {
    shown(attempt.failed?, attempt.message.as_deref()?, redaction)
}

fn shown(code: Code, message: &str, redaction: &Redaction) -> Option<String> {
    worded_by_us(code).then(|| shortened(&redaction.scrub(message), MESSAGE).to_owned())
}

/// Whole microseconds, at most 2^53 or so.
pub(crate) fn micros(length: Duration) -> u64 {
    length.as_secs().min(1 << 33) * 1_000_000 + u64::from(length.subsec_micros())
}

/// Milliseconds, to the microsecond.
pub(crate) fn millis(length: Duration) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact below 2^53 µs, which is 285 years"
    )]
    let us = micros(length) as f64;
    us / 1e3
}

/// At most `most` bytes of `text`, cut between characters.
pub(crate) fn shortened(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = (0..=most)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    text.get(..cut).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("aé", 2), "a");
        assert_eq!(shortened("日本", 5), "日");
        assert_eq!(shortened("日", 1), "");
    }
}
