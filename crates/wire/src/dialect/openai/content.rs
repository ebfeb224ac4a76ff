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
    /// A tool call has begun here, with or without arguments.
    pub(super) call: bool,
}

const NAMES: [&str; 9] = [
    "content",
    "reasoning_content",
    "reasoning",
    "tool_calls",
    "refusal",
    "reasoning_details",
    "function_call",
    "audio",
    "images",
];

/// Reads a delta or a message; anything but an object holds nothing.
pub(super) fn held(delta: &str) -> Held {
    let Some(
        [
            content,
            reasoning_content,
            reasoning,
            calls,
            refusal,
            details,
            call,
            audio,
            images,
        ],
    ) = json::members(delta, &NAMES)
    else {
        return Held::default();
    };
    let texts = [
        content,
        reasoning_content,
        reasoning,
        refusal,
        details,
        images,
    ];
    let mut held = Held {
        content: texts
            .into_iter()
            .flatten()
            .any(|value| has_text(value, DEPTH))
            || audio.is_some_and(has_audio),
        call: false,
    };
    if let Some(call) = call.filter(|call| json::is_object(call)) {
        held.call = true;
        held.content |= has_input(call, "arguments");
    }
    json::elements(calls.unwrap_or_default(), |call| {
        let named = ["id", "type", "function", "custom"];
        let Some([id, _, function, custom]) = json::members(call, &named) else {
            return;
        };
        let name = function.or(custom).and_then(|f| json::member(f, "name"));
        held.call |= id.is_some_and(json::is_text) || name.is_some_and(json::is_text);
        held.content |= function.is_some_and(|f| has_input(f, "arguments"))
            || custom.is_some_and(|c| has_input(c, "input"));
    });
    held
}

/// Mistral nests `content[].thinking[].text`: three levels. Deeper is not looked at.
const DEPTH: u8 = 3;

/// A non-empty string, or parts of which one has content.
pub(super) fn has_text(value: &str, depth: u8) -> bool {
    if json::is_text(value) {
        return true;
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

fn has_audio(audio: &str) -> bool {
    json::members(audio, &["data", "transcript"])
        .is_some_and(|parts| parts.into_iter().flatten().any(json::is_text))
}

/// Arguments as text, or as an object where a server does not serialise them.
fn has_input(call: &str, name: &str) -> bool {
    json::member(call, name).is_some_and(|input| json::is_text(input) || json::is_object(input))
}
