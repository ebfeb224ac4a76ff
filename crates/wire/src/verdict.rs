//! What a failure is: one class for each way an upstream says no.
//!
//! Upstreams fail with a status, with an error object inside a 200, with a field of the event
//! stream, or with a finish reason, and word it each in their own way. All of them come through
//! here, so that retry, fallback and health see one vocabulary, whichever way it was said. The
//! classes are those of the failure table of the contract; which class may be retried is decided
//! elsewhere.

use std::time::{Duration, SystemTime};

use http::HeaderMap;

use crate::retry_after;

mod class;
mod said;
#[cfg(test)]
mod tests;

pub use class::Class;
use said::Said;

/// A failed exchange, as the upstream told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What kind of failure it is.
    pub class: Class,
    /// The status the upstream gave: of its response, or the number in an in-band error.
    pub status: Option<u16>,
    /// The upstream's words, without control characters, at most 2 KiB; not yet scrubbed of
    /// secrets. Never from a body that is not JSON.
    pub message: Option<String>,
    /// `error.type`, at most 128 bytes.
    pub upstream_type: Option<String>,
    /// `error.code`, at most 128 bytes.
    pub upstream_code: Option<String>,
    /// How long the upstream asks to be left alone.
    pub retry: Option<Duration>,
    /// `x-should-retry`.
    pub should_retry: Option<bool>,
}

impl Verdict {
    /// Judges a response whose status is not 200. `body` may be empty, cut short or anything;
    /// `now` is used where the response has no `Date`.
    pub fn of_response(status: u16, headers: &HeaderMap, body: &[u8], now: SystemTime) -> Self {
        let said = Said::read(body);
        let class = class::of_response(status, &said);
        let should_retry = headers
            .get("x-should-retry")
            .and_then(|v| match v.as_bytes() {
                b"true" => Some(true),
                b"false" => Some(false),
                _ => None,
            });
        // prose in the body of, say, a 400 is no promise
        let spoken = class.is_temporary().then_some(body);
        let retry = retry_after::hint(headers, spoken, now);
        Self {
            status: Some(status),
            retry,
            should_retry,
            ..Self::from_said(class, said)
        }
    }

    /// Judges an error inside a 200: the JSON of the event or of the whole answer, with or
    /// without an envelope around the error.
    pub fn in_band(json: &[u8]) -> Self {
        let said = Said::read(json);
        let class = class::in_band(&said);
        let spoken = class.is_temporary().then_some(json);
        let retry = retry_after::hint(&HeaderMap::new(), spoken, SystemTime::UNIX_EPOCH);
        Self {
            status: said.status,
            retry,
            ..Self::from_said(class, said)
        }
    }

    /// A failure that we found ourselves; `message` is ours and holds nothing of the body.
    pub fn of(class: Class, message: &str) -> Self {
        Self {
            class,
            status: None,
            message: Some(message.to_owned()),
            upstream_type: None,
            upstream_code: None,
            retry: None,
            should_retry: None,
        }
    }

    fn from_said(class: Class, said: Said) -> Self {
        Self {
            class,
            status: None,
            message: said.message,
            upstream_type: said.kind,
            upstream_code: said.code,
            retry: None,
            should_retry: None,
        }
    }
}
