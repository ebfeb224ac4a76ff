//! Newline-delimited JSON: where each line ends, whatever way the bytes were cut.
//!
//! A line ends with LF; a CR before it belongs to its end. Blank lines are lines without data. A last
//! line without LF is complete if it is whole JSON, because servers leave the LF out there. Each byte is
//! looked at once, and at most one line and its limit is held.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use memchr::memchr;

use crate::sse::TooLarge;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    raw: Bytes,
    complete: bool,
}

impl Line {
    /// The bytes as they came, end of line included.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// As [`raw`](Self::raw), given away.
    pub fn into_raw(self) -> Bytes {
        self.raw
    }

    /// False if the stream broke off in it.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What must follow so that another line can.
    pub fn closing(&self) -> &'static [u8] {
        match self.raw.last() {
            Some(b'\n') | None => b"",
            Some(_) => b"\n",
        }
    }

    /// What stands in it; `None` for a blank one.
    pub fn data(&self) -> Option<&[u8]> {
        Some(self.raw.trim_ascii()).filter(|data| !data.is_empty())
    }
}

/// Cuts a byte stream into [`Line`]s.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    chunks: VecDeque<Bytes>,
    held: BytesMut,
    over: bool,
}

impl Splitter {
    /// A splitter for one stream that refuses lines over `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            chunks: VecDeque::new(),
            held: BytesMut::new(),
            over: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: Bytes) {
        if !self.over && !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next line; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`TooLarge`], once.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: None means not yet"
    )]
    pub fn next(&mut self) -> Option<Result<Line, TooLarge>> {
        loop {
            let chunk = self.chunks.front_mut()?;
            let end = memchr(b'\n', chunk).map(|at| at + 1);
            let piece = chunk.split_to(end.unwrap_or(chunk.len()));
            if chunk.is_empty() {
                self.chunks.pop_front();
            }
            if self.held.len() + piece.len() > self.limit {
                self.over = true;
                self.chunks.clear();
                self.held = BytesMut::new();
                return Some(Err(TooLarge { limit: self.limit }));
            }
            let raw = match (end, self.held.is_empty()) {
                (Some(_), true) => piece,
                (Some(_), false) => {
                    self.held.extend_from_slice(&piece);
                    self.held.split().freeze()
                }
                (None, _) => {
                    self.held.extend_from_slice(&piece);
                    continue;
                }
            };
            return Some(Ok(Line {
                raw,
                complete: true,
            }));
        }
    }

    /// At the end of the stream: the line that has no end.
    pub fn finish(&mut self) -> Option<Line> {
        if let Some(Ok(line)) = self.next() {
            return Some(line);
        }
        let raw = self.held.split().freeze();
        let complete = serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_ok();
        (!raw.is_empty()).then_some(Line { raw, complete })
    }

    /// Bytes of the line that is not complete yet.
    pub fn held(&self) -> usize {
        self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(chunks: &[&[u8]]) -> Vec<(String, bool)> {
        let mut splitter = Splitter::new(1 << 20);
        let mut out = Vec::new();
        let mut take = |line: Line| {
            let text = line.data().map(|d| String::from_utf8_lossy(d).into_owned());
            out.push((text.unwrap_or_default(), line.is_complete()));
        };
        for chunk in chunks {
            splitter.push(Bytes::copy_from_slice(chunk));
            while let Some(Ok(line)) = splitter.next() {
                take(line);
            }
        }
        if let Some(line) = splitter.finish() {
            take(line);
        }
        out
    }

    #[test]
    fn the_last_line_needs_no_end_if_it_is_whole() {
        let whole = |text: &str| (text.to_owned(), true);
        assert_eq!(lines(&[b"{}\r\n[1]"]), [whole("{}"), whole("[1]")]);
        assert_eq!(lines(&[b"{}\n{\"a\":"])[1], ("{\"a\":".to_owned(), false));
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_once() {
        let mut splitter = Splitter::new(4);
        splitter.push(Bytes::from_static(b"{}\n12345\n{}\n"));
        assert!(splitter.next().unwrap().is_ok());
        assert_eq!(splitter.next().unwrap(), Err(TooLarge { limit: 4 }));
        assert_eq!(splitter.next(), None);
    }

    proptest! {
        #[test]
        fn the_same_lines_come_out_however_the_bytes_are_cut(cuts in prop::collection::vec(0_usize..40, 0..8)) {
            let text = b"{\"a\":\"\xc3\xa4\"}\n\n{\"b\":1}\r\n{\"done\":true}";
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            prop_assert_eq!(lines(&pieces), lines(&[text]));
        }
    }
}
