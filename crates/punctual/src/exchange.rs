//! One attempt's answer in pieces, whoever gives it.
//!
//! A provider's bytes go through the engine as they came, judged on the way, and are read once they have
//! come through. A member's steps have no bytes: each stands for itself as one byte of a piece, and waits in
//! the parcels until that byte has come through.

use crate::{
    answer::Answer,
    delta::{Delta, Done},
    dispatch::Parcels,
    member::Deltas,
};
use bytes::Bytes;
use punctual_core::{Code, End, Failure, Head, Kind, Piece, Pieces, Summary, Usage};
use punctual_upstream::Answer as WireAnswer;
use punctual_wire::{
    Verdict,
    dialect::Finish,
    middle::{self, summary},
};
use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

type Read = fn(&[u8]) -> Result<middle::Answer, Verdict>;

pub(crate) enum Exchange {
    Wire {
        answer: Box<WireAnswer>,
        read: Option<Read>,
        parcels: Parcels,
    },
    Whole(Box<Whole>),
    Stream(Box<Steps>),
}

impl Exchange {
    /// `read` reads a whole answer; `None` for a stream.
    pub(crate) fn wire(answer: Box<WireAnswer>, read: Option<Read>, parcels: Parcels) -> Self {
        Self::Wire {
            answer,
            read,
            parcels,
        }
    }

    pub(crate) fn own_whole(answer: Answer, parcels: &Parcels) -> Self {
        let middle = middle::Answer {
            choices: answer.choices.clone(),
            ..middle::Answer::default()
        };
        let judged = summary(&middle);
        let kind = match judged.has_content {
            true => Kind::Content { text: true },
            false => Kind::Event,
        };
        let end = match answer.finish.as_ref().is_none_or(Finish::is_stop) {
            true => End::Stop,
            false => End::Other,
        };
        let summary = learnt(
            answer.usage,
            answer.finish.as_ref(),
            answer.model.as_deref(),
        );
        parcels.lock().answer = Some(answer);
        Self::Whole(Box::new(Whole {
            head: Head::default(),
            piece: Some(piece(kind, Some(end))),
            summary,
        }))
    }

    pub(crate) fn own_stream(first: Option<Delta>, deltas: Deltas, parcels: Parcels) -> Self {
        Self::Stream(Box::new(Steps {
            head: Head::default(),
            deltas: first.is_some().then_some(deltas),
            first,
            parcels,
            summary: Summary::default(),
            has_content: false,
            open_call: false,
        }))
    }
}

impl Pieces for Exchange {
    fn head(&self) -> &Head {
        match self {
            Self::Wire { answer, .. } => answer.head(),
            Self::Whole(whole) => &whole.head,
            Self::Stream(steps) => &steps.head,
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        match self {
            Self::Whole(whole) => Poll::Ready(whole.piece.take().map(Ok)),
            Self::Stream(steps) => steps.poll(cx),
            Self::Wire {
                answer,
                read,
                parcels,
            } => {
                let piece = ready!(answer.poll_piece(cx));
                if let (Some(read), Some(Ok(piece))) = (read, &piece)
                    && !matches!(piece.kind, Kind::Error(_))
                {
                    match read(&piece.bytes) {
                        Ok(answer) => parcels.lock().answer = Some(answer.into()),
                        Err(_) => return Poll::Ready(Some(Err(unreadable()))),
                    }
                }
                Poll::Ready(piece)
            }
        }
    }

    fn summary(&self) -> Summary {
        match self {
            Self::Wire { answer, .. } => answer.summary(),
            Self::Whole(whole) => whole.summary.clone(),
            Self::Stream(steps) => steps.summary.clone(),
        }
    }

    fn is_busy(&self) -> bool {
        matches!(self, Self::Wire { answer, .. } if answer.is_busy())
    }

    fn is_read(&self) -> bool {
        matches!(self, Self::Wire { answer, .. } if answer.is_read())
    }
}

fn unreadable() -> Box<Failure> {
    let mut failure = Failure::new(
        Code::MalformedResponse,
        "the provider's answer cannot be read",
    );
    failure.sent = punctual_core::Sent::Yes;
    failure
}

/// A member's whole answer.
pub(crate) struct Whole {
    head: Head,
    piece: Option<Piece>,
    summary: Summary,
}

/// A member's stream.
pub(crate) struct Steps {
    head: Head,
    first: Option<Delta>,
    /// Until it has ended.
    deltas: Option<Deltas>,
    parcels: Parcels,
    summary: Summary,
    has_content: bool,
    open_call: bool,
}

impl Steps {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(self.say(first))));
        }
        let Some(deltas) = &mut self.deltas else {
            return Poll::Ready(None);
        };
        let delta = match ready!(deltas.as_mut().poll_next(cx)) {
            Some(Ok(delta)) => delta,
            Some(Err(failed)) => {
                self.deltas = None;
                return Poll::Ready(Some(Err(failed.into_failure())));
            }
            None => {
                self.deltas = None;
                return Poll::Ready(None);
            }
        };
        Poll::Ready(Some(Ok(self.say(delta))))
    }

    fn say(&mut self, delta: Delta) -> Piece {
        let piece = self.judge(&delta);
        self.parcels.lock().deltas.push_back(delta);
        piece
    }

    fn judge(&mut self, delta: &Delta) -> Piece {
        self.open_call |= matches!(delta, Delta::ToolCall { .. });
        let text = !matches!(delta, Delta::Reasoning { .. });
        let Delta::Done(done) = delta else {
            let content = delta.is_content();
            self.has_content |= content;
            self.summary.content_events += u64::from(content);
            let kind = if content {
                Kind::Content { text }
            } else {
                Kind::Event
            };
            return piece(kind, None);
        };
        self.deltas = None;
        self.end(done)
    }

    fn end(&mut self, done: &Done) -> Piece {
        let learnt = learnt(done.usage, done.finish.as_ref(), None);
        (self.summary.usage, self.summary.finish) = (learnt.usage, learnt.finish);
        // a call that never got input is whole at the end
        let kind = match self.open_call && !self.has_content {
            true => Kind::Content { text: true },
            false => Kind::Event,
        };
        let stopped = done.finish.as_ref().is_none_or(Finish::is_stop);
        piece(kind, Some(if stopped { End::Stop } else { End::Other }))
    }
}

fn piece(kind: Kind, end: Option<End>) -> Piece {
    Piece {
        bytes: Bytes::from_static(b"."),
        kind,
        end,
    }
}

fn learnt(usage: punctual_wire::Usage, finish: Option<&Finish>, model: Option<&str>) -> Summary {
    Summary {
        usage: Usage {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cached_input_tokens: usage.cached_input,
            reasoning_tokens: usage.reasoning,
        },
        finish: finish.map(|finish| Arc::from(finish.as_str())),
        model: model.map(Arc::from),
        ..Summary::default()
    }
}
