//! What stands in messages and tools beside what is read of them.

use crate::{dialect::stray::Strays, json};

/// What is read of a message, whoever speaks.
const MESSAGE: [&str; 13] = [
    "role",
    "content",
    "name",
    "cache_control",
    "refusal",
    "audio",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "thinking_blocks",
    "reasoning_details",
    "reasoning_content",
    "reasoning",
];

/// What is read of each part, and of the member inside it that has its name.
const PARTS: [(&str, &[&str], &[&str]); 7] = [
    ("text", &["type", "text", "cache_control"], &[]),
    ("refusal", &["type", "refusal", "cache_control"], &[]),
    (
        "image_url",
        &["type", "image_url", "cache_control"],
        &["url", "detail"],
    ),
    (
        "input_audio",
        &["type", "input_audio", "cache_control"],
        &["data", "format"],
    ),
    (
        "file",
        &["type", "file", "cache_control"],
        &["file_data", "file_id", "filename"],
    ),
    (
        "video_url",
        &["type", "video_url", "cache_control"],
        &["url"],
    ),
    (
        "document_url",
        &["type", "document_url", "document_name", "cache_control"],
        &[],
    ),
];

const CALL: [&str; 6] = ["id", "type", "index", "function", "custom", "extra_content"];
const FUNCTION: [&str; 5] = [
    "name",
    "description",
    "parameters",
    "strict",
    "cache_control",
];

/// Of `messages`.
pub(super) fn messages(strays: &mut Strays<'_>, messages: &str) {
    json::elements(messages, |message| {
        strays.of(message, &MESSAGE, "messages[]");
        let inner = json::members(message, &["content", "tool_calls"]);
        let [content, calls] = inner.unwrap_or_default();
        json::elements(content.unwrap_or("[]"), |part| self::part(strays, part));
        json::elements(calls.unwrap_or("[]"), |call| {
            const PLACE: &str = "messages[].tool_calls[]";
            strays.of(call, &CALL, PLACE);
            strays.inside(call, "function", &["name", "arguments", "input"], PLACE);
            strays.inside(call, "custom", &["name", "arguments", "input"], PLACE);
        });
    });
}

/// A part of a kind that is not read is kept whole.
fn part(strays: &mut Strays<'_>, part: &str) {
    const PLACE: &str = "messages[].content[]";
    let kind = json::member(part, "type").and_then(json::text);
    let read = kind.and_then(|kind| PARTS.iter().find(|(name, ..)| *name == kind));
    if let Some((name, outer, inner)) = read {
        strays.of(part, outer, PLACE);
        if !inner.is_empty() {
            strays.inside(part, name, inner, PLACE);
        }
    }
}

/// Of `tools`, where they are functions.
pub(super) fn tools(strays: &mut Strays<'_>, tools: &str) {
    json::elements(tools, |tool| {
        if json::member(tool, "type") == Some("\"function\"") {
            strays.of(tool, &["type", "function", "cache_control"], "tools[]");
            strays.inside(tool, "function", &FUNCTION, "tools[]");
        }
    });
}

/// Of `response_format`, where it is a schema.
pub(super) fn format(strays: &mut Strays<'_>, format: &str) {
    if json::member(format, "type") == Some("\"json_schema\"") {
        const PLACE: &str = "response_format";
        let known = ["name", "description", "schema", "strict"];
        strays.of(format, &["type", "json_schema"], PLACE);
        strays.inside(format, "json_schema", &known, PLACE);
    }
}
