//! Server-sent events: where each one ends, whatever way the bytes were cut.
//!
//! [`Splitter`] finds event boundaries and gives every event away with the bytes it came in, so
//! that relaying all `raw` parts reproduces the stream exactly. What must hold:
//!
//! - The same events for every way of cutting the input, for LF, CRLF, CR and mixtures.
//! - An event is given as soon as its blank line is there. After a blank line that ends in CR
//!   nothing is waited for: an LF that still belongs to it, like any further blank lines, leads
//!   the `raw` of the next event.
//! - Each byte is looked at once, and at most one event and its limit is held.
//! - An event that lies inside one chunk is a slice of it; otherwise it is copied once.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

mod event;
#[cfg(test)]
mod tests;

pub use event::Event;

/// An event grew beyond the limit. The splitter has let go of everything and gives no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The limit, in bytes of one event.
    pub limit: usize,
}

/// Cuts a byte stream into [`Event`]s.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    chunks: VecDeque<Bytes>,
    /// The beginning of an event whose end has not come, scanned already.
    held: BytesMut,
    scan: Scan,
    at_start: bool,
    over: bool,
}

impl Splitter {
    /// A splitter for one stream that refuses events over `max_event_bytes`.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            limit: max_event_bytes,
            chunks: VecDeque::new(),
            held: BytesMut::new(),
            scan: Scan::default(),
            at_start: true,
            over: false,
        }
    }

    /// Takes the next bytes of the stream. Ask [`next`](Self::next) until it is `None` before
    /// pushing more, or the chunks pile up here.
    pub fn push(&mut self, chunk: Bytes) {
        if !self.over && !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next complete event; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`TooLarge`], once.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: None means not yet"
    )]
    pub fn next(&mut self) -> Option<Result<Event, TooLarge>> {
        loop {
            let chunk = self.chunks.front_mut()?;
            let end = self.scan.event_end(chunk);
            let piece = chunk.split_to(end.unwrap_or(chunk.len()));
            if chunk.is_empty() {
                self.chunks.pop_front();
            }
            if self.held.len() + piece.len() > self.limit {
                return Some(Err(self.give_up()));
            }
            if end.is_none() {
                self.held.extend_from_slice(&piece);
            } else if self.held.is_empty() {
                return Some(Ok(self.event(piece, true)));
            } else {
                self.held.extend_from_slice(&piece);
                let raw = self.held.split().freeze();
                return Some(Ok(self.event(raw, true)));
            }
        }
    }

    /// At the end of the stream: what is left, which may be cut short
    /// ([`Event::is_complete`] is false), or nothing but blank lines.
    pub fn finish(&mut self) -> Option<Event> {
        if let Some(Ok(event)) = self.next() {
            return Some(event);
        }
        let raw = self.held.split().freeze();
        (!raw.is_empty()).then(|| self.event(raw, false))
    }

    /// Bytes of the event that is not complete yet.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn event(&mut self, raw: Bytes, complete: bool) -> Event {
        Event::new(raw, std::mem::take(&mut self.at_start), complete)
    }

    fn give_up(&mut self) -> TooLarge {
        self.over = true;
        self.chunks.clear();
        self.held = BytesMut::new();
        TooLarge { limit: self.limit }
    }
}

/// What must be known of the bytes before, to find the blank line that ends an event.
#[derive(Debug, Default)]
struct Scan {
    /// The current line has a byte.
    in_line: bool,
    /// The event has a line that is not blank.
    begun: bool,
    /// The last byte was a CR; an LF that follows belongs to it.
    after_cr: bool,
}

impl Scan {
    /// How many of `bytes` belong to the event, if it ends in them.
    fn event_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        if !bytes.is_empty() && std::mem::take(&mut self.after_cr) && bytes.starts_with(b"\n") {
            at = 1;
        }
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let found = memchr2(b'\n', b'\r', rest);
            if found != Some(0) {
                self.in_line = true;
                self.begun = true;
            }
            let end = at + found? + 1;
            at = match (bytes.get(end - 1), bytes.get(end)) {
                (Some(b'\r'), Some(b'\n')) => end + 1,
                (Some(b'\r'), None) => {
                    self.after_cr = true;
                    end
                }
                _ => end,
            };
            let blank = !std::mem::take(&mut self.in_line);
            if blank && std::mem::take(&mut self.begun) {
                return Some(at);
            }
        }
        None
    }
}
