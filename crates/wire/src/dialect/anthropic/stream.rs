//! Reads a stream of this API.
//!
//! An event is told by the `type` inside it, or by its name where that is missing. `message_stop` is the
//! end condition and the last frame; pings are signs of life and nothing else; `error` is the failure of
//! the whole answer, whatever was sent. Events that are not known are data.

mod blocks;
mod whole;

use crate::{
    Verdict,
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
};

use super::{
    answer::{is_error, word},
    usage::Counts,
    words,
};
use blocks::Blocks;

/// The reader of one stream.
#[derive(Debug, Default)]
pub(super) struct Stream {
    counts: Counts,
    blocks: Blocks,
    ended: bool,
}

pub(super) fn begin(_choices: u32) -> Box<dyn Decode> {
    Box::new(Stream::default())
}

impl Decode for Stream {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let (name, data) = match frame {
            Frame::Event(event) => {
                let lines = event.lines();
                if let Some(error) = lines.error {
                    return Seen::Error(Verdict::in_band(error));
                }
                if !lines.any {
                    return Seen::Comment;
                }
                (lines.name, lines.data)
            }
            other => (None, other.data()),
        };
        match (name, data) {
            (Some("ping"), _) => Seen::Comment,
            (Some("error"), data) => {
                Seen::Error(Verdict::in_band(data.as_deref().unwrap_or_default()))
            }
            (_, None) => Seen::Data,
            (name, Some(data)) => match std::str::from_utf8(&data).map(str::trim) {
                Ok("" | "[DONE]") => Seen::Data,
                Ok(text) => self.event(name, text, sink),
                Err(_) => Seen::Unparsed,
            },
        }
    }
}

impl Stream {
    /// Reads the payload of an event.
    fn event(&mut self, name: Option<&str>, text: &str, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        const NAMES: [&str; 7] = [
            "type",
            "index",
            "delta",
            "content_block",
            "message",
            "usage",
            "error",
        ];
        let Some([kind, index, delta, block, message, usage, error]) = json::members(text, &NAMES)
        else {
            return Seen::Unparsed;
        };
        if is_error(kind, error) {
            return Seen::Error(Verdict::in_band(text.as_bytes()));
        }
        let index = index.and_then(json::count).unwrap_or(0);
        let kind = kind.and_then(json::text);
        match kind.as_deref().or(name) {
            Some("ping") => return Seen::Comment,
            Some("message_start") => self.start(message.unwrap_or("{}"), sink),
            Some("content_block_start") => {
                self.blocks.start(index, block.unwrap_or("{}"), sink);
            }
            Some("content_block_delta") => {
                self.blocks.delta(index, delta.unwrap_or("{}"), sink);
            }
            Some("content_block_stop") => self.blocks.stop(index, sink),
            Some("message_delta") => {
                self.count(usage, sink);
                finish(delta.unwrap_or("{}"), sink);
            }
            Some("message_stop") => {
                self.blocks.stop_all(sink);
                if !std::mem::replace(&mut self.ended, true) {
                    sink(Delta::Ended);
                }
                return Seen::Last;
            }
            _ => {}
        }
        Seen::Data
    }

    fn start(&mut self, message: &str, sink: &mut dyn FnMut(Delta<'_>)) {
        let [id, model, usage] =
            json::members(message, &["id", "model", "usage"]).unwrap_or_default();
        sink(Delta::Start(Start {
            id: word(id).map(Into::into),
            model: word(model).map(Into::into),
            created: None,
        }));
        self.count(usage, sink);
    }

    fn count(&mut self, usage: Option<&str>, sink: &mut dyn FnMut(Delta<'_>)) {
        if let Some(usage) = usage.and_then(|usage| self.counts.read(usage)) {
            sink(Delta::Usage(usage));
        }
    }
}

/// What a `message_delta` says about the end.
fn finish(delta: &str, sink: &mut dyn FnMut(Delta<'_>)) {
    const NAMES: [&str; 4] = ["stop_reason", "stop_sequence", "stop_details", "container"];
    let [reason, sequence, details, container] = json::members(delta, &NAMES).unwrap_or_default();
    if let Some(finish) = word(reason).and_then(|reason| words::finish(&reason)) {
        sink(Delta::Finish {
            choice: 0,
            finish,
            stop_sequence: word(sequence).map(Into::into),
        });
    }
    for (name, value) in [("stop_details", details), ("container", container)] {
        if value.is_some() {
            sink(Delta::Lost(name));
        }
    }
}
