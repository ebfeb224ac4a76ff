//! A cursor over JSON text that checks the grammar and builds nothing.
//!
//! Every request and every event is passed over once, so this is written for the ordinary: short strings,
//! shallow values. What is passed over is checked as a parser would (RFC 8259), except that numbers may be of
//! any size and `\u` escapes need not pair up: nobody computes with them here. Nothing recurses, so no input
//! can exhaust the stack, and nothing is allocated for less than 64 brackets in one another.
//!
//! A [`Fault`] says only that the text is no JSON. Whoever must tell where reads it again with a parser that
//! counts lines.

use std::borrow::Cow;

use serde::de::{Deserializer, Visitor};

mod open;
use open::Open;

/// The text is not JSON, or not the kind of value that was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault;

/// A place in a text.
pub(super) struct Scan<'a> {
    text: &'a str,
    /// The same.
    bytes: &'a [u8],
    at: usize,
    /// Neither an escape nor a control character anywhere, blanks between values included: then a string ends
    /// at the next quote.
    simple: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        // without a way out of the loop the compiler has vectors for it
        let odd = |any, b: &u8| any | (*b < 0x20) | (*b == b'\\');
        Self {
            text,
            bytes,
            at: 0,
            simple: !bytes.iter().fold(false, odd),
        }
    }

    fn here(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Passes white space; the byte behind it.
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            match self.here() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                byte => return byte,
            }
        }
    }

    /// Passes `byte` if it is what comes next.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let next = self.next() == Some(byte);
        self.at += usize::from(next);
        next
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        self.next().map_or(Ok(()), |_| Err(Fault))
    }

    /// Passes a member's name and the colon behind it. The name is copied only if it is spelled with escapes.
    pub(super) fn key(&mut self) -> Result<Cow<'a, [u8]>, Fault> {
        if self.next() != Some(b'"') {
            return Err(Fault);
        }
        let start = self.at;
        let escaped = self.string()?;
        let end = self.at;
        if !self.takes(b':') {
            return Err(Fault);
        }
        match escaped {
            true => decoded(self.text.get(start..end).unwrap_or_default()).map(Cow::Owned),
            false => {
                let inner = self.bytes.get(start + 1..end - 1);
                Ok(Cow::Borrowed(inner.unwrap_or_default()))
            }
        }
    }

    /// Passes a value; how it is spelled.
    pub(super) fn value(&mut self) -> Result<&'a str, Fault> {
        self.next();
        let start = self.at;
        self.pass()?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Passes a value.
    pub(super) fn pass(&mut self) -> Result<(), Fault> {
        match self.next() {
            Some(b'{' | b'[') => self.nested(),
            _ => self.leaf(),
        }
    }

    /// Passes a string, a number or a word.
    fn leaf(&mut self) -> Result<(), Fault> {
        match self.here() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(Fault),
        }
    }

    /// Passes an object or an array.
    fn nested(&mut self) -> Result<(), Fault> {
        let mut open = Open::default();
        loop {
            match self.next().ok_or(Fault)? {
                b'{' => {
                    self.at += 1;
                    if !self.takes(b'}') {
                        self.key()?;
                        open.push(true);
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.takes(b']') {
                        open.push(false);
                        continue;
                    }
                }
                _ => self.leaf()?,
            }
            // a value has ended, and with it perhaps what is around it
            loop {
                let Some(is_object) = open.last() else {
                    return Ok(());
                };
                match (self.next(), is_object) {
                    (Some(b'}'), true) | (Some(b']'), false) => open.pop(),
                    (Some(b','), _) => break,
                    _ => return Err(Fault),
                }
                self.at += 1;
            }
            self.at += 1;
            if open.last() == Some(true) {
                self.key()?;
            }
        }
    }

    /// Passes a string from its opening quote on; true if it is spelled with escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        self.at += 1;
        if !self.simple {
            return self.spelled();
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += quote(rest).ok_or(Fault)? + 1;
        Ok(false)
    }

    /// The same from behind the quote on, whatever is in it.
    fn spelled(&mut self) -> Result<bool, Fault> {
        let mut escaped = false;
        loop {
            self.at += plain(self.bytes.get(self.at..).unwrap_or_default());
            match self.here() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Fault),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        self.at += match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(|x| x.is_ascii_hexdigit()) => 6,
            _ => return Err(Fault),
        };
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        self.at += usize::from(self.here() == Some(b'-'));
        match self.here() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.here() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.here() {
            self.at += 1;
            self.at += usize::from(matches!(self.here(), Some(b'+' | b'-')));
            self.digits()?;
        }
        // a digit can only follow a leading zero here
        match self.here() {
            Some(b'0'..=b'9') => Err(Fault),
            _ => Ok(()),
        }
    }

    /// At least one.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.here() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Fault) }
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += word.len();
        let same = rest.starts_with(word.as_bytes());
        same.then_some(()).ok_or(Fault)
    }
}

/// A byte in each of eight.
const EACH: u64 = u64::MAX / 255;
/// The highest bit of each of eight bytes.
const HIGH: u64 = EACH << 7;

/// Marks the bytes below `limit`; the lowest mark is right, those above may come from a borrow. By the
/// arithmetic of <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>.
const fn below(word: u64, limit: u64) -> u64 {
    word.wrapping_sub(EACH * limit) & !word & HIGH
}

/// The first quote. Names are shorter than it takes to set up a search; texts are not.
fn quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < 32
        && let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk)
    {
        let found = below(u64::from_le_bytes(*eight) ^ (EACH * u64::from(b'"')), 1);
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr::memchr(b'"', bytes.get(at..)?).map(|rest| at + rest)
}

/// How many bytes of a string come before a quote, a backslash or a control character.
fn plain(bytes: &[u8]) -> usize {
    let odd = |b: u8| (b < 0x20) | (b == b'"') | (b == b'\\');
    let clean = |many: &[u8; 32]| !many.iter().fold(false, |any, b| any | odd(*b));
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = odd_in(*eight);
        at += found;
        if found < 8 {
            return at;
        }
        // most names have ended by now; texts go on, and the compiler has vectors for them
        while let Some(many) = bytes.get(at..).and_then(<[u8]>::first_chunk)
            && at > 8
            && clean(many)
        {
            at += 32;
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| odd(*b)).unwrap_or(rest.len())
}

/// Where in eight bytes the first quote, backslash or control character stands; 8 if there is none.
fn odd_in(eight: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(eight);
    let found = below(word, 0x20)
        | below(word ^ (EACH * u64::from(b'"')), 1)
        | below(word ^ (EACH * u64::from(b'\\')), 1);
    // none gives 64
    (found.trailing_zeros() / 8) as usize
}

/// A string that is spelled with escapes; lone surrogates are kept in the way of WTF-8.
fn decoded(spelled: &str) -> Result<Vec<u8>, Fault> {
    struct Bytes;
    impl<'a> Visitor<'a> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
    serde_json::Deserializer::from_str(spelled)
        .deserialize_bytes(Bytes)
        .map_err(|_| Fault)
}

#[cfg(test)]
mod tests;
