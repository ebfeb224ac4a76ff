//! What stands in items and tools beside what is read of them.

use crate::{dialect::stray::Strays, json};

/// What is read of each item, or says nothing of what was said: where it is stored, and that it is whole.
const ITEMS: [(&str, &[&str]); 4] = [
    ("message", &["type", "id", "status", "role", "content"]),
    (
        "function_call",
        &["type", "id", "status", "call_id", "name", "arguments"],
    ),
    (
        "function_call_output",
        &["type", "id", "status", "call_id", "output"],
    ),
    (
        "reasoning",
        &[
            "type",
            "id",
            "status",
            "summary",
            "content",
            "encrypted_content",
        ],
    ),
];

/// The same of each part.
const PARTS: [(&str, &[&str]); 7] = [
    ("input_text", &["type", "text"]),
    ("text", &["type", "text"]),
    ("output_text", &["type", "text", "annotations", "logprobs"]),
    ("refusal", &["type", "refusal"]),
    ("input_image", &["type", "image_url", "file_id", "detail"]),
    (
        "input_file",
        &["type", "file_data", "file_url", "file_id", "filename"],
    ),
    ("input_audio", &["type", "input_audio"]),
];

/// Of `input`.
pub(super) fn input(strays: &mut Strays<'_>, input: &str) {
    json::elements(input, |item| {
        let kind = json::member(item, "type").and_then(json::text);
        let kind = kind.as_deref().unwrap_or("message");
        // an item of a kind that is not read is kept whole
        if let Some((_, known)) = ITEMS.iter().find(|(name, _)| *name == kind) {
            strays.of(item, known, "input[]");
            let [content, output] = json::members(item, &["content", "output"]).unwrap_or_default();
            let parts = content.or(output).filter(|_| kind != "reasoning");
            json::elements(parts.unwrap_or("[]"), |part| self::part(strays, part));
        }
    });
}

fn part(strays: &mut Strays<'_>, part: &str) {
    const PLACE: &str = "input[].content[]";
    let kind = json::member(part, "type").and_then(json::text);
    let read = kind.and_then(|kind| PARTS.iter().find(|(name, _)| *name == kind));
    if let Some((_, known)) = read {
        strays.of(part, known, PLACE);
        strays.inside(part, "input_audio", &["data", "format"], PLACE);
    }
}

/// Of `tools`, where they are functions.
pub(super) fn tools(strays: &mut Strays<'_>, tools: &str) {
    json::elements(tools, |tool| {
        if json::member(tool, "type") == Some("\"function\"") {
            let known = ["type", "name", "description", "parameters", "strict"];
            strays.of(tool, &known, "tools[]");
        }
    });
}
