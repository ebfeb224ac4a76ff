//! Calls, however their pieces come.

use super::*;

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
    let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
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
    let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
    let mut out = bytes::BytesMut::new();
    for step in &heads_first[..5] {
        encode.delta(step, &mut out);
    }
    assert!(String::from_utf8_lossy(&out).contains(r#""partial_json":"{\"b\":[""#));

    // one that waited and is done gives way at once
    let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
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
    let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
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
        let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
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
    let mut encode = (super::super::SURFACE.stream)(&super::super::asked());
    let mut out = bytes::BytesMut::new();
    for index in 0..1 << 14 {
        encode.delta(&call(index, ""), &mut out);
    }
    assert!(encode.failure().is_some());
}
