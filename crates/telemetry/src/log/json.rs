//! Appends the members of a JSON object to a buffer, one call a member.
//!
//! A line has some forty members and one is written with every request. A serialiser escapes every name anew
//! and goes through a general writer of floats; here names are bytes made by [`name!`] at compile time, words
//! of our own are copied as they are, and lengths of time are whole microseconds with a point in them.
//! Whoever writes keeps the object well-formed: the first member is opened by hand.

use crate::words;
use std::time::Duration;

/// The bytes of a comma, a name and a colon.
macro_rules! name {
    ($name:literal) => {
        concat!(",\"", $name, "\":").as_bytes()
    };
}
pub(super) use name;

/// Members appended to what is there.
pub(super) struct Members<'o>(pub(super) &'o mut Vec<u8>);

impl Members<'_> {
    /// Bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn null(&mut self, name: &[u8]) {
        self.raw(name).raw(b"null");
    }

    /// A text that may need escapes.
    pub(super) fn text(&mut self, name: &[u8], value: &str) {
        self.raw(name);
        // without a way out of the loop the compiler has vectors for it
        let odd = |any, b| any | (b < b' ') | (b == b'"') | (b == b'\\');
        if !value.bytes().fold(false, odd) {
            self.0.push(b'"');
            self.raw(value.as_bytes());
            self.0.push(b'"');
        } else {
            // a vector takes everything and a text cannot fail
            let _ = serde_json::to_writer(&mut *self.0, value);
        }
    }

    pub(super) fn text_if(&mut self, name: &[u8], value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.null(name),
        }
    }

    /// A word of this program's, which needs no escapes.
    pub(super) fn word(&mut self, name: &[u8], value: &'static str) {
        self.raw(name);
        self.0.push(b'"');
        self.raw(value.as_bytes());
        self.0.push(b'"');
    }

    pub(super) fn word_if(&mut self, name: &[u8], value: Option<&'static str>) {
        match value {
            Some(value) => self.word(name, value),
            None => self.null(name),
        }
    }

    pub(super) fn flag(&mut self, name: &[u8], value: bool) {
        let text: &[u8] = if value { b"true" } else { b"false" };
        self.raw(name).raw(text);
    }

    pub(super) fn count(&mut self, name: &[u8], value: u64) {
        self.raw(name);
        digits(self.0, value);
    }

    pub(super) fn count_if(&mut self, name: &[u8], value: Option<u64>) {
        match value {
            Some(value) => self.count(name, value),
            None => self.null(name),
        }
    }

    /// Milliseconds with as many of three decimals as say something, and always one.
    pub(super) fn ms(&mut self, name: &[u8], value: Duration) {
        let us = words::micros(value);
        self.count(name, us / 1000);
        let digit = |value: u64| b'0' + u8::try_from(value % 10).unwrap_or_default();
        let decimals = [b'.', digit(us / 100), digit(us / 10), digit(us)];
        let said = match us % 1000 {
            us if us % 100 == 0 => 2,
            us if us % 10 == 0 => 3,
            _ => 4,
        };
        self.raw(decimals.get(..said).unwrap_or(&decimals));
    }

    pub(super) fn ms_if(&mut self, name: &[u8], value: Option<Duration>) {
        match value {
            Some(value) => self.ms(name, value),
            None => self.null(name),
        }
    }
}

fn digits(out: &mut Vec<u8>, mut value: u64) {
    if let Ok(digit @ 0..10) = u8::try_from(value) {
        return out.push(b'0' + digit);
    }
    let mut text = [0; 20];
    let mut at = text.len();
    while value > 0 || at == text.len() {
        at -= 1;
        text[at] = b'0' + u8::try_from(value % 10).unwrap_or_default();
        value /= 10;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Members<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Members(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_number_is_spelled_as_a_serialiser_spells_it() {
        for us in [
            0,
            1,
            10,
            99,
            100,
            1000,
            1001,
            1010,
            1100,
            60_000_000,
            u64::from(u32::MAX),
        ] {
            let text = serde_json::to_string(&(us as f64 / 1e3)).unwrap();
            let ours = written(|m| m.ms(b"", Duration::from_micros(us)));
            assert_eq!(ours, text);
        }
        for value in [0, 9, 10, 12_345, u64::MAX] {
            assert_eq!(written(|m| m.count(b"", value)), value.to_string());
        }
    }

    #[test]
    fn a_text_reads_back_as_it_was() {
        for text in ["", "plain", "é", "a\"b", "a\\b", "a\nb", "\u{1}", "\u{7f}"] {
            let ours = written(|m| m.text(b"", text));
            assert_eq!(serde_json::from_str::<String>(&ours).unwrap(), text);
        }
        assert_eq!(written(|m| m.word_if(name!("a"), None)), ",\"a\":null");
    }
}
