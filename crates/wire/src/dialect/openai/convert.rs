//! A whole answer as a stream, for a caller that asked for one.
//!
//! Some upstreams answer `stream: true` with one JSON object. It is turned into one chunk that
//! holds everything (each `message` becomes the `delta` beside its `finish_reason`, usage
//! stays where it is) and `[DONE]`: no made-up pieces, and every number as it was spelled.

use bytes::Bytes;

use super::judge_answer;
use crate::{Surface, Verdict, json};

/// Converts a chat or completions answer.
///
/// # Errors
/// As [`judge_answer`]; nothing of an answer that fails there is converted.
pub fn to_stream(surface: Surface, body: &Bytes) -> Result<Bytes, Verdict> {
    judge_answer(surface, body)?;
    let text = json::compact(std::str::from_utf8(body).unwrap_or_default());
    let chunk = object(&text, |name, value| match (name, surface) {
        ("object", Surface::Chat) => "\"chat.completion.chunk\"".to_owned(),
        ("choices", Surface::Chat) => list(value, |_, choice| self::choice(choice)),
        _ => value.to_owned(),
    });
    Ok(format!("data: {chunk}\n\ndata: [DONE]\n\n").into())
}

fn choice(choice: &str) -> String {
    let delta = object(choice, |name, value| match name {
        "message" => object(value, |name, value| match name {
            "tool_calls" => list(value, indexed),
            _ => value.to_owned(),
        }),
        _ => value.to_owned(),
    });
    renamed(&delta, "message", "delta")
}

/// Streaming SDKs put calls together by `index`, which whole answers do not have.
fn indexed(index: usize, call: &str) -> String {
    match json::member(call, "index") {
        None if json::is_object(call) && call != "{}" => {
            format!("{{\"index\":{index},{}", call.get(1..).unwrap_or_default())
        }
        _ => call.to_owned(),
    }
}

/// `text` with each member's value replaced; as it is if it is not an object.
fn object(text: &str, value: impl Fn(&str, &str) -> String) -> String {
    let Some(entries) = json::entries(text) else {
        return text.to_owned();
    };
    let member = |(name, old): &(String, &str)| format!("{}:{}", quoted(name), value(name, old));
    format!(
        "{{{}}}",
        entries.iter().map(member).collect::<Vec<_>>().join(",")
    )
}

fn list(text: &str, element: impl Fn(usize, &str) -> String) -> String {
    let mut elements = Vec::new();
    match json::elements(text, |old| elements.push(element(elements.len(), old))) {
        true => format!("[{}]", elements.join(",")),
        false => text.to_owned(),
    }
}

fn renamed(text: &str, from: &str, to: &str) -> String {
    let Some(entries) = json::entries(text) else {
        return text.to_owned();
    };
    let member = |(name, value): &(String, &str)| {
        format!("{}:{value}", quoted(if name == from { to } else { name }))
    };
    format!(
        "{{{}}}",
        entries.iter().map(member).collect::<Vec<_>>().join(",")
    )
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
