//! Newline-delimited JSON: where each line ends, whatever way the bytes were cut.
//!
//! A line ends with LF; a CR before it belongs to its end. Blank lines are lines without data. A last
//! line without LF is complete if it is whole JSON, because servers leave the LF out there.

use bytes::Bytes;
use memchr::memchr;

use crate::intake::{Intake, TooLarge};

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

/// Finds lines in what comes in.
#[derive(Debug)]
pub(crate) struct Rule;

impl Rule {
    /// The next line; `None` when more bytes are needed.
    pub(crate) fn next(&self, intake: &mut Intake) -> Option<Result<Line, TooLarge>> {
        let raw = intake.marked(|bytes, _| memchr(b'\n', bytes).map(|at| at + 1))?;
        Some(raw.map(|raw| Line {
            raw,
            complete: true,
        }))
    }

    /// The line that has no end, at the end of the stream.
    pub(crate) fn last(&self, raw: Bytes) -> Line {
        let complete = serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_ok();
        Line { raw, complete }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use crate::frame::{Frame, Framing, Splitter, TooLarge, tests};

    fn lines(pieces: &[&[u8]]) -> Vec<(String, bool)> {
        let lines = tests::split(Framing::Lines, pieces.iter().copied());
        let said = |line: &Frame| {
            let data = line.data().unwrap_or_default();
            (
                String::from_utf8_lossy(&data).into_owned(),
                line.is_complete(),
            )
        };
        assert_eq!(tests::raw(&lines), pieces.concat(), "no byte is lost");
        lines.iter().map(said).collect()
    }

    #[test]
    fn the_last_line_needs_no_end_if_it_is_whole() {
        let whole = |text: &str| (text.to_owned(), true);
        assert_eq!(lines(&[b"{}\r\n[1]"]), [whole("{}"), whole("[1]")]);
        assert_eq!(lines(&[b"{}\n{\"a\":"])[1], ("{\"a\":".to_owned(), false));
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_once() {
        let mut splitter = Splitter::new(Framing::Lines, 4);
        splitter.push(Bytes::from_static(b"{}\n12345\n{}\n"));
        assert!(splitter.next().unwrap().is_ok());
        assert_eq!(splitter.next().unwrap(), Err(TooLarge { limit: 4 }));
        assert_eq!(splitter.next(), None);
    }

    proptest! {
        #[test]
        fn the_same_lines_come_out_however_the_bytes_are_cut(cuts in prop::collection::vec(0_usize..40, 0..8)) {
            let text = b"{\"a\":\"\xc3\xa4\"}\n\n{\"b\":1}\r\n{\"done\":true}";
            prop_assert_eq!(lines(&tests::pieces(text, &cuts)), lines(&[text]));
        }
    }
}
