//! Writes attributes of a span: `KeyValue` messages in field 9.
//!
//! All that stands before a value is encoded once at the start, its own tag included, so that an attribute is
//! one copy of that and one of its value. Only of a text the lengths around it are not known before; nearly
//! always each fits one byte, which is put into the copy. The general way is for long texts and large counts.

use crate::{protobuf, redaction::Redaction, words};
use std::time::Duration;

/// Bytes of an upstream's own text (ids, model names) that are kept.
const FOREIGN: usize = 128;

/// The key of an attribute, with what stands before a value of each kind.
#[derive(Debug)]
pub(crate) struct Key {
    /// `KeyValue.key`, and the tag of the `KeyValue.value` behind it.
    name: Box<[u8]>,
    flag: Box<[u8]>,
    count: Box<[u8]>,
    double: Box<[u8]>,
    /// With lengths of zero; `None` if the name alone is too long for them.
    text: Option<Box<[u8]>>,
}

impl Key {
    pub(super) fn new(name: &str) -> Self {
        let mut pair = Vec::new();
        protobuf::bytes(&mut pair, 1, name.as_bytes());
        pair.push(VALUE);
        let fixed = |tag: u8, length: usize| {
            let mut out = Vec::new();
            let value = 1 + length;
            protobuf::message(&mut out, ATTRIBUTES, (pair.len() + 1 + value) as u64);
            out.extend_from_slice(&pair);
            protobuf::varint(&mut out, value as u64);
            out.push(tag);
            out.into_boxed_slice()
        };
        let text = [&[ATTRIBUTE, 0], &*pair, &[0, TEXT, 0]].concat();
        Self {
            flag: fixed(FLAG, 1),
            count: fixed(COUNT, 1),
            double: fixed(DOUBLE, 8),
            text: (text.len() < SHORT).then(|| text.into()),
            name: pair.into(),
        }
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
    /// Starts an attribute whose `AnyValue` takes `length` bytes, which are appended next.
    fn start(&mut self, key: &Key, length: u64) {
        let pair = key.name.len() as u64 + protobuf::varint_len(length) + length;
        protobuf::message(self.out, ATTRIBUTES, pair);
        self.out.extend_from_slice(&key.name);
        protobuf::varint(self.out, length);
    }

    pub(super) fn text(&mut self, key: &Key, value: &str) {
        if self.short(key, value).is_none() {
            self.start(key, protobuf::field_len(value.len() as u64));
            protobuf::bytes(self.out, 1, value.as_bytes());
        }
    }

    /// Appends a text if all lengths around it take one byte each; `None` and nothing appended if not.
    fn short(&mut self, key: &Key, value: &str) -> Option<()> {
        let head = key.text.as_deref()?;
        // the attribute's tag and length are not part of what it is long
        let whole = u8::try_from(head.len() - 2 + value.len()).ok()?;
        if usize::from(whole) >= SHORT {
            return None;
        }
        let length = u8::try_from(value.len()).ok()?;
        let at = self.out.len();
        self.out.extend_from_slice(head);
        if let Some([_, pair, .., any, _, text]) = self.out.get_mut(at..) {
            (*pair, *any, *text) = (whole, length + 2, length);
        }
        self.out.extend_from_slice(value.as_bytes());
        Some(())
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
        self.out.extend_from_slice(&key.flag);
        self.out.push(u8::from(value));
    }

    pub(super) fn count(&mut self, key: &Key, value: u64) {
        match u8::try_from(value) {
            Ok(small) if usize::from(small) < SHORT => {
                self.out.extend_from_slice(&key.count);
                self.out.push(small);
            }
            _ => {
                self.start(key, 1 + protobuf::varint_len(value));
                protobuf::integer(self.out, 3, value);
            }
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
        self.out.extend_from_slice(&key.double);
        self.out.extend_from_slice(&bits.to_le_bytes());
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
