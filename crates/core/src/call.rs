//! What a caller asked for, after the front door: owned, so that the future serving it can move into the
//! response body when the first heartbeat is due.

use crate::{bond::State, deadline::Deadline, plan::Plan, room::Room};
use bytes::Bytes;
use http::{HeaderMap, Method};
use std::{ops::Range, sync::Arc, time::Duration};

/// An inbound API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Surface {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/completions`
    Completions,
    /// `/v1/embeddings`
    Embeddings,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Messages,
    /// `/v1/messages/count_tokens`
    CountTokens,
    /// `/v1/images/generations`
    Images,
    /// `/v1/systemone`
    SystemOne,
    /// `/passthrough/{target}/…`: anything a provider offers, as it is
    Passthrough,
}

impl Surface {
    /// `chat`, `completions`, `embeddings` and so on: the last part of span names.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
            Self::Embeddings => "embeddings",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Images => "images",
            Self::SystemOne => "systemone",
            Self::Passthrough => "passthrough",
        }
    }
}

/// What happens when a target's API has no place for something that the caller said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unsupported {
    /// Parameters are left out, content is refused: a question is answered whole or not at all.
    #[default]
    DropParameters,
    /// Everything is left out.
    Drop,
    /// Everything is refused.
    Refuse,
}

/// What ends the time in which an attempt can still be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommitOn {
    /// The first content of any kind.
    #[default]
    Content,
    /// The first content that is not reasoning.
    Text,
}

/// The rules of a route that the engine follows.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Bounds the product of nested nodes.
    pub max_attempts_total: u32,
    /// No attempt starts with less than this left.
    pub min_attempt: Duration,
    /// A server's hint beyond this is never waited for.
    pub max_retry_after: Duration,
    /// How long a request that finds only cooling targets may wait.
    pub max_cooldown_wait: Duration,
    /// What commits a stream.
    pub commit_on: CommitOn,
    /// What happens to what a target's API has no place for.
    pub unsupported: Unsupported,
    /// Interval of heartbeats on streams; `None` is off.
    pub heartbeat: Option<Duration>,
    /// Bytes of preamble held back before the commit is made early.
    pub hold_back_bytes: usize,
    /// Events of preamble held back before the commit is made early.
    pub hold_back_events: usize,
    /// How long an entry waits in a lane before it outranks everything younger.
    pub patience: Duration,
    /// A caller that takes nothing for this long is gone; `None` is no limit.
    pub caller_stall: Option<Duration>,
}

impl Default for Policy {
    /// The defaults of the gateway.
    fn default() -> Self {
        Self {
            max_attempts_total: 16,
            min_attempt: Duration::ZERO,
            max_retry_after: Duration::from_secs(60),
            max_cooldown_wait: Duration::from_secs(5),
            commit_on: CommitOn::Content,
            unsupported: Unsupported::DropParameters,
            heartbeat: Some(Duration::from_secs(20)),
            hold_back_bytes: 1 << 20,
            hold_back_events: 1024,
            patience: Duration::from_secs(30),
            caller_stall: Some(Duration::from_secs(60)),
        }
    }
}

/// One request, as the engine and an [`Upstream`](crate::Upstream) see it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The request's id, for answers that need one and have none.
    pub id: Arc<str>,
    /// The inbound API.
    pub surface: Surface,
    /// `POST`, but for what is passed on by its path.
    pub method: Method,
    /// Path and query below the target's base URL, for what is passed on by its path.
    pub path: Option<Arc<str>>,
    /// Whether the caller asked for a stream.
    pub stream: bool,
    /// How many choices must finish before a stream has ended (`n`).
    pub choices: u32,
    /// Whether the caller itself asked for the usage chunk.
    pub include_usage: bool,
    /// The model in the caller's words, alias resolved and the provider's prefix removed; what a target
    /// that passes the model through sends.
    pub model: Arc<str>,
    /// Where the `model` value stands in `body`, quotes included.
    pub model_span: Range<usize>,
    /// The caller's body, untouched; dropped at commit.
    pub body: Bytes,
    /// The body is in the target's own API and names its model: it is sent as it is, and the answer comes as
    /// it came.
    pub native: bool,
    /// The caller's headers, all of them: an upstream sends only those on its allow-list.
    pub headers: Arc<HeaderMap>,
    /// What it carries that only its maker can serve.
    pub state: State,
    /// The name of the caller's key, for fairness between keys.
    pub key: Option<Arc<str>>,
    /// When it must have ended.
    pub deadline: Deadline,
    /// Whom to ask, in which order.
    pub plan: Arc<Plan>,
    /// The route's rules.
    pub policy: Arc<Policy>,
    /// Where memory for held-back events is taken from; `None` is without bound but the policy's.
    pub room: Option<Arc<dyn Room>>,
}

impl Call {
    /// A unary call with nothing but what every call has; the rest is for the caller to fill in.
    #[must_use]
    pub fn new(surface: Surface, plan: Arc<Plan>, deadline: Deadline) -> Self {
        Self {
            id: Arc::from(""),
            surface,
            method: Method::POST,
            path: None,
            stream: false,
            choices: 1,
            include_usage: false,
            model: Arc::from(""),
            model_span: 0..0,
            body: Bytes::new(),
            native: false,
            headers: Arc::default(),
            state: State::default(),
            key: None,
            deadline,
            plan,
            policy: Arc::default(),
            room: None,
        }
    }
}
