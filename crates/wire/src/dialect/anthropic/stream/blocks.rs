//! The blocks of a stream that are open.
//!
//! Text and thoughts are told as they come, whatever block they say they belong to. A tool call is told
//! as it comes too; what a text cites when its block closes, so that its place is known. A call's input stands in deltas, or, with some servers, only in the event that opens it. A
//! block that only this API has is put together and told whole when it closes.

use std::borrow::Cow;

use crate::{dialect::citation::Block, json, middle::Delta};

use super::{super::answer::word, whole::Whole};

/// Open blocks beyond this many are forgotten, the first of them first; real streams have one.
const OPEN: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Vec<(u64, Open)>,
    calls: u32,
    text: Block,
}

#[derive(Debug)]
enum Open {
    /// A call, and its input as it stood in the opening event while no other has come.
    Call { index: u32, given: Option<String> },
    /// Any other block that is put together.
    Other(Whole),
}

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Blocks {
    pub(super) fn start(&mut self, at: u64, block: &str, sink: Sink<'_>) {
        self.stop(at, sink);
        let kind = word(json::member(block, "type")).unwrap_or_default();
        let open = match kind.as_str() {
            "text" => return self.say(block, sink),
            "thinking" => {
                say(block, "thinking", sink, thought);
                return say(block, "signature", sink, signature);
            }
            "redacted_thinking" => return say(block, "data", sink, opaque),
            "tool_use" => self.call(block, sink),
            _ => Open::Other(Whole::new(kind, block)),
        };
        if self.open.len() >= OPEN {
            self.open.remove(0);
        }
        self.open.push((at, open));
    }

    fn say(&mut self, object: &str, sink: Sink<'_>) {
        let text = &mut self.text;
        let told = &mut |delta: Delta<'_>| {
            if let Delta::Text { text: said, .. } = &delta {
                text.say(said);
            }
            sink(delta);
        };
        say(object, "text", told, plain);
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
        let kind = json::member(delta, "type").and_then(json::text);
        match kind.as_deref().unwrap_or_default() {
            "text_delta" => self.say(delta, sink),
            "thinking_delta" => say(delta, "thinking", sink, thought),
            "signature_delta" => say(delta, "signature", sink, signature),
            "citations_delta" => {
                let citation = json::member(delta, "citation");
                if let Some(json) = citation.filter(|citation| json::is_object(citation)) {
                    self.text.cite(json, sink);
                }
            }
            "input_json_delta" => self.input(at, delta, sink),
            "compaction_delta" => match self.find(at) {
                Some(Open::Other(whole)) => {
                    let piece = json::member(delta, "content").and_then(json::text);
                    whole.add_content(&piece.unwrap_or_default());
                }
                _ => sink(Delta::Lost("content_block_delta")),
            },
            _ => sink(Delta::Lost("content_block_delta")),
        }
    }

    fn input(&mut self, at: u64, delta: &str, sink: Sink<'_>) {
        let piece = json::member(delta, "partial_json").unwrap_or_default();
        match self.find(at) {
            Some(Open::Call { index, given }) => {
                let index = *index;
                if json::is_text(piece) {
                    *given = None;
                }
                say(delta, "partial_json", sink, |json| Delta::ToolInput {
                    choice: 0,
                    index,
                    json,
                });
            }
            Some(Open::Other(whole)) => {
                whole.add_input(&json::text(piece).unwrap_or_default());
            }
            None => sink(Delta::Lost("content_block_delta")),
        }
    }

    pub(super) fn stop(&mut self, at: u64, sink: Sink<'_>) {
        self.text.end(sink);
        if let Some(place) = self.open.iter().position(|(index, _)| *index == at) {
            self.open.remove(place).1.close(sink);
        }
    }

    pub(super) fn stop_all(&mut self, sink: Sink<'_>) {
        self.text.end(sink);
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
                if let Some(json) = given.map(Cow::Owned) {
                    sink(Delta::ToolInput {
                        choice: 0,
                        index,
                        json,
                    });
                }
                sink(Delta::ToolDone { choice: 0, index });
            }
            Self::Other(whole) => match whole.part() {
                Some(part) => sink(Delta::Whole { choice: 0, part }),
                None => sink(Delta::Lost("content_block")),
            },
        }
    }
}

/// Tells a text that is not empty. One that holds half of a surrogate pair is no text.
fn say<'t>(object: &'t str, name: &str, sink: Sink<'_>, delta: impl Fn(Cow<'t, str>) -> Delta<'t>) {
    let value = json::member(object, name).filter(|value| json::is_text(value));
    match value.map(json::text) {
        Some(Some(text)) => sink(delta(text)),
        Some(None) => sink(Delta::Lost("text")),
        None => {}
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
