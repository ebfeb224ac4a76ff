//! What is refused at the front door, each with its status, its code and what to do about it.
//!
//! Messages never hold a value of the caller's body or a credential.

use super::{
    fault::{self, Told},
    stamp,
};
use crate::keys::Denied;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use punctual_core::Outcome;
use punctual_wire::{
    BadBody,
    error_body::{self, ErrorFields},
};
use std::time::Duration;

/// How long to stay away when the process is full.
const SOON: Duration = Duration::from_secs(1);

/// One refusal.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) allow: Option<&'static str>,
    pub(super) outcome: Outcome,
    message: String,
    param: Option<&'static str>,
    retry_after: Option<Duration>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: String) -> Box<Self> {
        Box::new(Self {
            status,
            code,
            message,
            param: None,
            allow: None,
            retry_after: None,
            outcome: Outcome::Rejected,
        })
    }

    pub(crate) fn with_allow(mut self: Box<Self>, methods: &'static str) -> Box<Self> {
        self.allow = Some(methods);
        self
    }

    fn with_param(mut self: Box<Self>, param: &'static str) -> Box<Self> {
        self.param = Some(param);
        self
    }

    /// The process is at a limit of its own.
    fn overload(code: &'static str, message: &str) -> Box<Self> {
        let mut refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message.to_owned());
        refusal.retry_after = Some(SOON);
        refusal.outcome = Outcome::Overloaded;
        refusal
    }

    pub(crate) fn busy() -> Box<Self> {
        Self::overload(
            "too_many_requests_in_flight",
            "the gateway is serving as many requests as it may; try again",
        )
    }

    pub(crate) fn no_memory() -> Box<Self> {
        Self::overload(
            "memory_exhausted",
            "the gateway has no memory left for request bodies; try again",
        )
    }

    pub(crate) fn denied(denied: Denied) -> Box<Self> {
        let message = match denied {
            Denied::Missing => {
                "no API key was sent; send `Authorization: Bearer <key>`, or the key in x-api-key, api-key, \
                 x-goog-api-key or x-punctual-key"
            }
            Denied::Unknown => "the API key is not valid here",
        };
        Self::new(
            StatusCode::UNAUTHORIZED,
            "invalid_api_key",
            message.to_owned(),
        )
    }

    pub(crate) fn not_for_this_key() -> Box<Self> {
        let message =
            "this API key may not use the model asked for; GET /v1/models lists those it may";
        Self::new(
            StatusCode::FORBIDDEN,
            "model_not_allowed",
            message.to_owned(),
        )
        .with_param("model")
    }

    /// `nearest` is a configured name that looks like the one asked for.
    pub(crate) fn unknown_model(nearest: Option<&str>) -> Box<Self> {
        let mut message =
            "the model asked for is not served here; GET /v1/models lists those that are"
                .to_owned();
        if let Some(name) = nearest {
            message.push_str(&format!(". Did you mean `{name}`?"));
        }
        Self::new(StatusCode::NOT_FOUND, "model_not_found", message).with_param("model")
    }

    /// It stands behind a prefix that is served, but goes into paths and labels further on.
    pub(crate) fn odd_model() -> Box<Self> {
        let message = "the model asked for is not served here: behind a prefix its name consists of \
                       letters, digits and ._:/@-, at most 128 of them and without `..`";
        Self::new(StatusCode::NOT_FOUND, "model_not_found", message.to_owned()).with_param("model")
    }

    pub(crate) fn unknown_path() -> Box<Self> {
        let message = "there is nothing at this path. Served are, below /v1: /chat/completions, /responses, \
                       /messages, /messages/count_tokens, /completions, /embeddings, /images/generations, \
                       /systemone and /models; for whatever else a provider has (Gemini's, Bedrock's or \
                       Ollama's own API, files, batches) use /passthrough/{target}/…";
        Self::new(StatusCode::NOT_FOUND, "unknown_path", message.to_owned())
    }

    pub(crate) fn odd_response_id() -> Box<Self> {
        let message =
            "the id of a response consists of letters, digits and ._-, at most 256 of them";
        let status = StatusCode::BAD_REQUEST;
        Self::new(status, "invalid_response_id", message.to_owned())
    }

    /// It goes upstream and must not leave what is below the target's base URL.
    pub(crate) fn odd_path() -> Box<Self> {
        let message = "the path behind the target must lead down only: no `.`, `..` or empty segment and no \
                       control character, encoded ones included";
        let status = StatusCode::BAD_REQUEST;
        Self::new(status, "invalid_passthrough_path", message.to_owned())
    }

    pub(crate) fn unknown_target() -> Box<Self> {
        let message =
            "/passthrough/{target}/… takes the name of a configured target that is part of a route";
        Self::new(
            StatusCode::NOT_FOUND,
            "target_not_found",
            message.to_owned(),
        )
    }

    pub(crate) fn target_not_for_this_key() -> Box<Self> {
        let message = "this API key may not use any route that this target is part of";
        let status = StatusCode::FORBIDDEN;
        Self::new(status, "target_not_allowed", message.to_owned())
    }

    /// The operator has not switched it on.
    pub(crate) fn target_without_passthrough() -> Box<Self> {
        let message = "this target is not reached by passthrough; write `passthrough: true` on the target or its \
                       provider if it should be";
        let status = StatusCode::FORBIDDEN;
        Self::new(status, "passthrough_disabled", message.to_owned())
    }

    /// Passthrough reaches every model and path of a target, whatever the key's routes are.
    pub(crate) fn key_without_passthrough() -> Box<Self> {
        let message = "this API key may not use passthrough; a key with a list of `routes` may only where its \
                       configuration says `passthrough: true`";
        let status = StatusCode::FORBIDDEN;
        Self::new(status, "passthrough_not_allowed", message.to_owned())
    }

    /// A stream is asked for where there is none.
    pub(crate) fn no_streams() -> Box<Self> {
        let message = "there are no streams on this path; leave `stream` out, or send false";
        let status = StatusCode::BAD_REQUEST;
        Self::new(status, "invalid_request_body", message.to_owned()).with_param("stream")
    }

    pub(crate) fn bad_body(bad: BadBody) -> Box<Self> {
        let refusal = Self::new(StatusCode::BAD_REQUEST, "invalid_request_body", bad.message);
        match bad.param {
            Some(param) => refusal.with_param(param),
            None => refusal,
        }
    }

    pub(crate) fn malformed() -> Box<Self> {
        let message = "the request body is not framed as HTTP requires";
        Self::new(
            StatusCode::BAD_REQUEST,
            "malformed_body",
            message.to_owned(),
        )
    }

    pub(crate) fn too_large(most: usize) -> Box<Self> {
        let message =
            format!("the request body is larger than the {most} bytes that are taken here");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", message)
    }

    pub(crate) fn stalled() -> Box<Self> {
        let message = "nothing of the request body came for too long";
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "receive_timeout",
            message.to_owned(),
        )
    }

    pub(crate) fn unusable_deadline(message: String) -> Box<Self> {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_deadline", message)
    }

    pub(super) fn stamp(&self, headers: &mut HeaderMap) {
        if let Some(methods) = self.allow {
            headers.insert(header::ALLOW, HeaderValue::from_static(methods));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        match self.retry_after {
            Some(wait) => stamp::retry_after(headers, wait),
            // asking again cannot help, and SDKs would
            None if self.status.is_server_error() => stamp::no_retry(headers),
            None => {}
        }
    }

    pub(super) fn body(&self, told: Told<'_>) -> Bytes {
        let fields = ErrorFields {
            message: &self.message,
            kind: match told.compat {
                true => self.code,
                false => fault::kind_of(self.status),
            },
            code: Some(self.code),
            param: self.param,
            request_id: Some(told.id),
            extra: Vec::new(),
        };
        error_body::error(told.words, self.status.as_u16(), &fields)
    }
}
