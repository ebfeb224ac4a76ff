//! Typed, numbered events: `event: <type>`, then the JSON with the same type.

use bytes::{BufMut, BytesMut};
use serde::Serialize;

use super::{
    item::{Content, Item, Summary},
    response::Response,
};
use crate::{json, middle::Json};

/// Bytes that hold most events: memory is asked for once, not for each of the many small writes.
const EVENT: usize = 320;

/// The members of all kinds of events; each kind has a few.
#[derive(Debug, Default, Serialize)]
pub(super) struct Event<'a> {
    pub(super) r#type: &'a str,
    pub(super) sequence_number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<&'a Response<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) annotation_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) part: Option<Piece<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delta: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) annotation: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) logprobs: Option<&'a [Json]>,
}

/// A part of a message or of a thought.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Piece<'a> {
    Content(&'a Content),
    Summary(&'a Summary),
}

/// Numbers the events of one stream from 0.
#[derive(Debug, Default)]
pub(super) struct Numbers(u64);

impl Numbers {
    /// Writes the next event.
    pub(super) fn write(&mut self, out: &mut BytesMut, kind: &str, event: Event<'_>) {
        let event = Event {
            r#type: kind,
            sequence_number: self.0,
            ..event
        };
        self.0 = self.0.saturating_add(1);
        out.reserve(EVENT);
        out.put_slice(b"event: ");
        out.put_slice(kind.as_bytes());
        out.put_slice(b"\ndata: ");
        json::write_line(out, &event);
        out.put_slice(b"\n\n");
    }
}
