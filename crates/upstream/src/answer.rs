//! A successful answer, read piece by piece and judged on the way.
//!
//! What a body is, is told by its first bytes: event streams come under any label, and a stream that was
//! asked for can come as one JSON object, which is then made a stream. A unary answer is read whole and is
//! one piece. What is passed through without being known is given as it comes. Whoever drops an [`Answer`]
//! ends its exchange.

use crate::{
    body::{Body, Cut},
    fault, head,
};
use bytes::{Bytes, BytesMut};
use http::{header, response::Parts};
use punctual_core::{Call, End, Failure, Head, Kind, Piece, Pieces, Summary};
use punctual_wire::{Api, dialect as words, frame::Framing, sniff::Sniff};
use std::{
    fmt,
    task::{Context, Poll, ready},
};

mod away;
mod events;
mod form;
mod owed;
mod raw;
mod reader;
mod reading;
mod told;
mod whole;
use away::Away;
use events::{Events, Next};
use raw::Raw;
pub(crate) use reader::Reader;
use told::{add, names};
use whole::{Case, Judged, Judging, Whole};

/// A body that is neither within this many bytes is neither.
const SNIFFED: usize = 4096;

/// An answer being read.
pub struct Answer {
    head: Head,
    body: Option<Body>,
    mode: Mode,
    reader: Reader,
    summary: Summary,
    /// The events were made of a whole answer, of which `summary` tells.
    made: bool,
    /// What ends a translated stream, when the upstream's own end has come.
    closing: Option<Bytes>,
    /// Nothing but the end of the connection tells that the body is complete.
    until_close: bool,
    /// It is an error, passed through.
    failure: Option<Box<Failure>>,
}

enum Mode {
    /// A stream was asked for; what came is not known yet.
    Unknown(BytesMut, bool),
    Events(Box<Events>),
    /// The next event takes long to read.
    Away(Away),
    /// One JSON object; the flag tells whether a stream was asked for.
    Whole(Whole, bool),
    Judging(Judging),
    /// Passed through.
    Raw(Raw),
    Over,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}

impl Answer {
    pub(crate) fn new(parts: &Parts, body: Body, reader: Reader, call: &Call) -> Self {
        let reader = reader.counted(&parts.headers);
        let labelled = parts.headers.get(header::CONTENT_TYPE);
        let labelled = labelled.is_some_and(|label| form::is_labelled(reader.way.api, label));
        let mode = match call.stream {
            _ if reader.way.api == Api::Raw => Mode::Raw(Raw::answer(call)),
            true => Mode::Unknown(BytesMut::new(), labelled),
            false => Mode::Whole(Whole::default(), false),
        };
        reader.serves();
        Self::reading(parts, Some(body), mode, reader, call.stream)
    }

    /// An error that is passed through, with what has come of its body and the rest of it.
    pub(crate) fn passing(
        parts: &Parts,
        (begun, rest): (Bytes, Option<Body>),
        reader: Reader,
        failure: Box<Failure>,
    ) -> Self {
        let raw = Raw::error(&begun, rest.is_none(), &reader);
        Self {
            failure: Some(failure),
            ..Self::reading(parts, rest, Mode::Raw(raw), reader, true)
        }
    }

    fn reading(
        parts: &Parts,
        body: Option<Body>,
        mode: Mode,
        reader: Reader,
        stream: bool,
    ) -> Self {
        let mut head = head::of_answer(parts, reader.way.surface, reader.way.via, stream);
        head.dropped = names(Some(&reader.lost));
        Self {
            head,
            body,
            mode,
            reader,
            summary: Summary::default(),
            made: false,
            closing: None,
            until_close: form::is_until_close(parts),
            failure: None,
        }
    }

    /// Takes bytes in; nothing is given out here.
    fn take(&mut self, bytes: Bytes) -> Result<(), Box<Failure>> {
        let bytes = match &mut self.mode {
            Mode::Unknown(begun, labelled) => {
                let bytes = match begun.is_empty() {
                    true => bytes,
                    false => {
                        begun.extend_from_slice(&bytes);
                        begun.split().freeze()
                    }
                };
                let kind = form::sniff(self.reader.way.api, &bytes);
                if kind == Sniff::Undecided && bytes.len() < SNIFFED {
                    begun.extend_from_slice(&bytes);
                    return Ok(());
                }
                let labelled = *labelled;
                self.mode = self.known(kind, labelled)?;
                bytes
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
            Mode::Raw(raw) => raw.push(bytes, &self.reader),
            Mode::Unknown(..) | Mode::Away(_) | Mode::Judging(_) | Mode::Over => {}
        }
        Ok(())
    }

    /// What to make of a body that was asked for as a stream.
    fn known(&self, kind: Sniff, labelled: bool) -> Result<Mode, Box<Failure>> {
        let events = |framing| Ok(Mode::Events(Box::new(self.reader.events(framing))));
        let framing = self.reader.way.api.framing();
        match kind {
            Sniff::Sse => events(framing),
            Sniff::Array => events(Framing::Array),
            Sniff::Json => Ok(Mode::Whole(Whole::default(), true)),
            Sniff::Other | Sniff::Undecided if labelled => events(framing),
            Sniff::Other | Sniff::Undecided => Err(fault::malformed(
                "the upstream's answer is neither an event stream nor JSON",
            )),
        }
    }

    /// The body has ended, as it should or not.
    fn end(&mut self, cut: Option<Cut>) -> Result<(), Box<Failure>> {
        self.body = None;
        if let Some(cut) = cut {
            return Err(cut.into_failure());
        }
        let mode = std::mem::replace(&mut self.mode, Mode::Over);
        self.mode = match mode {
            Mode::Unknown(..) => return Err(fault::truncated()),
            Mode::Whole(whole, as_stream) => {
                let case = Case {
                    bytes: whole.finish(),
                    as_stream,
                    until_close: self.until_close,
                };
                Mode::Judging(Judging::new(case, &self.reader))
            }
            Mode::Events(mut events) => {
                events.finish();
                Mode::Events(events)
            }
            Mode::Raw(mut raw) => {
                raw.finish(&self.reader);
                Mode::Raw(raw)
            }
            mode @ (Mode::Away(_) | Mode::Judging(_) | Mode::Over) => mode,
        };
        Ok(())
    }

    /// A whole body was judged: it is the answer, or the events are to be read.
    fn judged(&mut self, judged: Judged) -> Option<Piece> {
        self.mode = Mode::Over;
        let answer = match judged {
            Judged::Answer(answer) => answer,
            Judged::Stream(stream) => {
                self.learn(&stream);
                add(&mut self.head.dropped, &self.summary.dropped);
                self.made = true;
                let mut events = Box::new(self.reader.made().learnt());
                events.push(stream.bytes);
                self.mode = Mode::Events(events);
                return None;
            }
        };
        self.learn(&answer);
        add(&mut self.head.dropped, &self.summary.dropped);
        let kind = match answer.summary.has_content {
            true => Kind::Content { text: true },
            false => Kind::Event,
        };
        let end = Some(end(answer.summary.end));
        let bytes = answer.bytes;
        Some(Piece { bytes, kind, end })
    }

    /// The next piece, or the end.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Piece>, Box<Failure>>> {
        loop {
            match &mut self.mode {
                Mode::Over => return Poll::Ready(Ok(None)),
                Mode::Judging(judging) => {
                    let judged = ready!(judging.poll(cx))?;
                    if let Some(piece) = self.judged(judged) {
                        return Poll::Ready(Ok(Some(piece)));
                    }
                    continue;
                }
                Mode::Away(away) => {
                    let (events, piece) = ready!(away.poll(cx))?;
                    self.mode = Mode::Events(events);
                    if let Some(piece) = piece {
                        return Poll::Ready(Ok(Some(piece)));
                    }
                    continue;
                }
                Mode::Events(events) => match events.next(&self.reader) {
                    Next::Piece(piece) => return Poll::Ready(piece.map(Some)),
                    Next::Long => {
                        self.leave();
                        continue;
                    }
                    Next::Nothing if self.body.is_none() => return Poll::Ready(Ok(None)),
                    Next::Nothing => {}
                },
                Mode::Raw(raw) => {
                    if let Some(piece) = raw.take() {
                        return Poll::Ready(Ok(Some(piece)));
                    }
                    if self.body.is_none() {
                        self.mode = Mode::Over;
                        return Poll::Ready(Ok(Some(Raw::end())));
                    }
                }
                Mode::Unknown(..) | Mode::Whole(..) => {}
            }
            let chunk = match &mut self.body {
                Some(body) => ready!(body.poll_chunk(cx)),
                None => None,
            };
            match chunk {
                Some(Ok(bytes)) => self.take(bytes)?,
                Some(Err(cut)) => self.end(Some(cut))?,
                None => self.end(None)?,
            }
        }
    }

    /// What comes next is read where that holds up nobody.
    fn leave(&mut self) {
        self.mode = match std::mem::replace(&mut self.mode, Mode::Over) {
            Mode::Events(events) => Mode::Away(Away::new(events, &self.reader)),
            mode => mode,
        };
    }

    /// Nothing more comes: the exchange ends here.
    fn close(&mut self) {
        self.body = None;
        let summary = match &mut self.mode {
            Mode::Events(events) => {
                self.closing = events.close();
                Some(events.summary())
            }
            Mode::Away(away) => Some(away.summary.clone()),
            _ => None,
        };
        if let Some(summary) = summary {
            self.summary = self.told(summary);
        }
        self.mode = Mode::Over;
    }
}

impl Pieces for Answer {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        let next = ready!(self.poll_next(cx));
        if !matches!(next, Ok(Some(_))) {
            self.close();
        }
        Poll::Ready(next.transpose())
    }

    fn summary(&self) -> Summary {
        let mut summary = match &self.mode {
            Mode::Events(events) => self.told(events.summary()),
            Mode::Away(away) => self.told(away.summary.clone()),
            _ => self.summary.clone(),
        };
        add(&mut summary.dropped, &self.head.dropped);
        summary
    }

    fn is_busy(&self) -> bool {
        matches!(self.mode, Mode::Away(_) | Mode::Judging(_))
    }

    fn is_read(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_read)
    }

    fn closing(&mut self) -> Option<Bytes> {
        match &mut self.mode {
            Mode::Events(events) => events.close(),
            _ if self.reader.way.api == Api::Raw => Some(Bytes::new()),
            _ => self.closing.take(),
        }
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }
}

fn end(end: words::End) -> End {
    match end {
        words::End::Stop => End::Stop,
        words::End::Other => End::Other,
    }
}
