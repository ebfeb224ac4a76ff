//! What becomes of one event.
//!
//! Events are given as they came, byte for byte, or translated where the caller speaks another API. The one
//! exception is the usage chunk that was asked for on our account: it is counted and left out. An event that
//! the end of the body cut short is dropped and counted, unless only its blank line is missing.
//!
//! An event whose blank line ends in CR is given before it is known whether an LF follows. That LF stays
//! with the event it ended: behind a comment it is a comment too, at the end of the body a piece of its own.

use super::{super::end, Events, Long, Read, Reader};
use bytes::Bytes;
use punctual_core::{Kind, Piece};
use punctual_wire::{dialect as words, frame::Frame, state::fingerprint};

impl Events {
    pub(super) fn piece(&mut self, event: Frame, reader: &Reader) -> Option<Piece> {
        let event = event.opened()?;
        if !event.is_complete() && event.is_comment_only() {
            // line ends behind the last event are the upstream's own words
            let kept = is_blank(event.raw()) && !self.reading.translates();
            return kept.then(|| comment(event.into_raw()));
        }
        let (judged, translated) = self.reading.read(&event);
        if self.reading.owes() {
            self.long = Some(Long::Rest(Box::new((event, (judged, translated)))));
            return None;
        }
        self.made(event, (judged, translated), reader)
    }

    /// What an event became that was read, and written.
    pub(super) fn made(
        &mut self,
        event: Frame,
        (judged, translated): Read,
        reader: &Reader,
    ) -> Option<Piece> {
        self.remember(reader);
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
            // what a translated end mark became is an event like any other
            words::Kind::Done if translated.is_some() => Kind::Event,
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
        if let Some(bytes) = translated {
            return Some(Piece {
                bytes,
                kind,
                end: ends,
            });
        }
        let piece = Piece {
            bytes: whole(event),
            kind,
            end: ends,
        };
        Some(self.first_of(piece, judged.done))
    }

    /// Keeps in mind who made what only its maker can continue.
    fn remember(&mut self, reader: &Reader) {
        if self.is_learnt {
            return;
        }
        for piece in self.reading.take_state() {
            reader.made_state(piece);
        }
        if !self.knows_id
            && reader.keeps_ids()
            && let Some(id) = self.reading.summary().response_id
        {
            self.knows_id = true;
            reader.made_state(fingerprint(&id));
        }
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
fn whole(event: Frame) -> Bytes {
    match event.closing() {
        b"" => event.into_raw(),
        closing => [event.raw(), closing].concat().into(),
    }
}
