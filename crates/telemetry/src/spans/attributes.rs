//! Writes attributes of a span: `KeyValue` messages in field 9.
//!
//! A key is encoded once at the start, so that an attribute is one copy of its key and one of its value. Two
//! lengths stand around them; nearly always both fit one byte and the attribute is three copies of known
//! pieces ([`Attributes::short`]). The general way is for long texts only.

use crate::{protobuf, redaction::Redaction, words};
use std::time::Duration;

/// Bytes of an upstream's own text (ids, model names) that are kept.
const FOREIGN: usize = 128;

/// The key of an attribute, encoded as `KeyValue.key`, and the tag of the `KeyValue.value` behind it.
#[derive(Debug)]
pub(crate) struct Key(Box<[u8]>);

impl Key {
    pub(super) fn new(name: &str) -> Self {
        let mut out = Vec::new();
        protobuf::bytes(&mut out, 1, name.as_bytes());
        out.push(VALUE);
        Self(out.into())
    }
}

/// `Span.attributes`.
const ATTRIBUTES: u64 = 9;
/// Its tag, and that of `KeyValue.value`: a field number and wire type 2.
const ATTRIBUTE: u8 = 9 << 3 | 2;
const VALUE: u8 = 2 << 3 | 2;
/// The tags of an `AnyValue`'s string, bool, int and double.
const TEXT: u8 = 1 << 3 | 2;
const FLAG: u8 = 2 << 3;
const COUNT: u8 = 3 << 3;
const DOUBLE: u8 = 4 << 3 | 1;
/// Lengths below this take one byte.
const SHORT: usize = 0x80;

/// Appends attributes to a span.
pub(super) struct Attributes<'a> {
    pub(super) out: &'a mut Vec<u8>,
}

impl Attributes<'_> {
    /// Appends an attribute whose value is `head`, which begins with its length, and `rest`; `None` and nothing
    /// appended if the whole is too long for a length of one byte.
    fn short<const N: usize>(&mut self, key: &Key, head: [u8; N], rest: &[u8]) -> Option<()> {
        let length = key.0.len() + N + rest.len();
        let length = u8::try_from(length)
            .ok()
            .filter(|l| usize::from(*l) < SHORT)?;
        self.out.extend_from_slice(&[ATTRIBUTE, length]);
        self.out.extend_from_slice(&key.0);
        self.out.extend_from_slice(&head);
        self.out.extend_from_slice(rest);
        Some(())
    }

    /// Starts an attribute whose `AnyValue` takes `length` bytes, which are appended next.
    fn start(&mut self, key: &Key, length: u64) {
        let pair = key.0.len() as u64 + protobuf::varint_len(length) + length;
        protobuf::message(self.out, ATTRIBUTES, pair);
        self.out.extend_from_slice(&key.0);
        protobuf::varint(self.out, length);
    }

    pub(super) fn text(&mut self, key: &Key, value: &str) {
        let length = u8::try_from(value.len()).unwrap_or(u8::MAX);
        let head = [length.saturating_add(2), TEXT, length];
        if self.short(key, head, value.as_bytes()).is_none() {
            self.start(key, protobuf::field_len(value.len() as u64));
            protobuf::bytes(self.out, 1, value.as_bytes());
        }
    }

    pub(super) fn text_if(&mut self, key: &Key, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// A text that the upstream chose: shortened, without secrets.
    pub(super) fn foreign(&mut self, key: &Key, value: Option<&str>, redaction: &Redaction) {
        if let Some(value) = value {
            self.text(key, words::shortened(&redaction.scrub(value), FOREIGN));
        }
    }

    /// The same as the one element of an array.
    pub(super) fn foreign_list(&mut self, key: &Key, value: Option<&str>, redaction: &Redaction) {
        let Some(value) = value else { return };
        let scrubbed = redaction.scrub(value);
        let text = words::shortened(&scrubbed, FOREIGN);
        let element = protobuf::field_len(text.len() as u64);
        let list = protobuf::field_len(element);
        self.start(key, protobuf::field_len(list));
        protobuf::message(self.out, 5, list);
        protobuf::message(self.out, 1, element);
        protobuf::bytes(self.out, 1, text.as_bytes());
    }

    pub(super) fn flag(&mut self, key: &Key, value: bool) {
        let head = [2, FLAG, u8::from(value)];
        if self.short(key, head, &[]).is_none() {
            self.start(key, 2);
            protobuf::integer(self.out, 2, u64::from(value));
        }
    }

    pub(super) fn count(&mut self, key: &Key, value: u64) {
        let small = u8::try_from(value).ok().filter(|v| usize::from(*v) < SHORT);
        if small
            .and_then(|v| self.short(key, [2, COUNT, v], &[]))
            .is_none()
        {
            self.start(key, 1 + protobuf::varint_len(value));
            protobuf::integer(self.out, 3, value);
        }
    }

    pub(super) fn count_if(&mut self, key: &Key, value: Option<u64>) {
        if let Some(value) = value {
            self.count(key, value);
        }
    }

    /// Milliseconds with microseconds behind the point.
    pub(super) fn ms(&mut self, key: &Key, value: Duration) {
        let bits = words::millis(value).to_bits();
        if self.short(key, [9, DOUBLE], &bits.to_le_bytes()).is_none() {
            self.start(key, 9);
            protobuf::fixed64(self.out, 4, bits);
        }
    }

    pub(super) fn ms_if(&mut self, key: &Key, value: Option<Duration>) {
        if let Some(value) = value {
            self.ms(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::{common::v1::any_value::Value, trace::v1::Span};
    use prost::Message;

    fn read(write: impl FnOnce(&mut Attributes<'_>)) -> Option<Value> {
        let mut out = Vec::new();
        write(&mut Attributes { out: &mut out });
        let [pair] = &*Span::decode(&*out).unwrap().attributes else {
            panic!("one attribute");
        };
        pair.value.clone()?.value
    }

    #[test]
    fn what_is_written_short_and_long_reads_back() {
        for name in [1, 60, 127, 128, 300].map(|n| "k".repeat(n)) {
            let key = Key::new(&name);
            for length in (0..140).chain([16_383, 16_384]) {
                let text = "x".repeat(length);
                let value = Some(Value::StringValue(text.clone()));
                assert_eq!(read(|a| a.text(&key, &text)), value);
            }
            for count in [0, 127, 128, 16_384] {
                let value = Some(Value::IntValue(count));
                assert_eq!(read(|a| a.count(&key, count as u64)), value);
            }
            assert_eq!(read(|a| a.flag(&key, true)), Some(Value::BoolValue(true)));
            let ms = Some(Value::DoubleValue(1.5));
            let length = Duration::from_micros(1500);
            assert_eq!(read(|a| a.ms(&key, length)), ms);
        }
    }
}
