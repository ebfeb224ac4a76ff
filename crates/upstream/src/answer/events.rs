//! The events of one stream, split and judged one at a time.
//!
//! Events are given as they came, byte for byte. The one exception is the usage chunk that was asked for
//! on our account: it is counted and left out. An event that the end of the body cut short is dropped
//! and counted, unless only its blank line is missing.

use super::{Reader, end};
use crate::{dialect::Judge, fault};
use bytes::Bytes;
use punctual_core::{Failure, Kind, Piece, Summary};
use punctual_wire::{
    dialect as words,
    sse::{Event, Splitter},
};

/// A stream in the middle.
pub(super) struct Events {
    splitter: Splitter,
    judge: Box<dyn Judge>,
    /// The second of two pieces that were made of one event.
    second: Option<Piece>,
    /// The last event, which ended with the body.
    last: Option<Event>,
    content_events: u64,
    dropped_bytes: u64,
    limit: usize,
}

impl Events {
    pub(super) fn new(judge: Box<dyn Judge>, limit: usize) -> Self {
        Self {
            splitter: Splitter::new(limit),
            judge,
            second: None,
            last: None,
            content_events: 0,
            dropped_bytes: 0,
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
            if let Some(piece) = self.second.take() {
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
            return None;
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
        let bytes = whole(event);
        if judged.done && matches!(kind, Kind::Content { .. }) {
            // an end mark that completes a tool call is content and end mark at once
            self.second = Some(Piece {
                bytes,
                kind: Kind::Done,
                end: ends,
            });
            return Some(Piece {
                bytes: Bytes::new(),
                kind,
                end: None,
            });
        }
        Some(Piece {
            bytes,
            kind,
            end: ends,
        })
    }
}

/// The event as it came, closed if it was not.
fn whole(event: Event) -> Bytes {
    match event.closing() {
        b"" => event.into_raw(),
        closing => [event.raw(), closing].concat().into(),
    }
}
