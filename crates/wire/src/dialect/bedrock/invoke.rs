//! The stream of InvokeModelWithResponseStream: messages of the kind `chunk`, each with an event of the
//! model's own API in base64.

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;

use super::exception;
use crate::{
    dialect::anthropic,
    frame::{Frame, Framing, Splitter},
    json,
    middle::{Decode, Delta, Seen},
};

/// Reads events of the Messages API out of `chunk` messages.
pub(super) struct Invoke {
    inner: Box<dyn Decode>,
}

impl Invoke {
    pub(super) fn new(choices: u32) -> Self {
        Self {
            inner: (anthropic::UPSTREAM.stream)(choices),
        }
    }
}

impl Decode for Invoke {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let Frame::Message(message) = frame else {
            return Seen::Unparsed;
        };
        if let Some(verdict) = exception::of_message(message) {
            return Seen::Error(verdict);
        }
        if message.name().is_some_and(|name| name != "chunk") {
            return Seen::Data;
        }
        let event = message.data().and_then(|data| unwrap(&data));
        event.map_or(Seen::Unparsed, |event| self.inner.decode(&event, sink))
    }
}

/// The event as it would stand in a stream of the Messages API.
fn unwrap(data: &[u8]) -> Option<Frame> {
    let bytes = json::member(std::str::from_utf8(data).ok()?, "bytes")?;
    let json = BASE64_STANDARD.decode(&*json::text(bytes)?).ok()?;
    let text = std::str::from_utf8(&json).ok()?;
    let kind = json::member(text, "type").and_then(json::text)?;
    // breaks of lines stand only between the tokens of JSON, where blanks do as well
    let line = text.replace(['\n', '\r'], " ");
    let kind = kind.replace(['\n', '\r'], " ");
    let event = format!("event: {kind}\ndata: {line}\n\n");
    let mut splitter = Splitter::new(Framing::Sse, event.len());
    splitter.push(Bytes::from(event));
    splitter.next()?.ok()
}
