//! Anthropic's messages.

use super::{Said, list, text};
use crate::sse::Block;
use serde_json::Value;

pub(super) fn stream(events: &[&Block]) -> Said {
    let mut blocks: Vec<Value> = Vec::new();
    let (mut open, mut over) = (false, false);
    let mut message = Value::Null;
    for event in events {
        let json = event.json();
        let kind = text(&json, "/type");
        assert_eq!(event.name(), Some(kind), "the name is the type");
        assert!(!over, "nothing follows message_stop: {json}");
        assert_eq!(message.is_null(), kind == "message_start", "{json}");
        match kind {
            "message_start" => message = begun(&json["message"]),
            "ping" => {}
            "content_block_start" => {
                assert!(!open && json["index"] == blocks.len(), "{json}");
                open = true;
                blocks.push(json["content_block"].clone());
            }
            "content_block_delta" => {
                assert!(open && json["index"] == blocks.len() - 1, "{json}");
                grow(blocks.last_mut().unwrap(), &json["delta"]);
            }
            "content_block_stop" => {
                assert!(open && json["index"] == blocks.len() - 1, "{json}");
                open = false;
            }
            "message_delta" => {
                assert!(!open, "a block is open at the end: {json}");
                assert!(message["stop_reason"].is_null(), "a second end: {json}");
                message["stop_reason"] = json["delta"]["stop_reason"].clone();
                assert!(json["usage"]["output_tokens"].is_u64(), "{json}");
                for (name, count) in json["usage"].as_object().unwrap() {
                    message["usage"][name] = count.clone();
                }
            }
            "message_stop" => {
                text(&message, "/stop_reason");
                over = true;
            }
            other => panic!("no event of this API: {other}"),
        }
    }
    assert!(over, "no message_stop");
    message["content"] = blocks.into();
    answer(&message)
}

fn begun(message: &Value) -> Value {
    assert_eq!(message["content"], Value::Array(Vec::new()), "{message}");
    assert_eq!(message["stop_reason"], Value::Null, "{message}");
    for name in ["input_tokens", "output_tokens"] {
        assert!(message["usage"][name].is_u64(), "{message}");
    }
    message.clone()
}

fn grow(block: &mut Value, delta: &Value) {
    let (kind, delta_kind) = (text(block, "/type"), text(delta, "/type"));
    let name = match (kind, delta_kind) {
        ("text", "text_delta") => "text",
        ("thinking", "thinking_delta") => "thinking",
        ("thinking", "signature_delta") => "signature",
        ("tool_use" | "server_tool_use", "input_json_delta") => "partial_json",
        ("text", "citations_delta") => return,
        ("compaction", "compaction_delta") => return,
        other => panic!("{other:?}"),
    };
    let more = text(delta, &format!("/{name}"));
    let so_far = block[name].as_str().unwrap_or_default();
    let grown = format!("{so_far}{more}");
    block[name] = grown.into();
}

pub(super) fn answer(message: &Value) -> Said {
    assert_eq!(
        (&message["type"], &message["role"]),
        (&"message".into(), &"assistant".into()),
        "{message}"
    );
    assert!(
        !text(message, "/id").is_empty() && message["model"].is_string(),
        "{message}"
    );
    let mut said = Said::default();
    for block in list(&message["content"]) {
        match text(block, "/type") {
            "text" => said.text += text(block, "/text"),
            "thinking" => {
                said.reasoning += text(block, "/thinking");
                assert!(block["signature"].is_string(), "{block}");
            }
            "redacted_thinking" => said.opaque.push(text(block, "/data").to_owned()),
            "tool_use" => {
                let (id, name) = (text(block, "/id"), text(block, "/name"));
                let word = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
                assert!(!id.is_empty() && id.bytes().all(word), "{block}");
                assert!(block["input"].is_object(), "{block}");
                let input = match block["partial_json"].as_str() {
                    Some(json) => json.to_owned(),
                    None => block["input"].to_string(),
                };
                said.calls.push((name.to_owned(), input));
            }
            _ => {}
        }
    }
    said.finish = Some(match text(message, "/stop_reason") {
        "end_turn" | "stop_sequence" => "stop".to_owned(),
        "max_tokens" => "length".to_owned(),
        "tool_use" => "tool_calls".to_owned(),
        "refusal" => "content_filter".to_owned(),
        other => other.to_owned(),
    });
    let count = |name: &str| message["usage"][name].as_u64();
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    let cached: u64 = cached.into_iter().filter_map(count).sum();
    said.usage = [
        count("input_tokens").map(|n| n + cached),
        count("output_tokens"),
    ];
    said
}
