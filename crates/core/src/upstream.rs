//! What the engine asks of whoever talks to the providers.
//!
//! An [`Upstream`] sends one attempt and yields [`Piece`]s: bytes for the caller, already judged. The
//! judgement (what is content, what ends a stream, what is an error) is made once, there; commit, clocks,
//! end, usage and outcome all follow it. How far an attempt has come is written into a [`Progress`] that
//! outlives the dropped future of a cancelled attempt.

use crate::{
    bond::Bond,
    call::Call,
    failure::Failure,
    plan::{Plan, TargetId},
    trace::{SpanId, Trace},
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use std::{
    future::Future,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

mod progress;
pub use progress::Progress;

/// Talks to providers. Dropping what it returns must end the exchange at once.
pub trait Upstream: Send + Sync + 'static {
    /// The body of an answer.
    type Pieces: Pieces;

    /// What somebody says of retrying `failure` under the retry node `node` of the call's plan, in place of
    /// that node's rules; `None` leaves it to them.
    fn judge(&self, _node: &Plan, _failure: &Failure) -> Option<bool> {
        None
    }

    /// Starts one attempt and resolves when the upstream's head has been read and judged; an error status
    /// is a [`Failure`].
    fn send(
        &self,
        target: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Pieces, Box<Failure>>> + Send;

    /// Whether a target can serve a call at all, asked before it is queued for.
    ///
    /// # Errors
    /// [`Code::Unsupported`](crate::Code) where it cannot.
    fn suits(&self, _target: TargetId, _call: &Call) -> Result<(), Box<Failure>> {
        Ok(())
    }

    /// Who can serve a call that carries state.
    fn bond(&self, _call: &Call) -> Bond {
        Bond::Free
    }
}

/// What an attempt is told about itself.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// 1 for the first attempt of the request.
    pub number: u32,
    /// Time left of the request; `None` when it has no deadline.
    pub left: Option<Duration>,
    /// The attempt's own limit, for lowering what is forwarded.
    pub limit: Option<Duration>,
    /// The request's trace.
    pub trace: &'a Trace,
    /// The span to name as parent in `traceparent`.
    pub span: SpanId,
    /// Where to write how far it has come.
    pub progress: &'a Arc<Progress>,
}

/// An answer being read. Dropping it ends the exchange.
pub trait Pieces: Send + Unpin + 'static {
    /// Status and allow-listed headers of the answer.
    fn head(&self) -> &Head;
    /// The next piece; `None` at the upstream's last byte. A unary answer is one piece, read whole and
    /// judged. A failure ends it.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>>;
    /// What has been learnt about the answer so far.
    fn summary(&self) -> Summary;
    /// Whether nothing is waited for but work on what has come already: that is no silence of the upstream's,
    /// and what it has said is not told yet.
    fn is_busy(&self) -> bool {
        false
    }
    /// Whether the upstream's last byte has been read, whatever is still made of it here: from then on the
    /// exchange takes no place in its target's lane.
    fn is_read(&self) -> bool {
        false
    }
    /// The answer is complete: what is still to be written to end it in the caller's dialect. Asked once, at
    /// the upstream's last byte or after the silence that stands for it; `None` leaves it to the
    /// [`Voice`](crate::Voice).
    fn closing(&mut self) -> Option<Bytes> {
        None
    }
    /// The answer is an error that is given to the caller as its upstream said it: what it is to the target's
    /// health, to the record and to the outcome. Known from the start.
    fn failure(&self) -> Option<&Failure> {
        None
    }
}

/// An answer that is large is moved by its address.
impl<P: Pieces> Pieces for Box<P> {
    fn head(&self) -> &Head {
        P::head(self)
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        P::poll_piece(self, cx)
    }

    fn summary(&self) -> Summary {
        P::summary(self)
    }

    fn is_busy(&self) -> bool {
        P::is_busy(self)
    }

    fn is_read(&self) -> bool {
        P::is_read(self)
    }

    fn closing(&mut self) -> Option<Bytes> {
        P::closing(self)
    }

    fn failure(&self) -> Option<&Failure> {
        P::failure(self)
    }
}

/// Status line and headers for the caller.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The upstream's status.
    pub status: StatusCode,
    /// Headers that may go back to the caller, `content-type` among them.
    pub headers: HeaderMap,
    /// The upstream's own request id.
    pub request_id: Option<Arc<str>>,
    /// What the target's API had no place for, by the names of the caller's.
    pub dropped: Vec<Arc<str>>,
}

/// Whole events (or a whole unary answer), judged.
#[derive(Debug)]
pub struct Piece {
    /// For the caller, in its dialect.
    pub bytes: Bytes,
    /// What it is.
    pub kind: Kind,
    /// Set when with this piece the end condition is met.
    pub end: Option<End>,
}

/// What a piece is to commit, clocks and end.
#[derive(Debug)]
pub enum Kind {
    /// A comment or ping: dropped before the commit, relayed after it.
    Comment,
    /// A data event without content: role, empty delta, usage.
    Event,
    /// Content.
    Content {
        /// False for reasoning, which a route may not want to commit on.
        text: bool,
    },
    /// The dialect's end marker (`[DONE]`): relayed once, added when missing after a true end.
    Done,
    /// An error inside the stream; its bytes never reach the caller, ours do.
    Error(Box<Failure>),
}

/// How a stream said it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `stop`, or nothing said: without content this is an empty response.
    Stop,
    /// `length`, `content_filter`, `tool_calls` and the like: an answer even without content.
    Other,
}

/// Tokens as the provider counted them; what it did not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of gen_ai.usage.*")]
pub struct Usage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cached_input_tokens: Option<u64>,
    pub reasoning_tokens: Option<u64>,
}

/// How long the provider says it took, where it says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// For all of it.
    pub total: Option<Duration>,
    /// For loading the model.
    pub load: Option<Duration>,
    /// For reading the prompt.
    pub prompt: Option<Duration>,
    /// For writing the answer.
    pub output: Option<Duration>,
}

/// What an answer said about itself.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Tokens.
    pub usage: Usage,
    /// Times.
    pub timings: Timings,
    /// Finish reason; the first one when there are several choices.
    pub finish: Option<Arc<str>>,
    /// The model that answered.
    pub model: Option<Arc<str>>,
    /// The answer's id.
    pub response_id: Option<Arc<str>>,
    /// Content events seen.
    pub content_events: u64,
    /// Bytes of an unfinished last event that were dropped.
    pub dropped_bytes: u64,
    /// What one of the two APIs had no place for, in question and answer, by name.
    pub dropped: Vec<Arc<str>>,
}
