//! Failures, made of what went wrong on the way to an upstream or of what it said.
//!
//! One exhaustive match turns the classes of `wire` into the engine's codes. Everything an upstream wrote
//! is scrubbed of this target's secrets and host before it is put into a failure, because from here it
//! goes to callers and logs.

use crate::head;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use punctual_core::{Code, Failure, Fault, Progress, Sent};
use punctual_wire::{Class, Surface, Verdict, Via, error_body, scrub};
use std::time::SystemTime;

/// The code of a class.
fn code(class: Class) -> Code {
    match class {
        Class::RateLimited => Code::RateLimited,
        Class::QuotaExhausted => Code::QuotaExhausted,
        Class::Overloaded => Code::Overloaded,
        Class::ServerError => Code::ServerError,
        Class::Unauthorized | Class::Forbidden => Code::Unauthorized,
        Class::NotFound => Code::NotFound,
        Class::InvalidRequest => Code::InvalidRequest,
        Class::ContextLengthExceeded => Code::ContextLengthExceeded,
        Class::ContentRefused => Code::ContentRefused,
        Class::Malformed => Code::MalformedResponse,
        Class::StreamError => Code::StreamError,
    }
}

/// What stands in place of the words that an upstream did not say.
fn unsaid(target: &str, status: Option<u16>) -> String {
    let status = status.map_or(String::new(), |status| format!(" {status}"));
    format!("target {target} answered with error{status} and gave no reason")
}

/// Who was asked for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) target: &'a str,
    pub(crate) surface: Surface,
    pub(crate) via: Via,
    /// Which request it was.
    pub(crate) id: &'a str,
    /// About something made before, by its id.
    pub(crate) stored: bool,
}

impl Asked<'_> {
    /// Whether an error answer goes to the caller as it is: to one that speaks the provider's own API, and is
    /// not about a key of ours, which the caller's client would take for its own.
    pub(crate) fn passes(self, status: StatusCode, with_the_callers_key: bool) -> bool {
        let about_the_key = status == StatusCode::UNAUTHORIZED && !with_the_callers_key;
        let about_the_way = status == StatusCode::PROXY_AUTHENTICATION_REQUIRED;
        let error = status.is_client_error() || status.is_server_error();
        self.surface == Surface::Passthrough && error && !about_the_key && !about_the_way
    }

    /// Whether a 403 or 404 says something about the target. On an API that is no conversation it says that
    /// the model does not serve that one; a 403 that is no JSON is the page of something in front of the
    /// provider, about this one request.
    fn benches(self, class: Class, body: &[u8]) -> bool {
        let by_the_api = class != Class::Forbidden || error_body::is_json(body);
        let conversation = matches!(
            self.surface,
            Surface::Chat | Surface::Responses | Surface::Messages
        );
        conversation && by_the_api
    }
}

/// An answer of a target whose status is no success.
pub(crate) fn of_response(
    asked: Asked<'_>,
    status: StatusCode,
    headers: &HeaderMap,
    body: &Bytes,
    secrets: &[&str],
) -> Box<Failure> {
    if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        // no API answers this: it is the proxy's own, and none of the caller's business
        let text = "cannot connect to the upstream: the egress proxy wants other credentials";
        return Failure::new(Code::ConnectFailed, text);
    }
    let verdict = Verdict::of_response(status.as_u16(), headers, body, SystemTime::now());
    let mut failure = judged(asked, &verdict, body, secrets);
    let passed = asked.surface == Surface::Passthrough;
    if (passed || asked.stored) && is_the_callers(status) {
        let unsaid = unsaid(asked.target, verdict.status);
        let said =
            error_body::upstream_error(asked.surface, &verdict, body, (&unsaid, asked.id), secrets);
        failure.code = Code::InvalidRequest;
        failure.benches = false;
        failure.body = Some(said);
    }
    failure.sent = Sent::Yes;
    failure.status = Some(status);
    failure.headers = Some(Box::new(head::of_failure(
        headers,
        asked.surface,
        asked.via,
    )));
    failure.message = match (&verdict.message, status.is_redirection()) {
        (_, true) => format!("the upstream answered {status}, and redirects are never followed"),
        (Some(said), _) => format!(
            "the upstream answered {}: {}",
            status.as_u16(),
            scrub::text(said, secrets)
        ),
        (None, _) => unsaid(asked.target, verdict.status),
    };
    failure
}

/// Nothing of what is passed through is known, and an id that is not there says nothing about its target: so
/// whatever is wrong is between the caller and the provider, apart from what is about our key or the
/// provider's load.
fn is_the_callers(status: StatusCode) -> bool {
    let ours = [401, 402, 403, 408, 425, 429];
    status.is_client_error() && !ours.contains(&status.as_u16())
}

/// What `wire` said about an event or a whole answer; `json` is what it read.
pub(crate) fn judged(
    asked: Asked<'_>,
    verdict: &Verdict,
    json: &Bytes,
    secrets: &[&str],
) -> Box<Failure> {
    let code = code(verdict.class);
    let unsaid = unsaid(asked.target, verdict.status);
    let message = match verdict.message.as_deref() {
        Some(said) => {
            let what = match verdict.class {
                Class::Malformed => "the upstream's answer cannot be read",
                _ => "the upstream reported an error",
            };
            format!("{what}: {}", scrub::text(said, secrets))
        }
        None => unsaid.clone(),
    };
    let mut failure = Failure::new(code, message);
    failure.sent = Sent::Yes;
    failure.status = verdict.status.and_then(|s| StatusCode::from_u16(s).ok());
    failure.retry_after = verdict.retry;
    failure.should_retry = verdict.should_retry;
    // 403 and 404 speak of a credential with a model; within a stream there is no status to tell
    match verdict.class {
        Class::Forbidden => failure.status = failure.status.or(Some(StatusCode::FORBIDDEN)),
        Class::Unauthorized => failure.status = failure.status.or(Some(StatusCode::UNAUTHORIZED)),
        _ => {}
    }
    failure.benches = asked.benches(verdict.class, json);
    if code.rule().fault == Fault::Caller {
        failure.body = Some(error_body::upstream_error(
            asked.surface,
            verdict,
            json,
            (&unsaid, asked.id),
            secrets,
        ));
    }
    failure
}

/// An exchange that ended without an answer.
pub(crate) fn unanswered(error: Option<&hyper::Error>, progress: &Progress) -> Box<Failure> {
    if error.is_some_and(hyper::Error::is_parse) {
        return Failure::new(
            Code::MalformedResponse,
            "the upstream's answer is not the HTTP that was asked for",
        );
    }
    match progress.sent() {
        Sent::No => Failure::new(
            Code::ConnectFailed,
            "the upstream closed the connection before the request was sent",
        ),
        Sent::Maybe | Sent::Yes => Failure::new(
            Code::Truncated,
            "the upstream closed the connection without an answer",
        ),
    }
}

/// HTTP/2 streams that were refused or dropped unprocessed more often than they are sent again.
pub(crate) fn refused() -> Box<Failure> {
    Failure::new(
        Code::ServerError,
        "the upstream refused the request's stream repeatedly",
    )
}

/// The body ended before it was complete.
pub(crate) fn truncated() -> Box<Failure> {
    let mut failure = Failure::new(
        Code::Truncated,
        "the upstream closed before the end of its answer",
    );
    failure.sent = Sent::Yes;
    failure
}

/// Something is larger than the target allows.
pub(crate) fn too_large(what: &str, field: &str, limit: usize) -> Box<Failure> {
    let text = format!("the upstream's {what} is larger than {field} ({limit} bytes)");
    let mut failure = Failure::new(Code::ResponseTooLarge, text);
    failure.sent = Sent::Yes;
    failure
}

/// A success that is not what the dialect answers with.
pub(crate) fn malformed(text: &str) -> Box<Failure> {
    let mut failure = Failure::new(Code::MalformedResponse, text);
    failure.sent = Sent::Yes;
    failure
}
