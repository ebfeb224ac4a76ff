//! A successful answer, read piece by piece and judged on the way.
//!
//! What a body is, is told by its first bytes: event streams come under any label, and a stream that was
//! asked for can come as one JSON object, which is then made a stream. A unary answer is read whole and is
//! one piece. Whoever drops an [`Answer`] ends its exchange.

use crate::{
    body::{Body, Cut},
    dialect, fault, head,
};
use bytes::{Bytes, BytesMut};
use http::{header, response::Parts};
use punctual_core::{Call, End, Failure, Head, Kind, Piece, Pieces, Summary};
use punctual_wire::{
    dialect as words,
    sniff::{Sniff, sniff},
};
use std::{
    fmt,
    task::{Context, Poll, ready},
};

mod events;
mod reader;
mod whole;
use events::Events;
pub(crate) use reader::Reader;
use whole::Whole;

/// A body that is neither within this many bytes is neither.
const SNIFFED: usize = 4096;

/// An answer being read.
pub struct Answer {
    head: Head,
    body: Option<Body>,
    mode: Mode,
    reader: Reader,
    summary: Summary,
}

enum Mode {
    /// A stream was asked for; what came is not known yet.
    Unknown(BytesMut, bool),
    Events(Box<Events>),
    /// One JSON object; the flag tells whether a stream was asked for.
    Whole(Whole, bool),
    Over,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}

impl Answer {
    pub(crate) fn new(parts: &Parts, body: Body, reader: Reader, call: &Call) -> Self {
        let labelled = parts.headers.get(header::CONTENT_TYPE);
        let labelled = labelled.is_some_and(head::is_event_stream);
        let mode = match call.stream {
            true => Mode::Unknown(BytesMut::new(), labelled),
            false => Mode::Whole(Whole::default(), false),
        };
        Self {
            head: head::of_answer(parts, call.stream),
            body: Some(body),
            mode,
            reader,
            summary: Summary::default(),
        }
    }

    /// Takes bytes in; nothing is given out before the next [`step`](Self::step).
    fn take(&mut self, bytes: Bytes) -> Result<(), Box<Failure>> {
        let bytes = match &mut self.mode {
            Mode::Unknown(begun, labelled) => {
                begun.extend_from_slice(&bytes);
                let labelled = *labelled;
                let kind = sniff(begun);
                if kind == Sniff::Undecided && begun.len() < SNIFFED {
                    return Ok(());
                }
                let begun = std::mem::take(begun).freeze();
                self.mode = match kind {
                    Sniff::Sse => Mode::Events(Box::new(self.reader.events())),
                    Sniff::Json => Mode::Whole(Whole::default(), true),
                    Sniff::Other | Sniff::Undecided if labelled => {
                        Mode::Events(Box::new(self.reader.events()))
                    }
                    Sniff::Other | Sniff::Undecided => {
                        return Err(fault::malformed(
                            "the upstream's answer is neither an event stream nor JSON",
                        ));
                    }
                };
                begun
            }
            _ => bytes,
        };
        match &mut self.mode {
            Mode::Events(events) => events.push(bytes),
            Mode::Whole(whole, _) => {
                let room = self.body.as_ref().map_or(0, Body::capacity);
                let limit = self.reader.target.max_response_bytes;
                if whole.push(bytes, room) > limit {
                    return Err(fault::too_large("answer", "max_response_bytes", limit));
                }
            }
            Mode::Unknown(..) | Mode::Over => {}
        }
        Ok(())
    }

    /// The body has ended, as it should or not.
    fn end(&mut self, cut: Option<Cut>) -> Result<Option<Piece>, Box<Failure>> {
        self.body = None;
        match (std::mem::replace(&mut self.mode, Mode::Over), cut) {
            (Mode::Over, _) => Ok(None),
            (Mode::Events(mut events), None) => {
                events.finish();
                self.mode = Mode::Events(events);
                Ok(None)
            }
            (Mode::Events(events), Some(cut)) => {
                self.summary = events.summary();
                Err(cut.into_failure())
            }
            (_, Some(cut)) => Err(cut.into_failure()),
            (Mode::Unknown(..), None) => Err(fault::truncated()),
            (Mode::Whole(whole, false), None) => self.answer(whole.finish()).map(Some),
            (Mode::Whole(whole, true), None) => {
                let bytes = whole.finish();
                let stream = (self.reader.target.rules.to_stream)(self.reader.surface, &bytes);
                let stream = stream.map_err(|verdict| self.reader.judged(&verdict, &bytes))?;
                self.mode = Mode::Events(Box::new(self.reader.events()));
                self.take(stream)?;
                Ok(None)
            }
        }
    }

    fn answer(&mut self, bytes: Bytes) -> Result<Piece, Box<Failure>> {
        let answer = (self.reader.target.rules.answer)(self.reader.surface, &bytes)
            .map_err(|verdict| self.reader.judged(&verdict, &bytes))?;
        self.summary = dialect::summary(&answer);
        let kind = match answer.has_content {
            true => Kind::Content { text: true },
            false => Kind::Event,
        };
        Ok(Piece {
            bytes,
            kind,
            end: Some(end(answer.end)),
        })
    }

    /// What can be said without reading more: a piece, the end, or `Pending` for neither.
    fn step(&mut self) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        match &mut self.mode {
            Mode::Over => Poll::Ready(None),
            Mode::Unknown(..) | Mode::Whole(..) => Poll::Pending,
            Mode::Events(events) => match events.next(&self.reader) {
                None if self.body.is_none() => Poll::Ready(None),
                None => Poll::Pending,
                Some(piece) => Poll::Ready(Some(piece)),
            },
        }
    }

    /// Nothing more comes: the exchange ends here.
    fn close(&mut self) {
        self.body = None;
        if let Mode::Events(events) = &self.mode {
            self.summary = events.summary();
        }
        self.mode = Mode::Over;
    }
}

impl Pieces for Answer {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        loop {
            if let Poll::Ready(said) = self.step() {
                if !matches!(said, Some(Ok(_))) {
                    self.close();
                }
                return Poll::Ready(said);
            }
            let chunk = match &mut self.body {
                Some(body) => ready!(body.poll_chunk(cx)),
                None => None,
            };
            let done = match chunk {
                Some(Ok(bytes)) => self.take(bytes).map(|()| None),
                Some(Err(cut)) => self.end(Some(cut)),
                None => self.end(None),
            };
            match done {
                Ok(None) => {}
                Ok(Some(piece)) => return Poll::Ready(Some(Ok(piece))),
                Err(failure) => {
                    self.close();
                    return Poll::Ready(Some(Err(failure)));
                }
            }
        }
    }

    fn summary(&self) -> Summary {
        match &self.mode {
            Mode::Events(events) => events.summary(),
            _ => self.summary.clone(),
        }
    }
}

fn end(end: words::End) -> End {
    match end {
        words::End::Stop => End::Stop,
        words::End::Other => End::Other,
    }
}
