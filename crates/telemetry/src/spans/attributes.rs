//! Writes attributes of a span: `KeyValue` messages in field 9.
//!
//! A key is encoded once at the start, so that an attribute is one copy of its key and one of its value.

use crate::{protobuf, redaction::Redaction, words};
use std::time::Duration;

/// Bytes of an upstream's own text (ids, model names) that are kept.
const FOREIGN: usize = 128;

/// The key of an attribute, encoded as `KeyValue.key`.
#[derive(Debug)]
pub(crate) struct Key(Box<[u8]>);

impl Key {
    pub(super) fn new(name: &str) -> Self {
        let mut out = Vec::new();
        protobuf::bytes(&mut out, 1, name.as_bytes());
        Self(out.into())
    }
}

/// `Span.attributes`.
const ATTRIBUTES: u64 = 9;

/// Appends attributes to a span.
pub(super) struct Attributes<'a> {
    pub(super) out: &'a mut Vec<u8>,
}

impl Attributes<'_> {
    /// Starts an attribute whose `AnyValue` takes `length` bytes, which are appended next.
    fn start(&mut self, key: &Key, length: u64) {
        let pair = key.0.len() as u64 + protobuf::field_len(length);
        protobuf::message(self.out, ATTRIBUTES, pair);
        self.out.extend_from_slice(&key.0);
        protobuf::message(self.out, 2, length);
    }

    pub(super) fn text(&mut self, key: &Key, value: &str) {
        self.start(key, protobuf::field_len(value.len() as u64));
        protobuf::bytes(self.out, 1, value.as_bytes());
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
        self.start(key, 2);
        protobuf::integer(self.out, 2, u64::from(value));
    }

    pub(super) fn count(&mut self, key: &Key, value: u64) {
        self.start(key, 1 + protobuf::varint_len(value));
        protobuf::integer(self.out, 3, value);
    }

    pub(super) fn count_if(&mut self, key: &Key, value: Option<u64>) {
        if let Some(value) = value {
            self.count(key, value);
        }
    }

    /// Milliseconds with microseconds behind the point.
    pub(super) fn ms(&mut self, key: &Key, value: Duration) {
        self.start(key, 9);
        protobuf::fixed64(self.out, 4, words::millis(value).to_bits());
    }

    pub(super) fn ms_if(&mut self, key: &Key, value: Option<Duration>) {
        if let Some(value) = value {
            self.ms(key, value);
        }
    }
}
