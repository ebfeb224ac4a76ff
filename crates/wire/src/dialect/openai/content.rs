//! What counts as content in a delta or a message.
//!
//! Content is a non-empty piece of text (white space counts), refusal, reasoning or tool-call
//! input, and any audio, image or file part. Roles, empty strings, annotations, log
//! probabilities and token ids are not. The head of a tool call (id, name, no arguments yet) is
//! not content by itself; it is noted, because a call without arguments never sends more.

use crate::json;

/// What a delta or a message holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) content: bool,
    /// Some of the content is not reasoning.
    pub(super) visible: bool,
    /// A tool call has begun here, with or without arguments.
    pub(super) call: bool,
}

impl Held {
    /// Reads a delta or a message; `None` if it is not an object.
    pub(super) fn read(value: json::Value<'_, '_>) -> Result<Option<Self>, json::Fault> {
        let mut held = Self::default();
        Ok(value.object(&mut held)?.then_some(held))
    }

    fn show(&mut self, content: bool) {
        self.content |= content;
        self.visible |= content;
    }

    fn function_call(&mut self, call: &str) {
        self.call |= json::is_object(call);
        self.show(has_input(call, "arguments"));
    }

    fn tool_calls(&mut self, calls: &str) {
        json::elements(calls, |call| {
            let Some([id, function, custom]) = json::members(call, &["id", "function", "custom"])
            else {
                return;
            };
            let name = function.or(custom).and_then(|f| json::member(f, "name"));
            self.call |= id.is_some_and(json::is_text) || name.is_some_and(json::is_text);
            let input = function.is_some_and(|f| has_input(f, "arguments"))
                || custom.is_some_and(|c| has_input(c, "input"));
            self.show(input);
        });
    }
}

impl<'a> json::Sink<'a> for Held {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key {
            b"reasoning_content" | b"reasoning" | b"reasoning_details" => {
                self.content |= has_text(value.raw()?, DEPTH);
            }
            b"content" => {
                let content = value.raw()?;
                let any = has_text(content, DEPTH);
                self.content |= any;
                self.visible |= any && !is_only_thinking(content);
            }
            b"refusal" | b"images" => {
                let any = has_text(value.raw()?, DEPTH);
                self.show(any);
            }
            b"tool_calls" => self.tool_calls(value.raw()?),
            b"function_call" => self.function_call(value.raw()?),
            b"audio" => {
                let any = has_audio(value.raw()?);
                self.show(any);
            }
            _ => value.skip()?,
        }
        Ok(())
    }
}

/// Mistral nests `content[].thinking[].text`: three levels. Deeper is not looked at.
const DEPTH: u8 = 3;

/// A non-empty string, or parts of which one has content.
fn has_text(value: &str, depth: u8) -> bool {
    if !json::is_array(value) {
        return json::is_text(value);
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let mut found = false;
    json::elements(value, |part| {
        found |= json::is_text(part) || (json::is_object(part) && is_content_part(part, depth));
    });
    found
}

/// Text-like parts need text; every other typed part (image, audio, file) is content as such.
fn is_content_part(part: &str, depth: u8) -> bool {
    let names = ["type", "text", "thinking", "refusal", "summary", "data"];
    let Some([kind, texts @ ..]) = json::members(part, &names) else {
        return false;
    };
    if texts
        .into_iter()
        .flatten()
        .any(|text| has_text(text, depth))
    {
        return true;
    }
    let kind = kind.and_then(json::text);
    kind.is_some_and(|kind| {
        let textual = ["text", "output_text", "thinking", "refusal", "reference"];
        !textual.contains(&&*kind) && !kind.starts_with("reasoning") && !kind.is_empty()
    })
}

/// Mistral's reasoning: parts of `content` that are all of the type `thinking`.
fn is_only_thinking(content: &str) -> bool {
    if !json::is_array(content) {
        return false;
    }
    let mut only = true;
    json::elements(content, |part| {
        only &= json::member(part, "type") == Some("\"thinking\"");
    });
    only
}

fn has_audio(audio: &str) -> bool {
    json::members(audio, &["data", "transcript"])
        .is_some_and(|parts| parts.into_iter().flatten().any(json::is_text))
}

/// Arguments as text, or as an object where a server does not serialise them.
fn has_input(call: &str, name: &str) -> bool {
    json::member(call, name).is_some_and(|input| json::is_text(input) || json::is_object(input))
}
