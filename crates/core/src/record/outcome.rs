//! The words for where a request stands, how it ended, and why it was cancelled.

use crate::failure::{Code, Fault};

/// What a request is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is its `as_str`")]
pub enum Phase {
    Receiving,
    Queued,
    Connecting,
    AwaitingHeaders,
    AwaitingContent,
    Streaming,
    Backoff,
}

impl Phase {
    /// The name in errors and telemetry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Receiving => "receiving",
            Self::Queued => "queued",
            Self::Connecting => "connecting",
            Self::AwaitingHeaders => "awaiting_headers",
            Self::AwaitingContent => "awaiting_content",
            Self::Streaming => "streaming",
            Self::Backoff => "backoff",
        }
    }
}

/// Why a request was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The caller left.
    Gone,
    /// The caller stopped taking bytes.
    Stalled,
}

/// The one terminal classification of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is its `as_str`")]
pub enum Outcome {
    Ok,
    Rejected,
    UpstreamRejected,
    Failed,
    DeadlineExceeded,
    Cancelled,
    Overloaded,
    Truncated,
    Shutdown,
}

impl Outcome {
    /// The name in telemetry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Rejected => "rejected",
            Self::UpstreamRejected => "upstream_rejected",
            Self::Failed => "failed",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::Cancelled => "cancelled",
            Self::Overloaded => "overloaded",
            Self::Truncated => "truncated",
            Self::Shutdown => "shutdown",
        }
    }

    /// The outcome of a request whose last word is `code`.
    #[must_use]
    pub const fn of(code: Code, committed: bool) -> Self {
        match (code, code.rule().fault) {
            (Code::ShuttingDown, _) => Self::Shutdown,
            (Code::DeadlineExceeded, _) => Self::DeadlineExceeded,
            (Code::KeyLimit | Code::Unsupported, _) => Self::Rejected,
            (_, Fault::Load) => Self::Overloaded,
            (Code::Internal, _) => Self::Failed,
            _ if committed => Self::Truncated,
            (_, Fault::Caller) => Self::UpstreamRejected,
            _ => Self::Failed,
        }
    }
}
