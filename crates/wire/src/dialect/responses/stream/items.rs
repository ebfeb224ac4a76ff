//! What was told of each item.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    super::item::{self, filled, kind, words},
    event::Event,
};
use crate::{json, middle::Delta};

/// The items of one answer, by their place in the output.
#[derive(Default)]
pub(super) struct Items {
    items: HashMap<u64, Item>,
    /// How many calls have begun.
    calls: u32,
}

#[derive(Default)]
struct Item {
    /// Its number among the calls, once its name is known.
    call: Option<u32>,
    /// Some of a call's input was told.
    input: bool,
    /// It was told that a call, or a thing of the provider's own, is whole.
    done: bool,
    /// The parts of a message of which something was told.
    parts: HashSet<u64>,
    /// Citations were told.
    cited: bool,
    thought: Option<Thought>,
}

/// Which form of a thought is told: the first that comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thought {
    Words(u64),
    Summary(u64),
}

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Items {
    /// Whether there are calls.
    pub(super) fn called(&self) -> bool {
        self.calls > 0
    }

    /// What an event says about one item.
    pub(super) fn event(&mut self, kind: &str, event: &Event<'_>, sink: Sink<'_>) {
        let Self { items, calls } = self;
        let item = items.entry(event.output).or_default();
        let part = event.content;
        match kind {
            "response.output_item.added" => item.begin(event.item.unwrap_or_default(), calls, sink),
            "response.output_item.done" => item.end(event.item.unwrap_or_default(), calls, sink),
            "response.output_text.delta" => item.text(part, event.delta, event.logprobs, sink),
            "response.output_text.done" if !item.parts.contains(&part) => {
                item.text(part, event.text, event.logprobs, sink);
            }
            "response.refusal.delta" => item.refusal(part, event.delta, sink),
            "response.refusal.done" if !item.parts.contains(&part) => {
                item.refusal(part, event.refusal, sink);
            }
            "response.output_text.annotation.added" => item.cite(event.annotation, sink),
            "response.reasoning_summary_text.delta" => {
                item.think(Thought::Summary(event.summary), event.delta, sink);
            }
            "response.reasoning_text.delta" => {
                item.think(Thought::Words(part), event.delta, sink);
            }
            "response.reasoning_summary_text.done" if item.thought.is_none() => {
                item.think(Thought::Summary(event.summary), event.text, sink);
            }
            "response.reasoning_text.done" if item.thought.is_none() => {
                item.think(Thought::Words(part), event.text, sink);
            }
            "response.function_call_arguments.delta" => item.input(event.delta, sink),
            "response.function_call_arguments.done" => {
                if !item.input {
                    item.input(event.arguments, sink);
                }
                item.done(sink);
            }
            _ => {}
        }
    }

    /// At the end, with the whole output: servers that send nothing but the end exist. Others leave items out
    /// of it, so that places no longer agree: what was streamed is then all there is.
    pub(super) fn close(&mut self, output: &str, sink: Sink<'_>) {
        if self.items.values().any(Item::told) {
            return;
        }
        let mut index = 0;
        json::elements(output, |whole| {
            let item = self.items.entry(index).or_default();
            item.end(whole, &mut self.calls, sink);
            index += 1;
        });
    }
}

impl Item {
    /// Whether anything of it was told.
    fn told(&self) -> bool {
        let open = self.call.is_some() || self.thought.is_some();
        open || self.done || self.cited || !self.parts.is_empty()
    }

    fn begin(&mut self, whole: &str, calls: &mut u32, sink: Sink<'_>) {
        if self.call.is_some() || kind(whole) != "function_call" {
            return;
        }
        let Some(name) = filled(whole, "name") else {
            return;
        };
        let id = filled(whole, "call_id").or_else(|| filled(whole, "id"));
        self.call = Some(*calls);
        sink(Delta::ToolCall {
            choice: 0,
            index: *calls,
            id: id.unwrap_or_default(),
            name,
        });
        *calls = calls.saturating_add(1);
    }

    fn end(&mut self, whole: &str, calls: &mut u32, sink: Sink<'_>) {
        match kind(whole).as_ref() {
            "message" => self.message(whole, sink),
            "function_call" => {
                self.begin(whole, calls, sink);
                if !self.input {
                    self.input(json::member(whole, "arguments"), sink);
                }
                self.done(sink);
            }
            "reasoning" => self.thought(whole, sink),
            _ => {
                if let Some(part) = item::other(whole).filter(|_| !self.done) {
                    self.done = true;
                    sink(Delta::Whole { choice: 0, part });
                }
            }
        }
    }

    fn message(&mut self, whole: &str, sink: Sink<'_>) {
        let (mut index, cited) = (0, self.cited);
        let content = json::member(whole, "content").unwrap_or_default();
        json::elements(content, |piece| {
            let told = self.parts.contains(&index);
            match kind(piece).as_ref() {
                "output_text" | "text" => {
                    if !told {
                        let logprobs = item::logprobs(piece);
                        self.text(index, json::member(piece, "text"), logprobs, sink);
                    }
                    let annotations = json::member(piece, "annotations").filter(|_| !cited);
                    json::elements(annotations.unwrap_or_default(), |one| {
                        self.cite(Some(one), sink);
                    });
                }
                "refusal" if !told => {
                    self.refusal(index, json::member(piece, "refusal"), sink);
                }
                _ => {}
            }
            index += 1;
        });
    }

    fn thought(&mut self, whole: &str, sink: Sink<'_>) {
        let words = item::thought(whole);
        if self.thought.is_none() && !words.is_empty() {
            self.thought = Some(Thought::Words(0));
            sink(Delta::Reasoning {
                choice: 0,
                text: Cow::Owned(words),
            });
        }
        // what stands here when the item begins is not the final value
        if let Some(value) = item::encrypted(whole).filter(|_| !self.done) {
            self.done = true;
            sink(Delta::Opaque { choice: 0, value });
        }
    }

    fn text(&mut self, part: u64, text: Option<&str>, logprobs: Option<&str>, sink: Sink<'_>) {
        let Some(text) = text.and_then(words).filter(|text| !text.is_empty()) else {
            return;
        };
        self.parts.insert(part);
        let mut any = false;
        json::elements(logprobs.unwrap_or_default(), |_| any = true);
        // as chat completions wrap them
        let logprobs = logprobs.filter(|_| any);
        let logprobs = logprobs.map(|list| format!("{{\"content\":{list}}}"));
        sink(Delta::Text {
            choice: 0,
            text,
            logprobs: logprobs.as_deref(),
        });
    }

    fn refusal(&mut self, part: u64, text: Option<&str>, sink: Sink<'_>) {
        if let Some(text) = text.and_then(words).filter(|text| !text.is_empty()) {
            self.parts.insert(part);
            sink(Delta::Refusal { choice: 0, text });
        }
    }

    fn cite(&mut self, annotation: Option<&str>, sink: Sink<'_>) {
        if let Some(json) = annotation.filter(|json| json::is_object(json)) {
            self.cited = true;
            sink(Delta::Citation {
                choice: 0,
                json,
                reach: None,
            });
        }
    }

    fn think(&mut self, thought: Thought, text: Option<&str>, sink: Sink<'_>) {
        let Some(text) = text.and_then(words).filter(|text| !text.is_empty()) else {
            return;
        };
        let another = match (self.thought, thought) {
            (None, _) => false,
            (Some(Thought::Words(before)), Thought::Words(now))
            | (Some(Thought::Summary(before)), Thought::Summary(now)) => before != now,
            // the same thought in its other form
            _ => return,
        };
        self.thought = Some(thought);
        if another {
            sink(Delta::Reasoning {
                choice: 0,
                text: Cow::Borrowed("\n\n"),
            });
        }
        sink(Delta::Reasoning { choice: 0, text });
    }

    fn input(&mut self, json: Option<&str>, sink: Sink<'_>) {
        let Some(index) = self.call else { return };
        if let Some(json) = json.and_then(item::input).filter(|json| !json.is_empty()) {
            if self.done {
                return sink(Delta::Lost("tool_calls"));
            }
            self.input = true;
            sink(Delta::ToolInput {
                choice: 0,
                index,
                json,
            });
        }
    }

    fn done(&mut self, sink: Sink<'_>) {
        if let Some(index) = self.call.filter(|_| !self.done) {
            self.done = true;
            sink(Delta::ToolDone { choice: 0, index });
        }
    }
}
