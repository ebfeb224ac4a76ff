//! How the events of a stream become bytes.
//!
//! The layout speaks of events; what stands around each of them depends on the dialect, and for one of
//! them (a JSON array) on what was sent before. So a [`Pen`] is held for the length of one answer, and
//! every fault that is an event works on every dialect. What is given as bytes stays as it is.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;

use super::Content;
use super::frame::{self, Damage};
use crate::route::{Surface, field};

/// The framing of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Server-sent events.
    Sse,
    /// One JSON value a line, as Ollama.
    Ndjson,
    /// One JSON array, an element an event, as Gemini without `alt=sse`.
    Array,
    /// AWS event stream messages, as Bedrock's Converse.
    Frames,
    /// The same, each with an event of the model's own dialect inside, as Bedrock's Invoke.
    Chunks,
}

impl Wire {
    pub(crate) fn of(surface: Surface, path: &str) -> Self {
        let query = path.split_once('?').map_or("", |(_, query)| query);
        match surface {
            Surface::Gemini if field(query, "alt").as_deref() != Some("sse") => Self::Array,
            Surface::OllamaChat | Surface::OllamaGenerate => Self::Ndjson,
            Surface::Converse => Self::Frames,
            Surface::Invoke => Self::Chunks,
            _ => Self::Sse,
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
            Self::Array => "application/json; charset=UTF-8",
            Self::Frames | Self::Chunks => frame::CONTENT_TYPE,
        }
    }

    /// Whether the stream is made of AWS event stream messages.
    pub(crate) fn is_frames(self) -> bool {
        matches!(self, Self::Frames | Self::Chunks)
    }
}

/// Writes the events of one answer.
pub(crate) struct Pen {
    wire: Wire,
    line_end: &'static str,
    /// An array has been opened.
    begun: bool,
}

impl Pen {
    pub(crate) fn new(wire: Wire, line_end: &'static str) -> Self {
        Self {
            wire,
            line_end,
            begun: false,
        }
    }

    /// The bytes of one part.
    pub(crate) fn write(&mut self, content: &Content) -> Bytes {
        match content {
            Content::Raw(bytes) => bytes.clone(),
            Content::Event { name, data } => self.event(*name, data),
            Content::Exception { name, data } if self.wire.is_frames() => {
                frame::exception(name, data)
            }
            Content::Exception { data, .. } => self.event(None, data),
            Content::Failure { code, message, .. } if self.wire.is_frames() => {
                frame::failure(code, message)
            }
            Content::Failure { data, .. } => self.event(None, data),
            Content::Damaged(damage, data) => self.damaged(*damage, data),
            Content::Comment(text) => self.comment(text),
            Content::Close => self.close(),
        }
    }

    fn event(&mut self, name: Option<&str>, data: &str) -> Bytes {
        let end = self.line_end;
        match self.wire {
            Wire::Sse => {
                let name = name.map_or(String::new(), |name| format!("event: {name}{end}"));
                format!("{name}data: {data}{end}{end}").into()
            }
            Wire::Ndjson => format!("{data}{end}").into(),
            Wire::Array => {
                let before = if self.begun { ",\r\n" } else { "[" };
                self.begun = true;
                format!("{before}{data}\n").into()
            }
            Wire::Frames => frame::event(name.unwrap_or("contentBlockDelta"), data),
            Wire::Chunks => frame::event("chunk", &chunk(data)),
        }
    }

    fn damaged(&mut self, damage: Damage, data: &str) -> Bytes {
        let whole = self.event(None, data);
        match self.wire.is_frames() {
            true => frame::damaged(&whole, damage),
            false => whole,
        }
    }

    /// What a client must step over: a comment, or what comes nearest to one where there are none.
    fn comment(&mut self, text: &str) -> Bytes {
        let end = self.line_end;
        match self.wire {
            Wire::Sse => format!(": {text}{end}{end}").into(),
            Wire::Ndjson => Bytes::copy_from_slice(end.as_bytes()),
            Wire::Array => Bytes::from_static(b"\n"),
            Wire::Frames => frame::event("keepAlive", "{}"),
            Wire::Chunks => frame::event("chunk", &chunk(r#"{"type":"ping"}"#)),
        }
    }

    fn close(&mut self) -> Bytes {
        match (self.wire, self.begun) {
            (Wire::Array, true) => Bytes::from_static(b"]"),
            (Wire::Array, false) => Bytes::from_static(b"[]"),
            _ => Bytes::new(),
        }
    }
}

/// The payload that carries an event of another dialect (`PayloadPart` of the Bedrock runtime API).
fn chunk(data: &str) -> String {
    format!(
        r#"{{"bytes":"{}","p":"abcdefg"}}"#,
        BASE64_STANDARD.encode(data)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(wire: Wire, contents: &[Content]) -> String {
        let mut pen = Pen::new(wire, "\n");
        let all: Vec<Bytes> = contents.iter().map(|c| pen.write(c)).collect();
        String::from_utf8(all.concat()).unwrap()
    }

    fn data(data: &str) -> Content {
        Content::data(data.to_owned())
    }

    #[test]
    fn an_array_is_json_however_many_comments_lie_between() {
        let all = [
            Content::Comment("x"),
            data("{\"a\":1}"),
            Content::Comment("x"),
            data("{\"a\":2}"),
            Content::Close,
        ];
        let text = said(Wire::Array, &all);
        assert_eq!(text, "\n[{\"a\":1}\n\n,\r\n{\"a\":2}\n]");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[1]["a"], 2);
        assert_eq!(said(Wire::Array, &[Content::Close]), "[]");
    }

    #[test]
    fn lines_and_events_end_as_their_dialect_has_it() {
        assert_eq!(said(Wire::Ndjson, &[data("{}"), Content::Close]), "{}\n");
        let event = Content::event("ping", "");
        assert_eq!(
            said(Wire::Sse, &[event, Content::Close]),
            "event: ping\ndata: {\"type\":\"ping\"}\n\n"
        );
    }
}
