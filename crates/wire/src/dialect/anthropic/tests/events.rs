//! Streams for callers: put together as the SDKs do.

use serde_json::{Value, json};

use super::{snapshot::snapshot, told};
use crate::{
    Class, Usage,
    dialect::Finish,
    middle::{Delta, Json, Part, Start},
};

mod blocks;
mod calls;

fn text(text: &str) -> Delta<'_> {
    Delta::Text {
        choice: 0,
        text: text.into(),
        logprobs: None,
    }
}

fn thought(text: &str) -> Delta<'_> {
    Delta::Reasoning {
        choice: 0,
        text: text.into(),
    }
}

fn signature(value: &str) -> Delta<'_> {
    Delta::Signature {
        choice: 0,
        value: value.into(),
    }
}

fn call(index: u32, name: &str) -> Delta<'_> {
    Delta::ToolCall {
        choice: 0,
        index,
        id: format!("call_{index}").into(),
        name: name.into(),
    }
}

fn input(index: u32, json: &str) -> Delta<'_> {
    Delta::ToolInput {
        choice: 0,
        index,
        json: json.into(),
    }
}

fn done(index: u32) -> Delta<'static> {
    Delta::ToolDone { choice: 0, index }
}

fn finish(finish: Finish) -> Delta<'static> {
    Delta::Finish {
        choice: 0,
        finish,
        stop_sequence: None,
    }
}

fn tool(index: u32, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": format!("call_{index}"), "name": name, "input": input})
}

/// The content and the reason to stop.
fn content(deltas: &[Delta<'_>]) -> (Value, Value) {
    let message = snapshot(&told(deltas).0);
    (message["content"].clone(), message["stop_reason"].clone())
}

#[test]
fn the_events_of_a_simple_answer() {
    let usage = |input, output| {
        Delta::Usage(Usage {
            input,
            output,
            cached_input: Some(4),
            ..Usage::default()
        })
    };
    let start = |id: Option<&'static str>, model: Option<&'static str>| {
        Delta::Start(Start {
            id: id.map(Into::into),
            model: model.map(Into::into),
            created: None,
        })
    };
    let (out, lost) = told(&[
        start(None, None),
        start(Some("gen-1"), Some("m")),
        usage(Some(10), None),
        text("Hé\"\n"),
        text("llo"),
        finish(Finish::Stop),
        usage(None, Some(5)),
        Delta::Ended,
    ]);
    let expected = r#"event: message_start
data: {"type":"message_start","message":{"id":"gen-1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":6,"cache_read_input_tokens":4,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé\"\n"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"llo"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":6,"cache_read_input_tokens":4,"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

"#;
    let expected = expected.replace("Hé\"\n\"", "Hé\\\"\\n\"");
    assert_eq!(String::from_utf8(out.to_vec()).unwrap(), expected);
    assert_eq!(lost, [""; 0]);
}

#[test]
fn an_end_without_content_is_a_message() {
    let (out, _) = told(&[]);
    let message = snapshot(&out);
    assert_eq!(
        message,
        json!({"id": "msg_abc", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 0, "output_tokens": 0}})
    );
    assert_eq!(out.windows(7).filter(|w| w == b"event: ").count(), 3);
}

#[test]
fn the_first_choice_is_told_whatever_its_number() {
    let of = |choice, text: &'static str| Delta::Text {
        choice,
        text: text.into(),
        logprobs: None,
    };
    let (out, lost) = told(&[of(1, "a"), of(0, "no"), of(1, "b")]);
    let message = snapshot(&out);
    assert_eq!(message["content"], json!([{"type": "text", "text": "ab"}]));
    assert_eq!(lost, ["choices"]);
}
