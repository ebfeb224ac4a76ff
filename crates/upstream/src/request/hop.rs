//! Headers that end with a connection, or that are not the caller's to give.
//!
//! A hop-by-hop header means something between two neighbours only (RFC 9110 §7.6.1), and `Connection`
//! can make any header one. Deadlines are hop-by-hop here too: what is left of them is less on the next
//! hop, so they are written anew or not at all.

use http::{HeaderMap, HeaderName, header};

/// Hop-by-hop, written by us, or a credential.
const NEVER: [&str; 22] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
    "host",
    "content-length",
    "content-encoding",
    "accept-encoding",
    "expect",
    "cookie",
    "authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "traceparent",
    "tracestate",
];

/// Every header in which a caller can declare a deadline.
const DEADLINES: [&str; 17] = [
    "x-request-deadline-ms",
    "x-request-timeout-ms",
    "x-request-deadline-at",
    "x-uipath-llmgateway-timeoutseconds",
    "x-litellm-timeout",
    "x-litellm-stream-timeout",
    "x-litellm-num-retries",
    "grpc-timeout",
    "connect-timeout-ms",
    "x-stainless-timeout",
    "x-stainless-read-timeout",
    "x-envoy-expected-rq-timeout-ms",
    "x-envoy-upstream-rq-timeout-ms",
    "l5d-timeout",
    "x-portkey-request-timeout",
    "cf-aig-request-timeout",
    "x-server-timeout",
];

/// Why a target may not list `name` among the headers it passes on; `None` if it may.
pub(crate) fn never_forwarded(name: &HeaderName) -> Option<&'static str> {
    if DEADLINES.contains(&name.as_str()) {
        return Some("list it in forward_deadline, which lowers it to the time left");
    }
    NEVER.contains(&name.as_str()).then_some(
        "remove it; a fixed credential belongs in api_key, the caller's own in auth: passthrough",
    )
}

/// Whether the `Connection` header of `headers` makes `name` hop-by-hop.
pub(crate) fn is_listed(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(header::CONNECTION).iter().any(|value| {
        let tokens = value.as_bytes().split(|b| *b == b',');
        tokens
            .map(<[u8]>::trim_ascii)
            .any(|token| token.eq_ignore_ascii_case(name.as_str().as_bytes()))
    })
}
