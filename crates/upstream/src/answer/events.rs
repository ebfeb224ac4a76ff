//! The events of one stream, split and judged one at a time.
//!
//! Events are given as they came, byte for byte. The one exception is the usage chunk that was asked for
//! on our account: it is counted and left out. An event that the end of the body cut short is dropped
//! and counted, unless only its blank line is missing.
//!
//! An event whose blank line ends in CR is given before it is known whether an LF follows. That LF stays
//! with the event it ended: behind a comment it is a comment too, at the end of the body a piece of its own.

use super::{Reader, end};
use crate::{dialect::Judge, fault};
use bytes::Bytes;
use punctual_core::{Failure, Kind, Piece, Summary};
use punctual_wire::{
    dialect as words,
    sse::{Event, Splitter},
};
use std::collections::VecDeque;

/// A stream in the middle.
pub(super) struct Events {
    splitter: Splitter,
    judge: Box<dyn Judge>,
    /// The further pieces that were made of one event.
    more: VecDeque<Piece>,
    /// The last event, which ended with the body.
    last: Option<Event>,
    content_events: u64,
    dropped_bytes: u64,
    /// The last piece was a comment that ended in CR.
    after_comment_cr: bool,
    limit: usize,
}

impl Events {
    pub(super) fn new(judge: Box<dyn Judge>, limit: usize) -> Self {
        Self {
            splitter: Splitter::new(limit),
            judge,
            more: VecDeque::new(),
            last: None,
            content_events: 0,
            dropped_bytes: 0,
            after_comment_cr: false,
            limit,
        }
    }

    pub(super) fn push(&mut self, bytes: Bytes) {
        self.splitter.push(bytes);
    }

    /// The body has ended where it should.
    pub(super) fn finish(&mut self) {
        self.last = self.splitter.finish();
    }

    pub(super) fn summary(&self) -> Summary {
        Summary {
            content_events: self.content_events,
            dropped_bytes: self.dropped_bytes + self.splitter.held() as u64,
            ..self.judge.summary()
        }
    }

    /// The next piece; `None` when more bytes are needed.
    pub(super) fn next(&mut self, reader: &Reader) -> Option<Result<Piece, Box<Failure>>> {
        loop {
            if let Some(piece) = self.more.pop_front() {
                return Some(Ok(piece));
            }
            let event = match self.splitter.next() {
                Some(Ok(event)) => event,
                Some(Err(_)) => {
                    let large = fault::too_large("event", "max_event_bytes", self.limit);
                    return Some(Err(large));
                }
                None => self.last.take()?,
            };
            if let Some(piece) = self.piece(event, reader) {
                return Some(Ok(piece));
            }
        }
    }

    fn piece(&mut self, event: Event, reader: &Reader) -> Option<Piece> {
        if !event.is_complete() && event.is_comment_only() {
            return is_blank(event.raw()).then(|| comment(event.into_raw()));
        }
        let judged = self.judge.judge(&event);
        let cut = matches!(judged.kind, words::Kind::Unparsed)
            || (event.data().is_none() && !matches!(judged.kind, words::Kind::Error(_)));
        if !event.is_complete() && cut {
            self.dropped_bytes += event.raw().len() as u64;
            return None;
        }
        let ends = judged.ends.map(end);
        let kind = match judged.kind {
            words::Kind::Comment => Kind::Comment,
            words::Kind::Content => {
                self.content_events += 1;
                Kind::Content {
                    text: !judged.reasoning,
                }
            }
            words::Kind::Done => Kind::Done,
            words::Kind::UsageOnly if reader.strips_usage => {
                return ends.map(|end| Piece {
                    bytes: Bytes::new(),
                    kind: Kind::Event,
                    end: Some(end),
                });
            }
            words::Kind::Preamble | words::Kind::UsageOnly | words::Kind::Unparsed => Kind::Event,
            words::Kind::Error(verdict) => {
                let json = event.data().unwrap_or_default();
                let json = Bytes::copy_from_slice(&json);
                Kind::Error(reader.judged(&verdict, &json))
            }
        };
        let piece = Piece {
            bytes: whole(event),
            kind,
            end: ends,
        };
        Some(self.first_of(piece, judged.done))
    }

    /// Takes apart what is two things at once; all but the first wait in `more`.
    fn first_of(&mut self, mut piece: Piece, is_end_mark: bool) -> Piece {
        let ends_in_cr = matches!(piece.kind, Kind::Comment) && piece.bytes.ends_with(b"\r");
        let after_cr = std::mem::replace(&mut self.after_comment_cr, ends_in_cr);
        let line_feed =
            (after_cr && piece.bytes.starts_with(b"\n")).then(|| comment(piece.bytes.split_to(1)));
        let content = match piece.kind {
            // an end mark that completes a tool call is content and end mark at once
            Kind::Content { .. } if is_end_mark => Some(Piece {
                bytes: Bytes::new(),
                kind: std::mem::replace(&mut piece.kind, Kind::Done),
                end: None,
            }),
            _ => None,
        };
        for earlier in [content, line_feed].into_iter().flatten() {
            self.more.push_front(std::mem::replace(&mut piece, earlier));
        }
        piece
    }
}

fn comment(bytes: Bytes) -> Piece {
    Piece {
        bytes,
        kind: Kind::Comment,
        end: None,
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| matches!(b, b'\n' | b'\r'))
}

/// The event as it came, closed if it was not.
fn whole(event: Event) -> Bytes {
    match event.closing() {
        b"" => event.into_raw(),
        closing => [event.raw(), closing].concat().into(),
    }
}
