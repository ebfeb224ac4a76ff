use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    Class, Surface, Verdict,
    dialect::{End, Finish, Judge as _, Judged, Kind},
    frame::{Framing, Splitter},
};

fn stream(n: u32, events: &[&str]) -> (Vec<Judged>, Judge) {
    let (mut splitter, mut judge) = (
        Splitter::new(Framing::Sse, 1 << 26),
        Judge::new(Surface::Chat, n),
    );
    let mut judged = Vec::new();
    for event in events {
        splitter.push(Bytes::from(format!("{event}\n\n")));
        judged.push(judge.judge(&splitter.next().unwrap().unwrap()));
    }
    (judged, judge)
}

fn kinds(n: u32, events: &[&str]) -> Vec<Kind> {
    stream(n, events)
        .0
        .into_iter()
        .map(|judged| judged.kind)
        .collect()
}

fn choice(choice: Value) -> String {
    format!("data: {}", json!({ "id": "x", "choices": [choice] }))
}

fn delta(delta: Value) -> Kind {
    kinds(
        1,
        &[&choice(
            json!({ "index": 0, "delta": delta, "finish_reason": null }),
        )],
    )
    .remove(0)
}

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
fn comments_pings_and_unreadable_data_are_told_apart() {
    let events = [
        ": OPENROUTER PROCESSING",
        "event: ping\ndata: {}",
        "id: 1",
        "data:",
        "data: {\"choices\":[{\"del",
        "data: 5",
        "data: [1]",
        "data: {\"id\":\"\",\"choices\":[],\"model\":\"\",\"prompt_filter_results\":[]}",
        "data: {\"choices\":null}",
        "data: {}",
    ];
    use Kind::{Comment, Preamble, Unparsed};
    let expected = [
        Comment, Comment, Preamble, Preamble, Unparsed, Unparsed, Unparsed, Preamble, Preamble,
        Preamble,
    ];
    assert_eq!(kinds(1, &events), expected);
}

#[test]
fn usage_is_taken_from_every_place_and_its_chunk_is_known() {
    let (judged, judge) = stream(
        1,
        &[
            &choice(json!({ "delta": { "content": "a" } })).replace(
                "\"choices\"",
                "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1},\"choices\"",
            ),
            r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}}"#,
            r#"data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            r#"data: {"id":"x","usage":{"completion_tokens":4}}"#,
            r#"data: {"choices":[],"usage":null}"#,
        ],
    );
    let only: Vec<bool> = judged.iter().map(Judged::usage_only).collect();
    assert_eq!(only, [false, false, true, true, false]);
    assert_eq!(
        (
            judge.usage().input,
            judge.usage().output,
            judge.usage().total
        ),
        (Some(9), Some(4), Some(12))
    );
    assert!(!judge.inputs_differ());
    let (_, judge) = stream(
        1,
        &[
            r#"data: {"usage":{"prompt_tokens":1}}"#,
            r#"data: {"usage":{"prompt_tokens":2}}"#,
        ],
    );
    assert!(judge.inputs_differ());
}

#[test]
fn id_and_model_are_the_first_that_are_not_empty() {
    let (_, judge) = stream(
        1,
        &[
            r#"data: {"id":"","model":""}"#,
            r#"data: {"id":"a","model":"m"}"#,
            r#"data: {"id":"b","model":"n"}"#,
        ],
    );
    assert_eq!((judge.id(), judge.model()), (Some("a"), Some("m")));
}

fn ends(n: u32, events: &[&str]) -> Vec<Option<End>> {
    stream(n, events)
        .0
        .into_iter()
        .map(|judged| judged.ends)
        .collect()
}

#[test]
fn the_end_is_a_finish_on_every_choice_or_the_done_mark_and_is_told_once() {
    let finish = |index: u32, reason: Value| {
        choice(json!({ "index": index, "delta": {}, "finish_reason": reason }))
    };
    let (stop, length) = (finish(0, json!("stop")), finish(1, json!("length")));
    assert_eq!(
        ends(1, &[&stop, &stop, "data: [DONE]"]),
        [Some(End::Stop), None, None]
    );
    assert_eq!(
        ends(2, &[&stop, &stop, &length]),
        [None, None, Some(End::Other)]
    );
    assert_eq!(
        ends(3, &[&stop, &length, "data:[DONE]"]),
        [None, None, Some(End::Other)]
    );
    assert_eq!(ends(1, &["data: [DONE]"]), [Some(End::Stop)]);
    for open in [json!(null), json!(""), json!(7), json!([])] {
        assert_eq!(ends(1, &[&finish(0, open)]), [None]);
    }
    let both = r#"data: {"choices":[{"index":1,"finish_reason":"stop"},{"index":0,"finish_reason":"tool_calls"}]}"#;
    assert_eq!(ends(2, &[both]), [Some(End::Other)]);
    let far = finish(u32::MAX, json!("stop"));
    assert_eq!(
        ends(1, &[&far]),
        [None],
        "an index beyond reason is not counted"
    );
}

#[test]
fn only_a_plain_stop_is_a_stop() {
    for (word, stop) in [
        ("stop", true),
        ("STOP", true),
        ("eos", true),
        ("end_turn", true),
        ("length", false),
        ("content_filter", false),
        ("tool_calls", false),
        ("function_call", false),
        ("model_length", false),
        ("max_tokens", false),
    ] {
        assert_eq!(Finish::of(word).unwrap().is_stop(), stop, "{word}");
        assert_eq!(Finish::of(word).unwrap().as_str(), word);
    }
    assert_eq!(Finish::of(""), None);
    assert_eq!(Finish::of(&"x y\n".repeat(99)).unwrap().as_str().len(), 64);
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

fn error(event: &str) -> Verdict {
    match kinds(1, &[event]).remove(0) {
        Kind::Error(verdict) => verdict,
        other => panic!("{event}: {other:?}"),
    }
}

#[test]
fn an_error_in_the_stream_is_one_however_it_comes() {
    for (event, class) in [
        (
            r#"data: {"error": {"message": "TimeoutError", "type": "GatewayTimeout", "code": 504}}"#,
            Class::ServerError,
        ),
        (r#"data: {"error":"it broke"}"#, Class::StreamError),
        (r#"data: {"error":{}}"#, Class::StreamError),
        (
            r#"data: {"choices":[{"delta":{"content":"x"}}],"error":{"code":429}}"#,
            Class::RateLimited,
        ),
        (
            "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}",
            Class::Overloaded,
        ),
        ("event:error\ndata: it broke", Class::StreamError),
        ("event: error", Class::StreamError),
        (
            r#"error: {"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}"#,
            Class::ContextLengthExceeded,
        ),
        (
            r#"data: {"object":"error","message":"x","code":503}"#,
            Class::Overloaded,
        ),
        (
            r#"data: {"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}"#,
            Class::ServerError,
        ),
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#,
            Class::Overloaded,
        ),
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"abort"}]}"#,
            Class::StreamError,
        ),
    ] {
        assert_eq!(error(event).class, class, "{event}");
    }
    for healthy in [
        r#"data: {"error":null}"#,
        r#"data: {"error":false}"#,
        r#"data: {"error":""}"#,
    ] {
        assert_eq!(kinds(1, &[healthy]), [Kind::Preamble]);
    }
}

#[test]
fn a_huge_event_is_content_unless_it_begins_as_an_error() {
    let big = "z".repeat(1_100_000);
    let data = choice(json!({ "delta": { "annotations": big } }));
    assert_eq!(kinds(1, &[&data]), [Kind::Content]);
    for (begins, is_error) in [
        ("{\"error\":", true),
        (" { \"error\" : ", true),
        ("{\"error\":null,\"x\":", false),
        ("{ \"error\": null, \"x\":", false),
        ("{\"error\":\"\",\"x\":", false),
        ("{\"errors\":", false),
    ] {
        let kind = kinds(1, &[&format!("data:{begins}\"{big}\"}}")]).remove(0);
        assert_eq!(matches!(kind, Kind::Error(_)), is_error, "{begins}");
    }
    assert!(matches!(
        kinds(1, &[&format!("event: error\ndata: {big}")])[0],
        Kind::Error(_)
    ));
    assert_eq!(kinds(1, &[&format!(": {big}")]), [Kind::Comment]);
    let last = format!(
        r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{big} \"finish_reason\":\"stop\""}},"finish_reason": "length"}}]}}"#
    );
    let (judged, judge) = stream(1, &[&last]);
    assert_eq!(
        (judged[0].ends, judge.finish_reason()),
        (Some(End::Other), Some(&Finish::Length))
    );
    let quoted = format!(
        r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{big} \"finish_reason\":\"stop\""}}}}]}}"#
    );
    assert_eq!(
        ends(1, &[&quoted]),
        [None],
        "what stands inside a string is text"
    );
}

#[test]
fn a_large_event_is_judged_by_what_it_holds_and_a_huge_ones_usage_is_not_lost() {
    let ids = "151644,".repeat(20_000);
    let role = format!(
        r#"data: {{"prompt_token_ids":[{ids}1],"choices":[{{"delta":{{"role":"assistant","content":""}}}}]}}"#
    );
    assert_eq!(kinds(1, &[&role]), [Kind::Preamble]);
    for size in [70_000, 1_100_000] {
        let picture = format!(
            r#"data: {{"choices":[{{"delta":{{"content":"{}"}}}}], "usage" : {{"prompt_tokens":7,"completion_tokens":9}}}}"#,
            "z".repeat(size)
        );
        let (judged, judge) = stream(1, &[&picture]);
        assert_eq!(judged[0].kind, Kind::Content);
        let usage = judge.usage();
        assert_eq!((usage.input, usage.output), (Some(7), Some(9)), "{size}");
    }
}

#[test]
fn a_huge_event_that_was_cut_is_never_taken_for_a_whole_one() {
    let big = "z".repeat(1_100_000);
    let whole = choice(json!({ "delta": { "content": big } }));
    for (text, kind) in [
        (whole.as_str(), Kind::Content),
        (&whole[..whole.len() - 1], Kind::Unparsed),
        (&whole[..whole.len() / 2], Kind::Unparsed),
    ] {
        let (mut splitter, mut judge) = (
            Splitter::new(Framing::Sse, 1 << 26),
            Judge::new(Surface::Chat, 1),
        );
        splitter.push(Bytes::from(text.to_owned()));
        assert!(splitter.next().is_none());
        let last = splitter.finish().unwrap();
        assert_eq!(judge.judge(&last).kind, kind);
    }
}

#[test]
fn many_choices_end_with_the_last_of_them() {
    let finish = |index: u32| choice(json!({ "index": index, "finish_reason": "stop" }));
    let events: Vec<_> = [0, 0, 2, 1, 1].map(finish).into();
    let events: Vec<_> = events.iter().map(String::as_str).collect();
    let end = Some(End::Stop);
    assert_eq!(ends(3, &events), [None, None, None, end, None]);
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

fn answer(surface: Surface, body: &str) -> Result<crate::dialect::AnswerSummary, Verdict> {
    judge_answer(surface, &Bytes::copy_from_slice(body.as_bytes()))
}

#[test]
fn a_whole_answer_is_summed_up() {
    let body = r#"{"id":"a","model":"m","choices":[{"message":{"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2},"error":null}"#;
    let summary = answer(Surface::Chat, body).unwrap();
    assert_eq!(
        (summary.id.as_deref(), summary.model.as_deref()),
        (Some("a"), Some("m"))
    );
    assert_eq!(
        (summary.finish.as_ref(), summary.end),
        (Some(&Finish::ToolCalls), End::Other)
    );
    assert!(summary.has_content && !summary.is_empty());
    let summary = answer(
        Surface::Completions,
        r#"{"choices":[{"text":"x","finish_reason":"length"}]}"#,
    )
    .unwrap();
    assert!(summary.has_content && summary.usage.is_none());
    let summary = answer(
        Surface::Chat,
        r#"{"choices":[{"message":{"content":null,"reasoning_content":"x"}}]}"#,
    )
    .unwrap();
    assert!(summary.has_content);
}

#[test]
fn an_empty_answer_is_empty_only_if_it_just_stopped() {
    let empty = |finish: &str| {
        answer(
            Surface::Chat,
            &format!(r#"{{"choices":[{{"message":{{"content":""}},"finish_reason":{finish}}}]}}"#),
        )
        .unwrap()
        .is_empty()
    };
    assert!(empty("\"stop\"") && empty("null") && empty("\"\""));
    assert!(!empty("\"length\"") && !empty("\"content_filter\""));
}

#[test]
fn a_200_that_is_no_answer_is_malformed_or_the_error_it_holds() {
    for body in [
        "",
        "<html>secret</html>",
        "null",
        "[]",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":{"a":1}}"#,
        r#"{"choices":["secret"]}"#,
        r#"{"choices":[{"index":0}"#,
    ] {
        let verdict = answer(Surface::Chat, body).unwrap_err();
        assert_eq!(verdict.class, Class::Malformed, "{body}");
        assert!(!verdict.message.unwrap().contains("secret"));
    }
    assert_eq!(
        answer(Surface::Chat, r#"{"error":{"code":429}}"#)
            .unwrap_err()
            .class,
        Class::RateLimited
    );
    assert_eq!(
        answer(Surface::Chat, r#"{"error":"x","choices":[{}]}"#)
            .unwrap_err()
            .class,
        Class::StreamError
    );
    assert_eq!(
        answer(
            Surface::Chat,
            r#"{"choices":[{"finish_reason":"error","message":{}}]}"#
        )
        .unwrap_err()
        .class,
        Class::ServerError
    );
}

#[test]
fn embeddings_have_their_vectors_as_content() {
    let summary = answer(Surface::Embeddings, r#"{"object":"list","data":[{"embedding":[1e400,0.1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}"#).unwrap();
    assert!(summary.has_content);
    assert_eq!(summary.usage.unwrap().input, Some(3));
    assert!(
        answer(Surface::Embeddings, r#"{"data":[]}"#)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        answer(Surface::Embeddings, r#"{"choices":[{}]}"#)
            .unwrap_err()
            .class,
        Class::Malformed
    );
}

#[test]
fn a_whole_answer_becomes_one_chunk_and_a_done_mark() {
    let body = r#"{ "id": "a", "object": "chat.completion", "x": 1e400, "choices": [ { "index": 0,
        "message": { "role": "assistant", "content": "a \" b\n", "tool_calls": [ { "id": "c" }, { "index": 7 } ] }, "finish_reason": "stop" } ],
        "usage": { "prompt_tokens": 0.10 } }"#;
    let out = to_stream(Surface::Chat, &Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let expected = concat!(
        r#"data: {"id":"a","object":"chat.completion.chunk","x":1e400,"choices":[{"index":0,"delta":{"role":"assistant","content":"a \" b\n","#,
        r#""tool_calls":[{"index":0,"id":"c"},{"index":7}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":0.10}}"#,
        "\n\ndata: [DONE]\n\n"
    );
    assert_eq!(std::str::from_utf8(&out).unwrap(), expected);
    let out = to_stream(
        Surface::Completions,
        &Bytes::from_static(br#"{"choices":[ {"text":"x"} ]}"#),
    )
    .unwrap();
    assert_eq!(
        out,
        "data: {\"choices\":[{\"text\":\"x\"}]}\n\ndata: [DONE]\n\n"
    );
    assert!(to_stream(Surface::Chat, &Bytes::from_static(b"{}")).is_err());
}

#[test]
fn nesting_is_no_way_to_exhaust_the_stack() {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
    for deep in [
        deep("[", "]"),
        deep("{\"text\":", "}"),
        deep("[{\"thinking\":", "}]"),
    ] {
        let event = format!(r#"data: {{"choices":[{{"delta":{{"content":{deep}}}}}]}}"#);
        assert_eq!(kinds(1, &[&event]), [Kind::Preamble]);
        let body = event
            .trim_start_matches("data: ")
            .replace("delta", "message");
        assert!(!answer(Surface::Chat, &body).unwrap().has_content);
        to_stream(Surface::Chat, &Bytes::from(body)).unwrap();
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(events in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..8), n: u32) {
        let (mut splitter, mut judge) = (Splitter::new(Framing::Sse, 1 << 20), Judge::new(Surface::Chat, n));
        for event in events {
            let _ = judge_answer(Surface::Chat, &Bytes::from(event.clone()));
            splitter.push(Bytes::from([b"data: ", event.as_slice(), b"\n\n"].concat()));
            while let Some(Ok(event)) = splitter.next() { judge.judge(&event); }
        }
    }

    #[test]
    fn no_json_panics(word in "(choices|delta|message|content|tool_calls|function|error|usage|index|text|finish_reason)", value in "[\\[{}\\]\":,0-9a-z]{0,30}") {
        let text = format!(r#"{{"choices":[{{"{word}":{value}}}],"{word}":{value}}}"#);
        stream(1, &[&format!("data: {text}")]);
        for surface in Surface::ALL { let _ = answer(surface, &text); let _ = to_stream(surface, &Bytes::from(text.clone())); }
    }
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
