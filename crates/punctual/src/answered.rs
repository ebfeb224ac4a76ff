//! Answers of which the engine sees the head alone: those of a program's own client.
//!
//! Status and hints are read by the table of failures; the body is the program's to read.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use punctual_core::{Code, End, Failure, Head, Kind, Piece, Pieces, Sent, Summary};
use punctual_wire::Verdict;
use std::{
    task::{Context, Poll},
    time::SystemTime,
};

/// Any error.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What a head says by the table of failures.
pub(crate) fn failure(status: StatusCode, headers: &HeaderMap) -> Option<Box<Failure>> {
    if status.is_success() || status.is_informational() || status.is_redirection() {
        return None;
    }
    let verdict = Verdict::of_response(status.as_u16(), headers, b"", SystemTime::now());
    let mut failure = Failure::new(code(status), format!("the service answered {status}"));
    (failure.status, failure.sent) = (Some(status), Sent::Yes);
    (failure.retry_after, failure.should_retry) = (verdict.retry, verdict.should_retry);
    Some(failure)
}

fn code(status: StatusCode) -> Code {
    match status.as_u16() {
        429 => Code::RateLimited,
        402 => Code::QuotaExhausted,
        503 | 529 => Code::Overloaded,
        401 | 403 => Code::Unauthorized,
        404 => Code::NotFound,
        408 | 425 | 500..=599 => Code::ServerError,
        _ => Code::InvalidRequest,
    }
}

/// An answer whose head has come: that is all the engine waits for.
pub(crate) struct Answered {
    head: Head,
    piece: Option<Piece>,
}

impl Answered {
    pub(crate) fn new(status: StatusCode) -> Self {
        let piece = Piece {
            bytes: Bytes::new(),
            kind: Kind::Content { text: true },
            end: Some(End::Other),
        };
        let head = Head {
            status,
            ..Head::default()
        };
        Self {
            head,
            piece: Some(piece),
        }
    }
}

impl Pieces for Answered {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        Poll::Ready(self.piece.take().map(Ok))
    }

    fn summary(&self) -> Summary {
        Summary::default()
    }
}
