//! The blocks of a stream that are open.
//!
//! Text and thoughts are told as they come, whatever block they say they belong to. A tool call is told
//! as it comes too; its input stands in deltas, or, with some servers, only in the event that opens it. A
//! block that only this API has is put together and told whole when it closes.

use std::borrow::Cow;

use crate::{
    json,
    middle::{Delta, Json, Part},
};

use super::super::answer::word;

/// Open blocks beyond this many are forgotten, the first of them first; real streams have one.
const OPEN: usize = 64;
/// What is held of a block that is put together, in bytes; as much as a preamble may be.
const HELD: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Vec<(u64, Open)>,
    calls: u32,
}

#[derive(Debug)]
enum Open {
    /// A call, and its input as it stood in the opening event while no other has come.
    Call { index: u32, given: Option<String> },
    /// Any other block that is put together.
    Other(Whole),
}

#[derive(Debug)]
struct Whole {
    kind: String,
    /// As it stood in the opening event.
    value: String,
    /// What the deltas made of `input`.
    input: String,
    /// What they made of `content`.
    content: String,
    over: bool,
}

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Blocks {
    pub(super) fn start(&mut self, at: u64, block: &str, sink: Sink<'_>) {
        self.stop(at, sink);
        let text = |name| json::member(block, name).and_then(json::text);
        let kind = word(json::member(block, "type")).unwrap_or_default();
        let open = match kind.as_str() {
            "text" => return say(text("text"), sink, plain),
            "thinking" => {
                say(text("thinking"), sink, thought);
                return say(text("signature"), sink, signature);
            }
            "redacted_thinking" => return say(text("data"), sink, opaque),
            "tool_use" => self.call(block, sink),
            _ if block.len() > HELD * 16 => return sink(Delta::Lost("content_block")),
            _ => Open::Other(Whole {
                kind,
                value: block.to_owned(),
                input: String::new(),
                content: String::new(),
                over: false,
            }),
        };
        if self.open.len() >= OPEN {
            self.open.remove(0);
        }
        self.open.push((at, open));
    }

    fn call(&mut self, block: &str, sink: Sink<'_>) -> Open {
        let [id, name, input] = json::members(block, &["id", "name", "input"]).unwrap_or_default();
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        sink(Delta::ToolCall {
            choice: 0,
            index,
            id: word(id).unwrap_or_else(|| format!("toolu_{index}")).into(),
            name: word(name).unwrap_or_default().into(),
        });
        let given = input.filter(|input| json::entries(input).is_some_and(|all| !all.is_empty()));
        Open::Call {
            index,
            given: given.map(Into::into),
        }
    }

    pub(super) fn delta(&mut self, at: u64, delta: &str, sink: Sink<'_>) {
        let text = |name| json::member(delta, name).and_then(json::text);
        let kind = json::member(delta, "type").and_then(json::text);
        match kind.as_deref().unwrap_or_default() {
            "text_delta" => say(text("text"), sink, plain),
            "thinking_delta" => say(text("thinking"), sink, thought),
            "signature_delta" => say(text("signature"), sink, signature),
            "citations_delta" => {
                let citation = json::member(delta, "citation");
                if let Some(json) = citation.filter(|citation| json::is_object(citation)) {
                    sink(Delta::Citation { choice: 0, json });
                }
            }
            "input_json_delta" => self.input(at, text("partial_json"), sink),
            "compaction_delta" => match self.find(at) {
                Some(Open::Other(whole)) => {
                    whole.add(text("content"), |whole| &mut whole.content);
                }
                _ => sink(Delta::Lost("content_block_delta")),
            },
            _ => sink(Delta::Lost("content_block_delta")),
        }
    }

    fn input(&mut self, at: u64, piece: Option<Cow<'_, str>>, sink: Sink<'_>) {
        match self.find(at) {
            Some(Open::Call { index, given }) => {
                let index = *index;
                if piece.as_deref().is_some_and(|piece| !piece.is_empty()) {
                    *given = None;
                }
                say(piece, sink, |json| Delta::ToolInput {
                    choice: 0,
                    index,
                    json,
                });
            }
            Some(Open::Other(whole)) => whole.add(piece, |whole| &mut whole.input),
            None => sink(Delta::Lost("content_block_delta")),
        }
    }

    pub(super) fn stop(&mut self, at: u64, sink: Sink<'_>) {
        if let Some(place) = self.open.iter().position(|(index, _)| *index == at) {
            self.open.remove(place).1.close(sink);
        }
    }

    pub(super) fn stop_all(&mut self, sink: Sink<'_>) {
        self.open.drain(..).for_each(|(_, open)| open.close(sink));
    }

    fn find(&mut self, at: u64) -> Option<&mut Open> {
        let found = self.open.iter_mut().find(|(index, _)| *index == at);
        found.map(|(_, open)| open)
    }
}

impl Open {
    fn close(self, sink: Sink<'_>) {
        match self {
            Self::Call { index, given } => {
                say(given.map(Cow::Owned), sink, |json| Delta::ToolInput {
                    choice: 0,
                    index,
                    json,
                });
                sink(Delta::ToolDone { choice: 0, index });
            }
            Self::Other(whole) => match whole.part() {
                Some(part) => sink(Delta::Whole { choice: 0, part }),
                None => sink(Delta::Lost("content_block")),
            },
        }
    }
}

impl Whole {
    fn add(&mut self, piece: Option<Cow<'_, str>>, into: fn(&mut Self) -> &mut String) {
        let piece = piece.unwrap_or_default();
        self.over |= self.input.len() + self.content.len() + piece.len() > HELD;
        if !self.over {
            into(self).push_str(&piece);
        }
    }

    /// With what the deltas said in the place of what it began with; `None` if it cannot be read.
    fn part(self) -> Option<Part> {
        let mut members = json::entries(&self.value)?;
        let content = serde_json::Value::from(self.content.as_str()).to_string();
        for (name, said, value) in [
            ("input", &self.input, self.input.as_str()),
            ("content", &self.content, content.as_str()),
        ] {
            if said.is_empty() {
                continue;
            }
            match members.iter_mut().find(|(member, _)| member == name) {
                Some((_, old)) => *old = value,
                None => members.push((name.to_owned(), value)),
            }
        }
        let member =
            |(name, value): (String, &str)| format!("{}:{value}", serde_json::Value::from(name));
        let all: Vec<String> = members.into_iter().map(member).collect();
        let value = Json::parse(&format!("{{{}}}", all.join(",")))?;
        (!self.over).then_some(Part::Other {
            kind: self.kind,
            value,
        })
    }
}

/// Tells a text that is not empty.
fn say<'t>(text: Option<Cow<'t, str>>, sink: Sink<'_>, delta: impl Fn(Cow<'t, str>) -> Delta<'t>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        sink(delta(text));
    }
}

fn plain(text: Cow<'_, str>) -> Delta<'_> {
    Delta::Text {
        choice: 0,
        text,
        logprobs: None,
    }
}

fn thought(text: Cow<'_, str>) -> Delta<'_> {
    Delta::Reasoning { choice: 0, text }
}

fn signature(value: Cow<'_, str>) -> Delta<'_> {
    Delta::Signature { choice: 0, value }
}

fn opaque(value: Cow<'_, str>) -> Delta<'_> {
    Delta::Opaque { choice: 0, value }
}
