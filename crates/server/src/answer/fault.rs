//! A failure in the words of the caller's API.
//!
//! `code` is ours and exact; `type` is the family that SDKs know. Beside them stands what a person needs to
//! find the cause without our logs: the phase, the budget, which limit fired, and every attempt. Which form
//! that has on which surface is `wire`'s to know.

use bytes::Bytes;
use http::StatusCode;
use punctual_core::{AttemptReport, Code, Failure, Fault, Report};
use punctual_wire::{
    Surface,
    error_body::{self, ErrorFields},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Who is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    /// Whose words the caller reads.
    pub(super) words: Surface,
    /// Whether `error.type` repeats the code, where it is not the status that decides it.
    pub(super) compat: bool,
    /// The request's id.
    pub(super) id: &'a str,
}

/// The body of an answer that is this failure. An upstream's own words about a caller's mistake are passed
/// on as they are.
pub(super) fn body(failure: &Failure, report: Option<&Report>, told: Told<'_>) -> Bytes {
    if let Some(theirs) = upstreams_own(failure) {
        return theirs.clone();
    }
    let fields = ErrorFields {
        message: &failure.message,
        kind: kind(failure.code, told.compat),
        code: Some(failure.code.as_str()),
        param: None,
        request_id: Some(told.id),
        extra: details(failure, report),
    };
    error_body::error(told.words, failure.http_status().as_u16(), &fields)
}

/// The event that ends a stream with this failure, with the status and the hint it would have had; `None`
/// where there is none. `last` is the number of the event before it, where events are numbered.
pub(super) fn event(
    failure: &Failure,
    report: &Report,
    told: Told<'_>,
    last: Option<u64>,
) -> Option<Bytes> {
    let theirs = upstreams_own(failure).and_then(|b| serde_json::from_slice::<Value>(b).ok());
    let said = |name: &str| theirs.as_ref()?.get("error")?.get(name)?.as_str();
    let status = failure.http_status().as_u16();
    let mut extra = vec![("status", json!(status))];
    if let Some(wait) = failure.retry_after {
        extra.push(("retry_after", json!(super::stamp::whole_seconds(wait))));
    }
    extra.extend(details(failure, Some(report)));
    let fields = ErrorFields {
        message: said("message").unwrap_or(&failure.message),
        kind: said("type").unwrap_or(kind(failure.code, told.compat)),
        code: Some(said("code").unwrap_or(failure.code.as_str())),
        param: said("param"),
        request_id: Some(told.id),
        extra,
    };
    error_body::error_event(told.words, status, &fields, last)
}

fn upstreams_own(failure: &Failure) -> Option<&Bytes> {
    let callers = failure.code.rule().fault == Fault::Caller;
    failure.body.as_ref().filter(|_| callers)
}

/// `error.type`.
fn kind(code: Code, compat: bool) -> &'static str {
    if compat && code != Code::QueueFull {
        return code.as_str();
    }
    match code {
        Code::Timeout | Code::DeadlineExceeded => "timeout_error",
        Code::QuotaExhausted => "insufficient_quota",
        Code::RateLimited
        | Code::QueueFull
        | Code::QueueTimeout
        | Code::QueueWouldExpire
        | Code::CoolingDown
        | Code::KeyLimit => "rate_limit_error",
        Code::InvalidRequest
        | Code::Unsupported
        | Code::ContextLengthExceeded
        | Code::ContentRefused
        | Code::BoundStateUnavailable => "invalid_request_error",
        _ => "server_error",
    }
}

/// `error.type` of what is refused before there is a failure.
pub(super) fn kind_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::REQUEST_TIMEOUT => "timeout_error",
        s if s.is_server_error() => "server_error",
        _ => "invalid_request_error",
    }
}

fn ms(length: Duration) -> Value {
    u64::try_from(length.as_millis()).map_or(Value::Null, Value::from)
}

fn details(failure: &Failure, report: Option<&Report>) -> Vec<(&'static str, Value)> {
    let mut extra = Vec::new();
    if let Some(reason) = failure.reason {
        extra.push(("reason", json!(reason)));
    }
    if let Some(limit) = failure.limit {
        extra.push(("timeout_type", json!(limit.clock.as_str())));
        extra.push(("limit_ms", ms(limit.limit)));
        extra.push(("elapsed_ms", ms(limit.elapsed)));
    }
    let Some(report) = report else {
        return extra;
    };
    if failure.code == Code::DeadlineExceeded {
        extra.push(("phase", json!(report.phase.as_str())));
        extra.push((
            "budget_ms",
            report.deadline.budget().map_or(Value::Null, ms),
        ));
        extra.push(("elapsed_ms", ms(report.elapsed)));
        extra.push((
            "source",
            json!(report.deadline.source().map(|s| s.as_str())),
        ));
    }
    if failure.code == Code::DeadlineExceeded || report.attempt_count() > 0 {
        let all = report.attempts.iter().chain(&report.attempting);
        let each = |a| attempt(a, failure.code);
        extra.push(("attempts", all.map(each).collect()));
    }
    extra
}

/// `last` is the last word on the request, and so on an attempt that it cut off.
fn attempt(a: &AttemptReport, last: Code) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("target", json!(&*a.target));
    let code = a.failed.or((!a.completed).then_some(last));
    put("code", json!(code.map(Code::as_str)));
    put("status", json!(a.status));
    put("ms", ms(a.length()));
    if let Some((clock, limit)) = a.timeout {
        put("timeout_type", json!(clock.as_str()));
        put("limit_ms", ms(limit));
    }
    put("sent", json!(a.sent.as_str()));
    Value::Object(map)
}

#[cfg(test)]
mod tests;
