//! The events of one stream, split and judged one at a time.
//!
//! Events are cut where the bytes come in, at the speed of memory. Reading a large one takes long, as does
//! writing what a writer kept of many: then [`Events::next`] stops and leaves it to [`Events::long`], which is
//! for a thread that may block.

use super::{Reader, end, reading::Reading};
use crate::{aside::LARGE, fault};
use bytes::Bytes;
use punctual_core::{Failure, Kind, Piece, Summary};
use punctual_wire::{
    dialect::{Judge, Judged},
    frame::{Frame, Framing, Splitter},
    middle::{Decode, Encode},
    state::Told,
};
use std::collections::VecDeque;

mod piece;

/// A stream in the middle.
pub(super) struct Events {
    splitter: Splitter,
    reading: Reading,
    /// The further pieces that were made of one event.
    more: VecDeque<Piece>,
    /// What takes long.
    long: Option<Long>,
    /// How much of the end of the body is still to be read.
    end: End,
    /// What ends the stream, written before it was asked for.
    closing: Option<Bytes>,
    content_events: u64,
    dropped_bytes: u64,
    /// The last piece was a comment that ended in CR.
    after_comment_cr: bool,
    limit: usize,
    /// The answer's id is remembered.
    knows_id: bool,
    /// What only its maker can continue is known already.
    is_learnt: bool,
}

/// The end of the body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It has not come.
    Ahead,
    /// It has come: what is left without an end of its own is the last event.
    Come,
    /// All events were read, and what their end means was not.
    Read,
    /// Nothing is left of it.
    Judged,
}

/// What is left to [`Events::long`].
enum Long {
    /// An event that is large.
    Event(Frame),
    /// One that was read, and a part of which is still to be written.
    Rest(Box<(Frame, Read)>),
}

/// What came of reading an event: its judgement, and what is written in its place.
type Read = (Judged, Option<Bytes>);

/// What comes next.
pub(super) enum Next {
    Piece(Result<Piece, Box<Failure>>),
    /// Something that takes long, for [`Events::long`].
    Long,
    /// More bytes are needed, or none is left.
    Nothing,
}

impl Events {
    /// Judged and passed on; `told` looks for what stays with the provider.
    pub(super) fn relayed(
        judge: Box<dyn Judge>,
        told: Option<Told>,
        framing: Framing,
        limit: usize,
    ) -> Self {
        Self::new(Reading::Relayed { judge, told }, framing, limit)
    }

    /// Judged and translated.
    pub(super) fn translated(
        decode: Box<dyn Decode>,
        encode: Box<dyn Encode>,
        framing: Framing,
        limit: usize,
    ) -> Self {
        Self::new(Reading::translated(decode, encode), framing, limit)
    }

    fn new(reading: Reading, framing: Framing, limit: usize) -> Self {
        Self {
            splitter: Splitter::new(framing, limit),
            reading,
            more: VecDeque::new(),
            long: None,
            end: End::Ahead,
            closing: None,
            content_events: 0,
            dropped_bytes: 0,
            after_comment_cr: false,
            limit,
            knows_id: false,
            is_learnt: false,
        }
    }

    /// They were made of an answer from which everything was learnt.
    pub(super) fn learnt(self) -> Self {
        Self {
            is_learnt: true,
            ..self
        }
    }

    pub(super) fn push(&mut self, bytes: Bytes) {
        self.splitter.push(bytes);
    }

    /// The body has ended where it should.
    pub(super) fn finish(&mut self) {
        self.end = End::Come;
    }

    pub(super) fn summary(&self) -> Summary {
        Summary {
            content_events: self.content_events,
            dropped_bytes: self.dropped_bytes + self.splitter.held() as u64,
            dropped: super::names(self.reading.lost()),
            ..self.reading.summary()
        }
    }

    /// What ends the complete stream in the caller's words; `None` where it is relayed.
    pub(super) fn close(&mut self) -> Option<Bytes> {
        self.closing.take().or_else(|| self.reading.close())
    }

    /// The next piece, if it takes no time to speak of.
    pub(super) fn next(&mut self, reader: &Reader) -> Next {
        loop {
            if let Some(piece) = self.more.pop_front() {
                return Next::Piece(Ok(piece));
            }
            let event = match self.splitter.next() {
                Some(Ok(event)) => event,
                Some(Err(_)) => {
                    let large = fault::too_large("event", "max_event_bytes", self.limit);
                    return Next::Piece(Err(large));
                }
                None if self.takes_long(self.splitter.held()) => return Next::Long,
                None => match self.last() {
                    Some(event) => event,
                    None => return self.end().map_or(Next::Nothing, |end| Next::Piece(Ok(end))),
                },
            };
            if event.raw().len() > LARGE {
                self.long = Some(Long::Event(event));
                return Next::Long;
            }
            if let Some(piece) = self.piece(event, reader) {
                return Next::Piece(Ok(piece));
            }
            if self.long.is_some() {
                return Next::Long;
            }
        }
    }

    /// What [`next`](Self::next) left, if anything comes of it.
    pub(super) fn long(&mut self, reader: &Reader) -> Option<Piece> {
        let last = |events: &mut Self| events.last().map(Long::Event);
        let mut long = self.long.take().or_else(|| last(self));
        if let Some(Long::Event(event)) = long {
            let piece = self.piece(event, reader);
            long = self.long.take();
            if long.is_none() {
                return piece;
            }
        }
        if let Some(Long::Rest(rest)) = long {
            let (event, read) = *rest;
            let read = self.reading.pay(read);
            return self.made(event, read, reader);
        }
        let end = self.end();
        self.closing = self.reading.close();
        end
    }

    /// Whether it takes long to read the end of the body, with so much left before it.
    fn takes_long(&self, left: usize) -> bool {
        let left = match self.end {
            End::Ahead | End::Judged => return false,
            End::Come => left,
            End::Read => 0,
        };
        left + self.reading.kept() > LARGE
    }

    /// The last event, if the body ended before it did.
    fn last(&mut self) -> Option<Frame> {
        if self.end != End::Come {
            return None;
        }
        self.end = End::Read;
        self.splitter.finish()
    }

    /// What the end of the body tells, once.
    fn end(&mut self) -> Option<Piece> {
        if self.end != End::Read {
            return None;
        }
        self.end = End::Judged;
        let (judged, bytes) = self.reading.over()?;
        Some(Piece {
            bytes,
            kind: Kind::Event,
            end: judged.ends.map(end),
        })
    }
}
