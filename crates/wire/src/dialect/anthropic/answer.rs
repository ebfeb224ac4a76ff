//! A whole answer that came with status 200.
//!
//! A 200 is not yet an answer: it can hold an error object, another API's answer, or a page. Nothing of
//! the body is quoted when it is refused; inside an answer nothing that surprises is a reason to fail.

use super::{usage::Counts, words};
use crate::{
    Class, Verdict,
    dialect::{AnswerSummary, Durations},
    json,
    middle::{Answer, Choice, Json, Lost, Part, ToolCall, summary},
};

const NAMES: [&str; 10] = [
    "type",
    "error",
    "id",
    "model",
    "content",
    "stop_reason",
    "stop_sequence",
    "usage",
    "stop_details",
    "container",
];

/// Judges a whole answer that is relayed as it came.
///
/// # Errors
/// The in-band verdict for an error object, [`Class::Malformed`] for what is no answer.
pub fn judge_answer(body: &[u8]) -> Result<AnswerSummary, Verdict> {
    read(body).map(|answer| summary(&answer))
}

/// Judges the answer of `count_tokens`: the count is its content. Nothing was used.
///
/// # Errors
/// As [`judge_answer`].
pub fn judge_count(body: &[u8]) -> Result<AnswerSummary, Verdict> {
    let text = text(body)?;
    let found = json::members(text, &["type", "error", "input_tokens"]);
    let [kind, error, tokens] = found.ok_or_else(not_an_object)?;
    if is_error(kind, error) {
        return Err(Verdict::in_band(body));
    }
    if tokens.and_then(json::count).is_none() {
        return Err(malformed("the answer has no count of tokens"));
    }
    Ok(AnswerSummary {
        has_content: true,
        ..summary(&Answer::default())
    })
}

pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let text = text(body)?;
    let [
        kind,
        error,
        id,
        model,
        content,
        stop_reason,
        stop_sequence,
        usage,
        details,
        container,
    ] = json::members(text, &NAMES).ok_or_else(not_an_object)?;
    if is_error(kind, error) {
        return Err(Verdict::in_band(body));
    }
    let content = content.filter(|content| json::is_array(content));
    if content.is_none() && kind != Some("\"message\"") {
        return Err(malformed("the answer is not a message"));
    }
    let mut lost = Lost::default();
    for (name, value) in [("stop_details", details), ("container", container)] {
        if value.is_some() {
            lost.content(name);
        }
    }
    let mut parts = Vec::new();
    json::elements(content.unwrap_or_default(), |block| {
        parts.extend(part(block));
    });
    let tier = usage.and_then(|usage| word(json::member(usage, "service_tier")));
    Ok(Answer {
        id: word(id),
        model: word(model),
        created: None,
        choices: vec![Choice {
            index: 0,
            parts,
            finish: word(stop_reason).and_then(|word| words::finish(&word)),
            stop_sequence: word(stop_sequence),
            logprobs: None,
        }],
        usage: usage.and_then(|usage| Counts::default().read(usage)),
        service_tier: tier.map(|tier| words::tier(&tier).to_owned()),
        lost,
        durations: Durations::default(),
    })
}

/// A block; `None` for what is no object.
fn part(block: &str) -> Option<Part> {
    let text = |name: &str| word(json::member(block, name));
    let kind = text("type").unwrap_or_default();
    if !json::is_object(block) {
        return None;
    }
    Some(match kind.as_str() {
        "text" => Part::Text {
            text: text("text").unwrap_or_default(),
            citations: json::member(block, "citations")
                .filter(|citations| *citations != "[]")
                .and_then(Json::parse),
            cache: None,
        },
        "thinking" => Part::Reasoning {
            text: text("thinking").unwrap_or_default(),
            signature: text("signature"),
            opaque: None,
            id: None,
        },
        "redacted_thinking" => Part::Reasoning {
            text: String::new(),
            signature: None,
            opaque: text("data"),
            id: None,
        },
        "tool_use" => Part::ToolCall(ToolCall {
            id: text("id").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            input: json::member(block, "input").unwrap_or_default().to_owned(),
            signature: None,
        }),
        _ => Part::Other {
            kind,
            value: Json::parse(block)?,
        },
    })
}

fn text(body: &[u8]) -> Result<&str, Verdict> {
    std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))
}

/// A string that is not empty.
pub(super) fn word(value: Option<&str>) -> Option<String> {
    let text = value.and_then(json::text).filter(|text| !text.is_empty());
    text.map(Into::into)
}

/// `type: error`, or an `error` that says something, as servers behind this API have it.
pub(super) fn is_error(kind: Option<&str>, error: Option<&str>) -> bool {
    kind == Some("\"error\"") || error.is_some_and(|error| !matches!(error, "false" | "\"\""))
}

fn malformed(message: &str) -> Verdict {
    Verdict::of(Class::Malformed, message)
}

fn not_an_object() -> Verdict {
    malformed("the answer is not a JSON object")
}
