//! Why something did not succeed, and the one table that says what follows.
//!
//! A [`Failure`] carries a [`Code`]; [`Code::rule`] is the table of failures, written once: what may be
//! retried, what may go to the next member, what counts against a target, what the caller is told. Retry,
//! fallback, health, outcomes and answers all read it, so they cannot drift apart.

use crate::{clock::Clock, plan::TargetId};
use bytes::Bytes;
use http::StatusCode;
use std::{sync::Arc, time::Duration};

/// What happened, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "each variant is its `as_str` and a row of `rule`"
)]
pub enum Code {
    ConnectFailed,
    Timeout,
    RateLimited,
    QuotaExhausted,
    Overloaded,
    ServerError,
    Unauthorized,
    NotFound,
    InvalidRequest,
    ContextLengthExceeded,
    ContentRefused,
    BoundStateUnavailable,
    Unsupported,
    MalformedResponse,
    Truncated,
    StreamError,
    EmptyResponse,
    ValidationFailed,
    ResponseTooLarge,
    QueueFull,
    QueueTimeout,
    QueueWouldExpire,
    CoolingDown,
    BreakerOpen,
    KeyLimit,
    Internal,
    DeadlineExceeded,
    ShuttingDown,
}

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The provider, or the way to it.
    Upstream,
    /// The caller's request.
    Caller,
    /// Load or limits on our side.
    Load,
    /// Time.
    Time,
    /// A bug of ours.
    Ours,
}

/// A row of the table of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// May the same target be tried again.
    pub retry: bool,
    /// May the next member be tried; `InvalidRequest` and its like only by configuration.
    pub fall_back: bool,
    /// Does it count against the target's health.
    pub counts: bool,
    /// Was the target really attempted; a skip never hides a real failure.
    pub attempted: bool,
    /// Whose fault.
    pub fault: Fault,
}

impl Code {
    /// The name in errors, spans, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConnectFailed => "connect_failed",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Unauthorized => "unauthorized",
            Self::NotFound => "not_found",
            Self::InvalidRequest => "invalid_request",
            Self::ContextLengthExceeded => "context_length_exceeded",
            Self::ContentRefused => "content_refused",
            Self::BoundStateUnavailable => "bound_state_unavailable",
            Self::Unsupported => "unsupported",
            Self::MalformedResponse => "malformed_response",
            Self::Truncated => "truncated",
            Self::StreamError => "stream_error",
            Self::EmptyResponse => "empty_response",
            Self::ValidationFailed => "validation_failed",
            Self::ResponseTooLarge => "response_too_large",
            Self::QueueFull => "queue_full",
            Self::QueueTimeout => "queue_timeout",
            Self::QueueWouldExpire => "queue_would_expire",
            Self::CoolingDown => "cooling_down",
            Self::BreakerOpen => "breaker_open",
            Self::KeyLimit => "key_limit",
            Self::Internal => "internal",
            Self::DeadlineExceeded => "request_deadline_exceeded",
            Self::ShuttingDown => "shutting_down",
        }
    }

    /// The table of failures.
    #[must_use]
    pub const fn rule(self) -> Rule {
        let (retry, fall_back, counts, attempted, fault) = match self {
            Self::ConnectFailed
            | Self::Timeout
            | Self::Overloaded
            | Self::ServerError
            | Self::Truncated
            | Self::StreamError => (true, true, true, true, Fault::Upstream),
            Self::RateLimited | Self::EmptyResponse | Self::ValidationFailed => {
                (true, true, false, true, Fault::Upstream)
            }
            Self::QuotaExhausted | Self::Unauthorized | Self::NotFound => {
                (false, true, false, true, Fault::Upstream)
            }
            Self::MalformedResponse | Self::ResponseTooLarge => {
                (false, true, true, true, Fault::Upstream)
            }
            Self::InvalidRequest | Self::ContextLengthExceeded | Self::ContentRefused => {
                (false, false, false, true, Fault::Caller)
            }
            Self::BoundStateUnavailable => (true, false, false, true, Fault::Upstream),
            // like a skip: this target cannot, which says nothing about what another did
            Self::Unsupported => (false, true, false, false, Fault::Caller),
            Self::QueueFull
            | Self::QueueTimeout
            | Self::QueueWouldExpire
            | Self::CoolingDown
            | Self::BreakerOpen => (false, true, false, false, Fault::Load),
            Self::KeyLimit | Self::ShuttingDown => (false, false, false, false, Fault::Load),
            Self::Internal => (false, false, false, true, Fault::Ours),
            Self::DeadlineExceeded => (false, false, false, true, Fault::Time),
        };
        Rule {
            retry,
            fall_back,
            counts,
            attempted,
            fault,
        }
    }

    /// The status the caller gets when this is the last word. `upstream` is the status the upstream gave:
    /// the caller's own mistakes keep it.
    #[must_use]
    pub fn status(self, upstream: Option<StatusCode>) -> StatusCode {
        match self {
            Self::Timeout | Self::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            Self::RateLimited
            | Self::QuotaExhausted
            | Self::QueueFull
            | Self::QueueTimeout
            | Self::QueueWouldExpire
            | Self::CoolingDown
            | Self::KeyLimit => StatusCode::TOO_MANY_REQUESTS,
            Self::Overloaded | Self::BreakerOpen | Self::ShuttingDown => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::ContextLengthExceeded | Self::Unsupported => StatusCode::BAD_REQUEST,
            Self::BoundStateUnavailable => StatusCode::CONFLICT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::InvalidRequest | Self::ContentRefused => upstream
                .filter(StatusCode::is_client_error)
                .unwrap_or(StatusCode::BAD_REQUEST),
            _ => StatusCode::BAD_GATEWAY,
        }
    }

    /// Every code, for tables and tests.
    pub const ALL: [Self; 28] = [
        Self::ConnectFailed,
        Self::Timeout,
        Self::RateLimited,
        Self::QuotaExhausted,
        Self::Overloaded,
        Self::ServerError,
        Self::Unauthorized,
        Self::NotFound,
        Self::InvalidRequest,
        Self::ContextLengthExceeded,
        Self::ContentRefused,
        Self::BoundStateUnavailable,
        Self::Unsupported,
        Self::MalformedResponse,
        Self::Truncated,
        Self::StreamError,
        Self::EmptyResponse,
        Self::ValidationFailed,
        Self::ResponseTooLarge,
        Self::QueueFull,
        Self::QueueTimeout,
        Self::QueueWouldExpire,
        Self::CoolingDown,
        Self::BreakerOpen,
        Self::KeyLimit,
        Self::Internal,
        Self::DeadlineExceeded,
        Self::ShuttingDown,
    ];

    /// The code named `text`.
    #[must_use]
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == text)
    }
}

/// Whether the request reached the provider: not at all, perhaps, or surely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sent {
    /// No byte of it was written.
    #[default]
    No,
    /// Written, unanswered.
    Maybe,
    /// The upstream answered.
    Yes,
}

impl Sent {
    /// `no`, `maybe` or `yes`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Maybe => "maybe",
            Self::Yes => "yes",
        }
    }
}

/// A clock that fired: which, how long it was, how long the wait had been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which clock.
    pub clock: Clock,
    /// Its configured (or, for the reserve, computed) length.
    pub limit: Duration,
    /// Time since it started.
    pub elapsed: Duration,
}

/// One failure with what is known about it. Texts and bodies in it are already free of secrets.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What happened.
    pub code: Code,
    /// A finer reason within the code, such as `below_min_attempt`.
    pub reason: Option<&'static str>,
    /// For the caller: one sentence, no secrets, no upstream URL.
    pub message: String,
    /// Whose attempt it was.
    pub target: Option<(TargetId, Arc<str>)>,
    /// Whether the provider may have done work.
    pub sent: Sent,
    /// The clock, when `code` is `Timeout`.
    pub limit: Option<Limit>,
    /// The status the upstream gave, or that the error inside its answer names.
    pub status: Option<StatusCode>,
    /// The upstream's hint, or the time a resting target has left.
    pub retry_after: Option<Duration>,
    /// The upstream's `x-should-retry`.
    pub should_retry: Option<bool>,
    /// The upstream's error body in the form of the caller's API, scrubbed, when it may be passed on as it is.
    pub body: Option<Bytes>,
    /// Allow-listed response headers of that answer (rate limits, request ids).
    pub headers: Option<Box<http::HeaderMap>>,
    /// Whether a 403 or 404 says something about the target; false when it may be about this one request.
    pub benches: bool,
    /// False when nobody knows whether asking again, or somebody else, does harm: then nobody is asked.
    pub safe: bool,
}

impl Failure {
    /// A failure with nothing known but its code and a sentence.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code,
            reason: None,
            message: message.into(),
            target: None,
            sent: Sent::No,
            limit: None,
            status: None,
            retry_after: None,
            should_retry: None,
            body: None,
            headers: None,
            benches: true,
            safe: true,
        })
    }

    /// The status line this becomes.
    #[must_use]
    pub fn http_status(&self) -> StatusCode {
        self.code.status(self.status)
    }

    /// The upstream's own id of the request, from the headers of an error answer.
    pub(crate) fn request_id(&self) -> Option<Arc<str>> {
        let id = self.headers.as_ref()?.get("x-upstream-request-id")?;
        id.to_str().ok().map(Arc::from)
    }

    /// Whether the cut was made to leave time for the members behind.
    #[must_use]
    pub fn is_reserve_cut(&self) -> bool {
        self.limit.is_some_and(|l| l.clock == Clock::Reserve)
    }

    /// Whether it counts against the target's health.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.code.rule().counts && !self.is_reserve_cut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_name() {
        for c in Code::ALL {
            assert_eq!(Code::from_name(c.as_str()), Some(c));
        }
    }

    #[test]
    fn a_callers_mistake_keeps_the_status_the_upstream_gave() {
        assert_eq!(
            Code::InvalidRequest.status(Some(StatusCode::UNPROCESSABLE_ENTITY)),
            StatusCode::UNPROCESSABLE_ENTITY
        );
        assert_eq!(
            Code::InvalidRequest.status(Some(StatusCode::OK)),
            StatusCode::BAD_REQUEST
        );
        assert_eq!(
            Code::ServerError.status(Some(StatusCode::NOT_IMPLEMENTED)),
            StatusCode::BAD_GATEWAY
        );
    }

    #[test]
    fn a_skip_is_never_an_attempt() {
        for c in [
            Code::QueueFull,
            Code::QueueTimeout,
            Code::QueueWouldExpire,
            Code::CoolingDown,
            Code::BreakerOpen,
        ] {
            assert!(!c.rule().attempted && c.rule().fall_back && !c.rule().retry);
        }
    }
}
