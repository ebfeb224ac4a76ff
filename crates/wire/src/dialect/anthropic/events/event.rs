//! The events of a stream as they are written.
//!
//! Each has its `type` twice, as the name of the event and in the data: SDKs use the one or the other.

use bytes::{BufMut, BytesMut};
use serde::Serialize;
use serde_json::value::RawValue;

use super::super::{blocks::Block, usage::Written};
use crate::json;

/// Bytes that hold most events: memory is asked for once, not for each of the many small writes.
const EVENT: usize = 192;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    MessageStart {
        message: Message<'a>,
    },
    ContentBlockStart {
        index: u32,
        content_block: &'a Block<'a>,
    },
    ContentBlockDelta {
        index: u32,
        delta: Piece<'a>,
    },
    ContentBlockStop {
        index: u32,
    },
    MessageDelta {
        delta: End<'a>,
        usage: Written<'a>,
    },
    MessageStop {},
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) id: &'a str,
    pub(super) r#type: &'static str,
    pub(super) role: &'static str,
    pub(super) model: &'a str,
    pub(super) content: [(); 0],
    pub(super) stop_reason: Option<&'a str>,
    pub(super) stop_sequence: Option<&'a str>,
    pub(super) usage: Written<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Piece<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thought { thinking: &'a str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'a str },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: &'a str },
    #[serde(rename = "citations_delta")]
    Citation { citation: &'a RawValue },
}

#[derive(Serialize)]
pub(super) struct End<'a> {
    pub(super) stop_reason: &'a str,
    pub(super) stop_sequence: Option<&'a str>,
}

impl Event<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::MessageStart { .. } => "message_start",
            Self::ContentBlockStart { .. } => "content_block_start",
            Self::ContentBlockDelta { .. } => "content_block_delta",
            Self::ContentBlockStop { .. } => "content_block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop {} => "message_stop",
        }
    }

    pub(super) fn write(&self, out: &mut BytesMut) {
        out.reserve(EVENT);
        out.put_slice(b"event: ");
        out.put_slice(self.name().as_bytes());
        out.put_slice(b"\ndata: ");
        json::write_line(out, self);
        out.put_slice(b"\n\n");
    }
}
