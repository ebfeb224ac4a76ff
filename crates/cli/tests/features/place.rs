//! Where each surface says what an answer has: members and their values, which are looked for in what is written.

use punctual_wire::Surface;
use serde_json::{Value, json};

/// The surfaces of conversations.
pub const SURFACES: [(Surface, &str); 3] = [
    (Surface::Chat, "`chat`"),
    (Surface::Responses, "`responses`"),
    (Surface::Messages, "`messages`"),
];

/// Members that must be there, whatever they stand in. A value that begins with `~` may be a part of a text.
pub type Marks = Vec<(&'static str, Value)>;

/// The place that a surface has for a feature; `None` if it has none.
pub fn place(feature: &str, surface: Surface) -> Option<Marks> {
    let one = |name, value: Value| Some(vec![(name, value)]);
    let [chat, responses, messages] = match feature {
        "text" => [
            one("content", json!("so")),
            one("text", json!("so")),
            one("text", json!("so")),
        ],
        "tool calls" => [
            Some(vec![
                ("name", json!("now")),
                ("finish_reason", json!("tool_calls")),
            ]),
            Some(vec![
                ("name", json!("now")),
                ("type", json!("function_call")),
            ]),
            Some(vec![
                ("name", json!("now")),
                ("stop_reason", json!("tool_use")),
            ]),
        ],
        "reasoning in words" => [
            one("reasoning_content", json!("hm")),
            one("text", json!("hm")),
            one("thinking", json!("hm")),
        ],
        "signed or encrypted reasoning" => ["", "", ""].map(|name| one(name, json!("~c2VhbGVk"))),
        "refusal in words" => [
            one("refusal", json!("no")),
            one("refusal", json!("no")),
            one("text", json!("no")),
        ],
        "citations" => [
            one("url", json!("https://example.com/")),
            one("url", json!("https://example.com/")),
            None,
        ],
        "images" => [one("", json!("~aGk=")), one("result", json!("aGk=")), None],
        "log probabilities" => [
            one("logprob", json!(-0.5)),
            one("logprob", json!(-0.5)),
            None,
        ],
        "finish: length" => [
            one("finish_reason", json!("length")),
            one("reason", json!("max_output_tokens")),
            one("stop_reason", json!("max_tokens")),
        ],
        "finish: a filter" => [
            one("finish_reason", json!("content_filter")),
            one("reason", json!("content_filter")),
            one("stop_reason", json!("refusal")),
        ],
        "which stop sequence ended it" => [None, None, one("stop_sequence", json!("END"))],
        "tokens" => [
            Some(vec![
                ("prompt_tokens", json!(9)),
                ("completion_tokens", json!(5)),
            ]),
            Some(vec![
                ("input_tokens", json!(9)),
                ("output_tokens", json!(5)),
            ]),
            one("output_tokens", json!(5)),
        ],
        "cached tokens" => [
            one("cached_tokens", json!(4)),
            one("cached_tokens", json!(4)),
            one("cache_read_input_tokens", json!(4)),
        ],
        "tokens written to a cache" => [
            one("cache_write_tokens", json!(2)),
            None,
            one("cache_creation_input_tokens", json!(2)),
        ],
        "reasoning tokens" => [
            one("reasoning_tokens", json!(3)),
            one("reasoning_tokens", json!(3)),
            one("thinking_tokens", json!(3)),
        ],
        "durations" => [None, None, None],
        other => panic!("{other} has no place anywhere"),
    };
    match surface {
        Surface::Chat => chat,
        Surface::Responses => responses,
        _ => messages,
    }
}

/// Token counts are on record too, and not named where an API does not count so finely.
pub fn is_count(feature: &str) -> bool {
    feature.contains("tokens")
}

/// What is on record whatever the surface tells.
pub fn is_on_record(feature: &str) -> bool {
    is_count(feature) || feature == "durations"
}

pub fn has_all(body: &Value, marks: &Marks) -> bool {
    marks.iter().all(|(name, value)| has(body, name, value))
}

fn has(body: &Value, name: &str, value: &Value) -> bool {
    if let Some(part) = value.as_str().and_then(|value| value.strip_prefix('~')) {
        return body.to_string().contains(part);
    }
    match body {
        Value::Object(members) => members
            .iter()
            .any(|(member, inner)| (member == name && inner == value) || has(inner, name, value)),
        Value::Array(elements) => elements.iter().any(|inner| has(inner, name, value)),
        _ => false,
    }
}
