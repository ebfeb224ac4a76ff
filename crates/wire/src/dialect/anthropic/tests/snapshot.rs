//! A message put together from its stream.

use serde_json::{Map, Value, json};

use super::frames;

/// The message, and the text of each tool's input as it came.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    message: Value,
    open: bool,
    input: String,
    ended: bool,
    stopped: bool,
}

/// The message that a stream tells.
///
/// # Panics
/// If an event is not where it may be.
pub(super) fn snapshot(bytes: &[u8]) -> Value {
    let mut snapshot = Snapshot::default();
    for frame in frames([bytes]) {
        assert!(frame.is_complete());
        let data: Value = serde_json::from_slice(&frame.data().unwrap()).unwrap();
        assert_eq!(frame.name(), data["type"].as_str(), "named in both places");
        assert!(!snapshot.stopped, "nothing comes after message_stop");
        snapshot.event(&data);
    }
    assert!(snapshot.stopped, "message_stop has come");
    snapshot.message
}

impl Snapshot {
    fn event(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap();
        if kind == "message_start" {
            assert!(self.message.is_null(), "begins once");
            return self.begin(&event["message"]);
        }
        assert!(self.message.is_object(), "message_start is the first");
        assert!(
            !self.ended || kind == "message_stop",
            "{kind} after the end"
        );
        match kind {
            "content_block_start" => {
                assert!(!self.open, "one block at a time");
                self.open = true;
                assert_eq!(event["index"], self.content().len());
                let block = event["content_block"].clone();
                opening(&block);
                self.content().push(block);
            }
            "content_block_delta" => {
                self.at(event);
                let delta = event["delta"].clone();
                self.delta(&delta);
            }
            "content_block_stop" => {
                self.at(event);
                self.open = false;
                let input = std::mem::take(&mut self.input);
                if !input.is_empty() {
                    let value = serde_json::from_str(&input);
                    self.last()["input"] = value.unwrap_or_else(|_| json!(input));
                }
            }
            "message_delta" => {
                assert!(!self.open, "every block is closed");
                self.ended = true;
                assert!(event["delta"]["stop_reason"].is_string());
                for name in ["stop_reason", "stop_sequence"] {
                    self.message[name] = event["delta"][name].clone();
                }
                counts(&event["usage"]);
                for (name, value) in event["usage"].as_object().unwrap() {
                    self.message["usage"][name] = value.clone();
                }
            }
            "message_stop" => {
                assert!(self.ended, "message_delta has come");
                self.stopped = true;
            }
            other => panic!("no event of this API: {other}"),
        }
    }

    fn begin(&mut self, message: &Value) {
        for name in ["id", "model"] {
            assert!(message[name].is_string(), "{name}");
        }
        assert_eq!(message["type"], "message");
        assert_eq!(message["role"], "assistant");
        assert_eq!(message["content"], json!([]));
        assert!(message["stop_reason"].is_null());
        counts(&message["usage"]);
        self.message = message.clone();
    }

    fn delta(&mut self, delta: &Value) {
        let block = self.last();
        let kind = block["type"].as_str().unwrap().to_owned();
        let mut add = |of: &str, name: &str| {
            assert_eq!(kind, of);
            let said = delta[name].as_str().unwrap();
            assert!(!said.is_empty());
            let before = block[name].as_str().unwrap_or_default();
            block[name] = json!(format!("{before}{said}"));
        };
        match delta["type"].as_str().unwrap() {
            "text_delta" => add("text", "text"),
            "thinking_delta" => {
                add("thinking", "thinking");
                assert_eq!(self.last()["signature"], "", "signed thoughts are whole");
            }
            "signature_delta" => {
                assert_eq!(kind, "thinking");
                assert_eq!(block["signature"], "", "signed once");
                block["signature"] = delta["signature"].clone();
            }
            "input_json_delta" => {
                assert_eq!(kind, "tool_use");
                self.input += delta["partial_json"].as_str().unwrap();
            }
            "citations_delta" => {
                assert_eq!(kind, "text");
                if !block["citations"].is_array() {
                    block["citations"] = json!([]);
                }
                let citation = delta["citation"].clone();
                block["citations"].as_array_mut().unwrap().push(citation);
            }
            other => panic!("no delta of this API: {other}"),
        }
    }

    fn content(&mut self) -> &mut Vec<Value> {
        self.message["content"].as_array_mut().unwrap()
    }

    fn last(&mut self) -> &mut Value {
        self.content().last_mut().unwrap()
    }

    /// The event is for the block that is open.
    fn at(&mut self, event: &Value) {
        assert!(self.open);
        assert_eq!(event["index"], self.content().len() - 1);
    }
}

/// What a block begins with; none of it may be missing.
fn opening(block: &Value) {
    let needed: &[&str] = match block["type"].as_str().unwrap() {
        "text" => &["text"],
        "thinking" => &["thinking", "signature"],
        "redacted_thinking" => &["data"],
        "tool_use" => {
            assert_eq!(block["input"], Value::Object(Map::new()));
            &["id", "name"]
        }
        _ => &[],
    };
    for name in needed {
        assert!(block[name].is_string(), "{name} of {block}");
    }
}

fn counts(usage: &Value) {
    for name in ["input_tokens", "output_tokens"] {
        assert!(usage[name].is_u64(), "{name} of {usage}");
    }
}
