//! Server-sent events: where each one ends, whatever way the bytes were cut.
//!
//! Every event is given away with the bytes it came in, so that relaying all `raw` parts reproduces
//! the stream exactly. What must hold:
//!
//! - The same events for every way of cutting the input, for LF, CRLF, CR and mixtures.
//! - An event is given as soon as its blank line is there. After a blank line that ends in CR
//!   nothing is waited for: an LF that still belongs to it, like any further blank lines, leads
//!   the `raw` of the next event.
//! - Each byte is looked at once.

use bytes::Bytes;
use memchr::memchr2;

use crate::intake::{Intake, TooLarge};

mod event;
#[cfg(test)]
mod tests;

pub use event::Event;

/// Finds events in what comes in.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    scan: Scan,
    /// An event was given; only before the first one can a byte order mark stand.
    begun: bool,
}

impl Rule {
    /// The next complete event; `None` when more bytes are needed.
    pub(crate) fn next(&mut self, intake: &mut Intake) -> Option<Result<Event, TooLarge>> {
        let raw = intake.marked(|bytes, _| self.scan.event_end(bytes))?;
        Some(raw.map(|raw| self.event(raw, true)))
    }

    /// What is left at the end of the stream: it may be cut short ([`Event::is_complete`] is
    /// false), or nothing but blank lines.
    pub(crate) fn last(&mut self, raw: Bytes) -> Event {
        self.event(raw, false)
    }

    fn event(&mut self, raw: Bytes, complete: bool) -> Event {
        Event::new(raw, !std::mem::replace(&mut self.begun, true), complete)
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
