//! Streams for callers: put together as the SDKs do.

use serde_json::{Value, json};

use super::{snapshot::snapshot, told};
use crate::{
    Class, Usage,
    dialect::Finish,
    middle::{Delta, Json, Part, Start},
};

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
fn each_kind_of_content_has_a_block_of_its_own() {
    let opaque = Delta::Opaque {
        choice: 0,
        value: "Ered".into(),
    };
    let (content, stop) = content(&[
        opaque.clone(),
        thought("a"),
        thought("b"),
        signature("s1"),
        thought("c"),
        signature("s2"),
        signature("s3"),
        text("d"),
        thought("e"),
        opaque,
        text("f"),
    ]);
    let thinking = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
    assert_eq!(
        content,
        json!([
            {"type": "redacted_thinking", "data": "Ered"},
            thinking("ab", "s1"),
            thinking("c", "s2"),
            thinking("", "s3"),
            {"type": "text", "text": "d"},
            thinking("e", ""),
            {"type": "redacted_thinking", "data": "Ered"},
            {"type": "text", "text": "f"},
        ])
    );
    assert_eq!(stop, "end_turn");
}

#[test]
fn calls_in_a_row_are_told_as_they_come() {
    let steps = [
        text("so"),
        call(0, "f"),
        input(0, "{\"a\""),
        input(0, ":1}"),
        call(1, "g"),
        input(1, "{}"),
        finish(Finish::ToolCalls),
    ];
    let (content, stop) = content(&steps);
    assert_eq!(
        content,
        json!([{"type": "text", "text": "so"}, tool(0, "f", json!({"a": 1})), tool(1, "g", json!({}))])
    );
    assert_eq!(stop, "tool_use");
    // the second waits for nothing: its head is told before its input comes
    let mut encode = (super::SURFACE.stream)(&super::asked());
    let mut out = bytes::BytesMut::new();
    for step in &steps[..5] {
        encode.delta(step, &mut out);
    }
    assert!(String::from_utf8_lossy(&out).contains("call_1"));
}

#[test]
fn pieces_of_calls_that_come_mixed_are_put_in_order() {
    let heads_first = [
        call(0, "f"),
        call(1, "g"),
        input(0, "{\"a\":"),
        input(1, "{\"b\":["),
        input(0, "1}"),
        input(1, "2]}"),
        finish(Finish::ToolCalls),
    ];
    let expected = json!([
        tool(0, "f", json!({"a": 1})),
        tool(1, "g", json!({"b": [2]}))
    ]);
    assert_eq!(content(&heads_first).0, expected);
    // whole after its last piece, so that the other is told from then on
    let mut encode = (super::SURFACE.stream)(&super::asked());
    let mut out = bytes::BytesMut::new();
    for step in &heads_first[..5] {
        encode.delta(step, &mut out);
    }
    assert!(String::from_utf8_lossy(&out).contains(r#""partial_json":"{\"b\":[""#));

    // one that waited and is done gives way at once
    let mut encode = (super::SURFACE.stream)(&super::asked());
    let mut out = bytes::BytesMut::new();
    for step in [call(0, "f"), call(1, "g"), done(1), call(2, "h"), done(0)] {
        encode.delta(&step, &mut out);
    }
    assert!(String::from_utf8_lossy(&out).contains("call_2"));

    let three = [
        call(0, "f"),
        call(1, "g"),
        call(2, "h"),
        input(2, "{\"c\":3}"),
        done(2),
        done(1),
        input(0, "{}"),
        done(0),
        text("after"),
    ];
    let (content, stop) = content(&three);
    assert_eq!(
        content,
        json!([tool(0, "f", json!({})), tool(1, "g", json!({})), tool(2, "h", json!({"c": 3})), {"type": "text", "text": "after"}])
    );
    assert_eq!(stop, "tool_use");
}

#[test]
fn calls_without_input_wait_for_nobody_at_the_end() {
    let steps = [call(0, "f"), call(1, "g"), finish(Finish::Stop)];
    let (content, stop) = content(&steps);
    assert_eq!(
        content,
        json!([tool(0, "f", json!({})), tool(1, "g", json!({}))])
    );
    assert_eq!(stop, "tool_use", "callers run tools only then");
}

#[test]
fn broken_input_is_passed_on_as_it_is() {
    let steps = [call(0, "f"), input(0, "{\"pa"), finish(Finish::Length)];
    let (content, stop) = content(&steps);
    assert_eq!(content, json!([tool(0, "f", json!("{\"pa"))]));
    assert_eq!(stop, "max_tokens");
}

#[test]
fn what_comes_too_late_for_its_call_is_named() {
    let (out, lost) = told(&[
        call(0, "f"),
        input(0, "{\"a\":"),
        text("!"),
        input(0, " "),
        input(0, "1}"),
        input(7, "{}"),
        finish(Finish::ToolCalls),
    ]);
    assert_eq!(lost, ["tool_calls[].function.arguments"]);
    snapshot(&out);
}

#[test]
fn no_call_is_cut_by_what_comes_in_between() {
    let opaque = Delta::Opaque {
        choice: 0,
        value: "E".into(),
    };
    let steps = [
        call(0, "f"),
        input(0, "{\"a\":"),
        text("o"),
        text("h"),
        thought("hm"),
        signature("s"),
        opaque,
        call(1, "g"),
        text("!"),
        input(1, "{\"b\":2}"),
        input(0, "1}"),
        finish(Finish::ToolCalls),
    ];
    let expected = json!([
        tool(0, "f", json!({"a": 1})),
        {"type": "text", "text": "oh"},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "E"},
        tool(1, "g", json!({"b": 2})),
        {"type": "text", "text": "!"},
    ]);
    assert_eq!(content(&steps), (expected, json!("tool_use")));
    // said to be whole though it is not, as its maker will have it: what waits has its turn
    let mut encode = (super::SURFACE.stream)(&super::asked());
    let mut out = bytes::BytesMut::new();
    for step in [call(0, "f"), input(0, "{"), text("o"), done(0)] {
        encode.delta(&step, &mut out);
    }
    assert!(String::from_utf8_lossy(&out).contains(r#""text":"o""#));
    // and the end has everything told
    let ended = [call(0, "f"), text("o"), call(1, "g"), text("h")];
    let expected = json!([
        tool(0, "f", json!({})),
        {"type": "text", "text": "o"},
        tool(1, "g", json!({})),
        {"type": "text", "text": "h"},
    ]);
    assert_eq!(content(&ended).0, expected);
}

#[test]
fn more_than_can_wait_is_a_failure_and_no_complete_message() {
    let large = "x".repeat(1 << 19);
    let waits = [
        vec![text(&large), text(&large)],
        vec![thought(&large), signature(&large)],
        vec![call(1, "g"), input(1, &large), input(1, &large)],
    ];
    for waits in waits {
        let mut encode = (super::SURFACE.stream)(&super::asked());
        let mut out = bytes::BytesMut::new();
        for step in [call(0, "f"), input(0, "{\"a\":")].iter().chain(&waits) {
            assert_eq!(encode.failure(), None);
            encode.delta(step, &mut out);
        }
        let verdict = encode.failure().unwrap();
        assert_eq!(verdict.class, Class::Malformed);
        let written = out.len();
        encode.delta(&input(0, "1}"), &mut out);
        encode.delta(&finish(Finish::ToolCalls), &mut out);
        encode.close(&mut out);
        assert_eq!(out.len(), written);
        assert_eq!(encode.failure(), Some(verdict));
    }
    // many small ones take memory as well
    let mut encode = (super::SURFACE.stream)(&super::asked());
    let mut out = bytes::BytesMut::new();
    for index in 0..1 << 14 {
        encode.delta(&call(index, ""), &mut out);
    }
    assert!(encode.failure().is_some());
}

#[test]
fn a_refusal_is_text_and_the_reason_to_stop() {
    let refusal = Delta::Refusal {
        choice: 0,
        text: "no".into(),
    };
    let (content, stop) = content(&[refusal, finish(Finish::Stop)]);
    assert_eq!(content, json!([{"type": "text", "text": "no"}]));
    assert_eq!(stop, "refusal");
}

#[test]
fn a_stop_sequence_is_told() {
    let (out, _) = told(&[
        text("a"),
        Delta::Finish {
            choice: 0,
            finish: Finish::Stop,
            stop_sequence: Some("END".into()),
        },
    ]);
    let message = snapshot(&out);
    assert_eq!(message["stop_reason"], "stop_sequence");
    assert_eq!(message["stop_sequence"], "END");
}

#[test]
fn citations_and_blocks_of_this_api_are_told() {
    let location = r#"{"type":"page_location","cited_text":"x","n":1.50}"#;
    let citation = |json| Delta::Citation { choice: 0, json };
    let whole = |kind: &str, value: Value| Delta::Whole {
        choice: 0,
        part: Part::Other {
            kind: kind.into(),
            value: Json::of(&value),
        },
    };
    let searched = json!({"type": "web_search_tool_result", "content": []});
    let (out, lost) = told(&[
        text("a"),
        citation(location),
        citation(r#"{"type":"url_citation"}"#),
        whole("web_search_tool_result", searched.clone()),
        whole("image_generation_call", json!({})),
        citation(location),
    ]);
    assert!(
        String::from_utf8_lossy(&out).contains(location),
        "as it was spelled"
    );
    let message = snapshot(&out);
    let location: Value = serde_json::from_str(location).unwrap();
    assert_eq!(
        message["content"],
        json!([{"type": "text", "text": "a", "citations": [location]}, searched])
    );
    assert_eq!(lost, ["citations", "image_generation_call"]);
}

#[test]
fn what_has_no_place_is_named() {
    let (out, lost) = told(&[
        Delta::Start(Start {
            created: Some(1),
            ..Start::default()
        }),
        Delta::Text {
            choice: 0,
            text: "a".into(),
            logprobs: Some("{}"),
        },
        Delta::Text {
            choice: 1,
            text: "b".into(),
            logprobs: None,
        },
        Delta::CallSignature {
            choice: 0,
            index: 0,
            value: "s".into(),
        },
        Delta::Lost("odd"),
    ]);
    assert_eq!(
        lost,
        ["choices", "odd", "logprobs", "tool_calls[].signature"]
    );
    let message = snapshot(&out);
    assert_eq!(message["content"], json!([{"type": "text", "text": "a"}]));
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
