//! Which headers of an answer go on to the caller.
//!
//! By allow-list: the kind of content, rate limits, retry hints, timing. Never cookies, never anything
//! about the framing, and never the account behind our key.

use crate::{auth::moment::Moment, request::is_listed};
use http::{HeaderMap, HeaderName, HeaderValue, header, response::Parts};
use punctual_core::Head;
use punctual_wire::{Surface, Via, retry_after};
use std::{sync::Arc, time::SystemTime};

const EXACT: [&str; 5] = [
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-ms-retry-after-ms",
    "x-should-retry",
];
const PREFIXES: [&str; 4] = [
    "x-ratelimit-",
    "ratelimit-",
    "anthropic-ratelimit-",
    "openai-",
];
/// What describes a body that is passed through.
const DESCRIPTION: [HeaderName; 9] = [
    header::ACCEPT_RANGES,
    header::CONTENT_DISPOSITION,
    header::CONTENT_RANGE,
    header::ETAG,
    header::LAST_MODIFIED,
    HeaderName::from_static("x-goog-upload-status"),
    HeaderName::from_static("x-goog-upload-size-received"),
    HeaderName::from_static("x-goog-upload-chunk-granularity"),
    HeaderName::from_static("x-goog-upload-header-content-length"),
];
/// What says on AWS of which kind an error is; no body repeats it.
const ERROR_KIND: HeaderName = HeaderName::from_static("x-amzn-errortype");
/// They name whose key was used.
const OURS: [&str; 2] = ["openai-organization", "openai-project"];
/// Under which providers name their own id of a request, most common first.
const REQUEST_IDS: [HeaderName; 5] = [
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("request-id"),
    HeaderName::from_static("apim-request-id"),
    HeaderName::from_static("x-amzn-requestid"),
    HeaderName::from_static("cf-ray"),
];
/// Longer ones are not ids.
const MAX_ID: usize = 128;

mod limits;

/// The head for the caller. A stream is labelled as one, whatever its upstream called it.
pub(crate) fn of_answer(parts: &Parts, surface: Surface, via: Via, stream: bool) -> Head {
    let mut headers = allowed(&parts.headers, |_| true);
    if surface == Surface::Passthrough {
        for name in DESCRIPTION.into_iter().chain([ERROR_KIND]) {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
    } else if !via.is_relay() {
        limits::translate(&mut headers, surface, sent(&parts.headers));
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
    }
    if stream && surface != Surface::Passthrough {
        let label = headers.get(header::CONTENT_TYPE);
        if !label.is_some_and(is_event_stream) {
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/event-stream"),
            );
        }
    }
    Head {
        status: parts.status,
        headers,
        request_id: request_id(&parts.headers),
        dropped: Vec::new(),
    }
}

/// What an error answer's headers tell beside the error: in the words of the caller's API, where the target
/// speaks another.
pub(crate) fn of_failure(headers: &HeaderMap, surface: Surface, via: Via) -> HeaderMap {
    let mut out = allowed(headers, |name| *name != header::CONTENT_TYPE);
    if !via.is_relay() {
        limits::translate(&mut out, surface, sent(headers));
    }
    if let Some(id) = request_id(headers)
        && let Ok(id) = HeaderValue::from_str(&id)
    {
        out.insert(HeaderName::from_static("x-upstream-request-id"), id);
    }
    out
}

fn sent(headers: &HeaderMap) -> Moment {
    Moment::of(retry_after::sent(headers, SystemTime::now()))
}

/// Whether a content type is that of server-sent events.
pub(crate) fn is_event_stream(label: &HeaderValue) -> bool {
    let kind = label.as_bytes().split(|b| *b == b';').next();
    kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"text/event-stream"))
}

fn allowed(headers: &HeaderMap, also: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut out = HeaderMap::with_capacity(8);
    for (name, value) in headers {
        if is_allowed(name.as_str()) && also(name) && !is_listed(headers, name) {
            out.append(name.clone(), value.clone());
        }
    }
    out
}

fn is_allowed(name: &str) -> bool {
    EXACT.contains(&name)
        || (PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !OURS.contains(&name))
}

fn request_id(headers: &HeaderMap) -> Option<Arc<str>> {
    let found = REQUEST_IDS.iter().find_map(|name| headers.get(name))?;
    let id = found.to_str().ok()?;
    (!id.is_empty() && id.len() <= MAX_ID).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(n, v): &(&'static str, &'static str)| {
            (HeaderName::from_static(n), HeaderValue::from_static(v))
        };
        lines.iter().map(pair).collect()
    }

    #[test]
    fn limits_and_hints_come_back_and_nothing_else_does() {
        let told = headers(&[
            ("retry-after", "7"),
            ("x-ratelimit-remaining-tokens", "1"),
            ("anthropic-ratelimit-requests-remaining", "3"),
            ("openai-processing-ms", "12"),
            ("openai-organization", "acme"),
            ("set-cookie", "__cf_bm=1"),
            ("content-type", "text/html"),
            ("content-length", "3"),
            ("transfer-encoding", "chunked"),
            ("server", "x"),
            ("connection", "close, X-RateLimit-Hop"),
            ("x-ratelimit-hop", "secret"),
            ("request-id", "req_1"),
        ]);
        let kept = of_failure(&told, Surface::Chat, Via::Relay);
        let mut names: Vec<_> = kept.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "anthropic-ratelimit-requests-remaining",
                "openai-processing-ms",
                "retry-after",
                "x-ratelimit-remaining-tokens",
                "x-upstream-request-id",
            ]
        );
    }

    #[test]
    fn an_event_stream_is_known_by_its_type_alone() {
        for (label, yes) in [
            ("text/event-stream", true),
            ("Text/Event-Stream ; charset=utf-8", true),
            ("text/event-stream-2", false),
            ("application/json", false),
        ] {
            assert_eq!(is_event_stream(&HeaderValue::from_static(label)), yes);
        }
    }
}
