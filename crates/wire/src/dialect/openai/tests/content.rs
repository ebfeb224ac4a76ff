//! What counts as content.

use super::*;

#[test]
fn text_refusal_reasoning_tool_input_and_media_are_content() {
    for held in [
        json!({ "content": "a" }),
        json!({ "content": " " }),
        json!({ "content": "\n" }),
        json!({ "role": null, "content": "x", "tool_calls": null }),
        json!({ "refusal": "no" }),
        json!({ "reasoning": "hm", "channel": "analysis" }),
        json!({ "content": null, "reasoning_content": "hm" }),
        json!({ "content": "", "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }),
        json!({ "reasoning_details": [{ "type": "reasoning.encrypted", "data": "xx" }] }),
        json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{" } }] }),
        json!({ "tool_calls": [{ "id": "a", "function": { "name": "f", "arguments": "{}" } }] }),
        json!({ "tool_calls": [{ "id": "a", "function": { "name": "f", "arguments": { "a": 1 } } }] }),
        json!({ "tool_calls": [{ "id": "a", "type": "custom", "custom": { "name": "f", "input": "x" } }] }),
        json!({ "function_call": { "arguments": "{" } }),
        json!({ "audio": { "id": "a", "data": "AAAA" } }),
        json!({ "audio": { "transcript": "hi" } }),
        json!({ "content": "", "images": [{ "type": "image_url", "image_url": { "url": "data:" } }] }),
        json!({ "content": [{ "type": "text", "text": "a" }] }),
        json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }] }),
        json!({ "content": [{ "type": "image_url", "image_url": { "url": "x" } }] }),
    ] {
        assert_eq!(delta(held.clone()), Kind::Content, "{held}");
    }
}

#[test]
fn roles_empty_pieces_and_marks_are_not_content() {
    for held in [
        json!({}),
        json!(null),
        json!("text"),
        json!({ "role": "assistant" }),
        json!({ "role": "assistant", "content": "", "refusal": null }),
        json!({ "content": null, "reasoning_content": "" }),
        json!({ "content": [] }),
        json!({ "content": [{ "type": "text", "text": "" }] }),
        json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "" }] }] }),
        json!({ "content": [{ "type": "reference", "reference_ids": [1] }] }),
        json!({ "content": 7 }),
        json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "", "signature": null }] }),
        json!({ "tool_calls": [] }),
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "f", "arguments": "" } }] }),
        json!({ "function_call": { "name": "f", "arguments": "" } }),
        json!({ "audio": { "id": "a", "expires_at": 1 } }),
        json!({ "content": "", "annotations": [{ "type": "url_citation", "url_citation": { "content": "long" } }] }),
        json!({ "content": "", "token_id": 7 }),
    ] {
        assert_eq!(delta(held.clone()), Kind::Preamble, "{held}");
    }
}

#[test]
fn completions_text_is_content_and_a_cumulative_message_is_not() {
    assert_eq!(
        kinds(1, &[&choice(json!({ "text": "a", "index": 0 }))]),
        [Kind::Content]
    );
    assert_eq!(
        kinds(1, &[&choice(json!({ "text": "", "index": 0 }))]),
        [Kind::Preamble]
    );
    let cumulative = json!({ "delta": { "content": "" }, "message": { "content": "all of it" } });
    assert_eq!(kinds(1, &[&choice(cumulative)]), [Kind::Preamble]);
    let whole = json!({ "message": { "content": "all of it" }, "finish_reason": "stop" });
    assert_eq!(
        kinds(1, &[&choice(whole)]),
        [Kind::Content],
        "a whole answer as one event"
    );
}

#[test]
fn a_call_without_arguments_is_content_at_the_terminal_event() {
    let head = choice(
        json!({ "delta": { "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "f", "arguments": "" } }] } }),
    );
    let end = choice(json!({ "delta": {}, "finish_reason": "tool_calls" }));
    assert_eq!(
        kinds(1, &[&head, &end, "data: [DONE]"]),
        [Kind::Preamble, Kind::Content, Kind::Done]
    );
    let (judged, judge) = stream(1, &[&head, "data: [DONE]"]);
    assert_eq!((&judged[1].kind, judged[1].done), (&Kind::Content, true));
    assert!(judge.has_content());
    let both = choice(
        json!({ "delta": { "tool_calls": [{ "id": "a", "function": { "name": "f" } }] }, "finish_reason": "tool_calls" }),
    );
    assert_eq!(kinds(1, &[&both]), [Kind::Content]);
}

#[test]
fn two_complete_calls_on_one_index_and_calls_without_index_are_content() {
    let call = |id: &str| {
        choice(
            json!({ "delta": { "tool_calls": [{ "index": 0, "id": id, "function": { "name": "f", "arguments": "{\"p\":1}" } }] } }),
        )
    };
    assert_eq!(
        kinds(1, &[&call("a"), &call("b")]),
        [Kind::Content, Kind::Content]
    );
    let odd = choice(
        json!({ "delta": { "tool_calls": [{ "index": 1, "function": { "arguments": "{" } }, null, 7] } }),
    );
    assert_eq!(kinds(1, &[&odd]), [Kind::Content]);
}

#[test]
fn reasoning_is_content_that_shows_nothing_yet() {
    let reasoning = |choices: &str| {
        let data = format!("data: {{\"choices\":[{choices}]}}\n\n");
        let mut splitter = Splitter::new(Framing::Sse, 1 << 20);
        splitter.push(data.into());
        let event = splitter.next().unwrap().unwrap();
        let judged = Judge::new(Surface::Chat, 2).judge(&event);
        assert_eq!(judged.kind, Kind::Content);
        judged.reasoning
    };
    for hidden in [
        r#"{"delta":{"reasoning_content":"hm"}}"#,
        r#"{"delta":{"reasoning":"hm","content":""}}"#,
        r#"{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}"#,
    ] {
        assert!(reasoning(hidden), "{hidden}");
    }
    for shown in [
        r#"{"delta":{"content":" "}}"#,
        r#"{"delta":{"reasoning":"hm","content":"so"}}"#,
        r#"{"delta":{"refusal":"no"}}"#,
        r#"{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}"#,
        r#"{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"so"}]}}"#,
        r#"{"delta":{"reasoning":"hm"}},{"index":1,"delta":{"content":"so"}}"#,
        r#"{"delta":{"content":"so"}},{"index":1,"delta":{"reasoning":"hm"}}"#,
    ] {
        assert!(!reasoning(shown), "{shown}");
    }
}
