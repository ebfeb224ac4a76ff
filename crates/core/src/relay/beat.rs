//! Heartbeats among the frames of a stream: when the next is due, and what may follow one.
//!
//! One is due an interval after the last thing that was written. Frames are events as they came, and bytes
//! that say nothing at the head of one would say something behind a heartbeat: a blank line, or the LF of a
//! CRLF whose CR was sent before, ends an event to those who count the comment as one, and a byte order mark
//! is one at the very beginning alone. There they are left out.

use bytes::{Buf, Bytes};
use std::{future::Future, pin::Pin, task::Context, time::Duration};
use tokio::time::{Instant, Sleep, sleep_until};

const BOM: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Beat {
    every: Option<Duration>,
    last: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    /// The last thing that was written is a heartbeat.
    beaten: bool,
    /// A frame was written.
    begun: bool,
}

impl Beat {
    pub(super) fn new(every: Option<Duration>, now: Instant) -> Self {
        Self {
            every,
            last: now,
            timer: None,
            beaten: false,
            begun: false,
        }
    }

    /// A heartbeat is written now.
    pub(super) fn beats(&mut self) {
        self.beaten = true;
    }

    /// A frame is written now; what of it may be.
    pub(super) fn frame(&mut self, mut bytes: Bytes) -> Bytes {
        self.last = Instant::now();
        let begun = std::mem::replace(&mut self.begun, true);
        if self.beaten {
            if !begun && bytes.starts_with(BOM) {
                bytes.advance(BOM.len());
            }
            let is_blank = |b: &&u8| matches!(b, b'\n' | b'\r');
            bytes.advance(bytes.iter().take_while(is_blank).count());
            self.beaten = bytes.is_empty();
        }
        bytes
    }

    /// Whether one is due now; arms the timer when not. The timer is moved lazily: it fires early after a
    /// frame and is then set anew.
    pub(super) fn due(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(at) = self.every.and_then(|every| self.last.checked_add(every)) else {
            return false;
        };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= at {
                self.last = Instant::now();
                return true;
            }
            timer.as_mut().reset(at);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(frames: &[&'static str]) -> String {
        let mut beat = Beat::new(None, Instant::now());
        let mut out = String::new();
        for frame in frames {
            if *frame == ":\n" {
                beat.beats();
                out += frame;
            } else {
                let frame = beat.frame(Bytes::from_static(frame.as_bytes()));
                out += std::str::from_utf8(&frame).unwrap();
            }
        }
        out
    }

    #[test]
    fn no_blank_line_stands_behind_a_heartbeat() {
        for (frames, expected) in [
            (&["a\r\n\r", ":\n", "\nb\n\n"][..], "a\r\n\r:\nb\n\n"),
            (&["a\n\n", ":\n", "\n\r\nb\n\n"], "a\n\n:\nb\n\n"),
            (&["a\n\n", ":\n", "\n", "\nb"], "a\n\n:\nb"),
            (&["a\r\r", ":\n", "b\r\r", "\rc"], "a\r\r:\nb\r\r\rc"),
            (&["a\r\n\r", "\nb\n\n", "\nc"], "a\r\n\r\nb\n\n\nc"),
        ] {
            assert_eq!(written(frames), expected);
        }
    }

    #[test]
    fn a_byte_order_mark_stands_at_the_beginning_or_nowhere() {
        for (frames, expected) in [
            (&["\u{feff}a\n\n", ":\n"][..], "\u{feff}a\n\n:\n"),
            (&[":\n", ":\n", "\u{feff}\na\n\n"], ":\n:\na\n\n"),
            (&["a\n\n", ":\n", "\u{feff}b"], "a\n\n:\n\u{feff}b"),
        ] {
            assert_eq!(written(frames), expected);
        }
    }
}
