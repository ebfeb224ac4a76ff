//! Streams of providers, read.

use std::{fs, path::PathBuf};

use super::{super::judge, frames, steps};
use crate::{
    Class,
    dialect::{End, Finish, Kind, Tally},
    middle::Seen,
};

pub(super) fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/anthropic");
    fs::read(PathBuf::from(folder).join(name)).unwrap()
}

fn told(name: &str) -> Vec<String> {
    steps(&frames([fixture(name).as_slice()])).0
}

fn judged(name: &str) -> (Vec<(Kind, bool)>, Option<End>, Tally) {
    let mut judge = judge(1);
    let mut ends = None;
    let kinds = frames([fixture(name).as_slice()])
        .iter()
        .map(|frame| {
            let judged = judge.judge(frame);
            assert!(ends.is_none() || judged.ends.is_none(), "ends once");
            ends = ends.or(judged.ends);
            (judged.kind, judged.done)
        })
        .collect();
    (kinds, ends, judge.tally())
}

#[test]
fn text_pings_and_counts() {
    let expected = [
        r#"Start(Start { id: Some("msg_one"), model: Some("claude-fixture"), created: None })"#,
        "Usage(Usage { input: Some(128), output: Some(1), total: None, cached_input: Some(100), cache_write: Some(3), reasoning: None })",
        r#"Text { choice: 0, text: "Guten ", logprobs: None }"#,
        "Text { choice: 0, text: \"Tag \u{2013} \u{1f44b}\", logprobs: None }",
        "Usage(Usage { input: Some(128), output: Some(15), total: None, cached_input: Some(100), cache_write: Some(3), reasoning: None })",
        r#"Finish { choice: 0, finish: Stop, stop_sequence: Some("END") }"#,
        "Ended",
    ];
    assert_eq!(told("text.sse"), expected);
    assert_eq!(told("text-crlf.sse"), expected);
    let (_, seen) = steps(&frames([fixture("text.sse").as_slice()]));
    assert_eq!(seen[2], Seen::Comment);
    assert_eq!(seen.last(), Some(&Seen::Last));
    let (kinds, ends, tally) = judged("text.sse");
    let content = kinds.iter().position(|(kind, _)| *kind == Kind::Content);
    assert_eq!(content, Some(3), "the first text that is not empty");
    assert_eq!(kinds.last(), Some(&(Kind::Preamble, true)));
    assert_eq!(ends, Some(End::Stop));
    assert_eq!(tally.usage.input, Some(128));
    assert!(!tally.inputs_differ);
}

#[test]
fn thoughts_are_told_with_their_signatures() {
    assert_eq!(
        told("thinking.sse")[2..8],
        [
            r#"Opaque { choice: 0, value: "EhIRedactedOne" }"#,
            r#"Reasoning { choice: 0, text: "Let me " }"#,
            r#"Reasoning { choice: 0, text: "see." }"#,
            r#"Signature { choice: 0, value: "EqQBSignature" }"#,
            r#"Text { choice: 0, text: "So", logprobs: None }"#,
            r#"Text { choice: 0, text: ".", logprobs: None }"#,
        ]
    );
    let (_, _, tally) = judged("thinking.sse");
    assert_eq!(tally.usage.reasoning, Some(30));
    assert_eq!(tally.state.len(), 2, "what binds to its maker");
}

#[test]
fn calls_are_numbered_and_closed() {
    assert_eq!(
        told("tools.sse")[2..11],
        [
            r#"ToolCall { choice: 0, index: 0, id: "toolu_a", name: "weather" }"#,
            r#"ToolInput { choice: 0, index: 0, json: "{\"city\": \"Z" }"#,
            r#"ToolInput { choice: 0, index: 0, json: "ug\"}" }"#,
            "ToolDone { choice: 0, index: 0 }",
            r#"ToolCall { choice: 0, index: 1, id: "toolu_b", name: "now" }"#,
            "ToolDone { choice: 0, index: 1 }",
            r#"ToolCall { choice: 0, index: 2, id: "toolu_c", name: "add" }"#,
            r#"ToolInput { choice: 0, index: 2, json: "{\"a\":1.50}" }"#,
            "ToolDone { choice: 0, index: 2 }",
        ]
    );
    let (_, ends, tally) = judged("tools.sse");
    assert_eq!(
        (ends, tally.finish),
        (Some(End::Other), Some(Finish::ToolCalls))
    );
}

#[test]
fn blocks_of_this_api_come_whole() {
    assert_eq!(
        told("search.sse")[2..8],
        [
            r#"Whole { choice: 0, part: Other { kind: "server_tool_use", value: {"type":"server_tool_use","id":"srvtoolu_a","name":"web_search","input":{"query": "zug"}} } }"#,
            r#"Whole { choice: 0, part: Other { kind: "web_search_tool_result", value: {"type":"web_search_tool_result","tool_use_id":"srvtoolu_a","content":[{"type":"web_search_result","url":"https://example.com/","title":"Zug","encrypted_content":"Eo","page_age":null}]} } }"#,
            r#"Text { choice: 0, text: "It is small.", logprobs: None }"#,
            r#"Lost("content_block_delta")"#,
            r#"Citation { choice: 0, json: "{\"type\":\"web_search_result_location\",\"cited_text\":\"small\",\"url\":\"https://example.com/\",\"title\":\"Zug\",\"encrypted_index\":\"Ei\"}", reach: Some(12) }"#,
            "Usage(Usage { input: Some(5), output: Some(60), total: None, cached_input: None, cache_write: None, reasoning: None })",
        ]
    );
    let compaction = told("compaction.sse");
    assert_eq!(
        compaction[2],
        r#"Whole { choice: 0, part: Other { kind: "compaction", value: {"type":"compaction","content":"They said \"hello\"."} } }"#
    );
    let (_, ends, tally) = judged("compaction.sse");
    assert_eq!(ends, Some(End::Stop));
    assert_eq!((tally.usage.input, tally.usage.output), (Some(18), Some(8)));
    assert!(
        tally.inputs_differ,
        "the last sampling's counts are not all of it"
    );
}

#[test]
fn what_the_providers_tools_are_given_is_content_while_it_is_written() {
    for (name, first) in [("search.sse", 2), ("compaction.sse", 3), ("tools.sse", 3)] {
        let (kinds, _, _) = judged(name);
        let content = kinds.iter().position(|(kind, _)| *kind == Kind::Content);
        assert_eq!(content, Some(first), "{name}");
    }
}

#[test]
fn an_answer_without_content_still_ends() {
    let (kinds, ends, tally) = judged("refusal.sse");
    assert!(kinds.iter().all(|(kind, _)| *kind == Kind::Preamble));
    assert_eq!(
        (ends, tally.finish),
        (Some(End::Other), Some(Finish::ContentFilter))
    );
}

#[test]
fn an_error_is_one_in_every_form() {
    let (kinds, ends, _) = judged("overloaded.sse");
    let Some((Kind::Error(verdict), _)) = kinds.last() else {
        panic!("{kinds:?}");
    };
    assert_eq!(verdict.class, Class::Overloaded);
    assert_eq!(verdict.message.as_deref(), Some("Overloaded"));
    assert_eq!(ends, None);
    for (stream, class) in [
        (
            "event: error\ndata: {\"error\":{\"type\":\"api_error\"}}\n\n",
            Class::ServerError,
        ),
        ("event: error\n\n", Class::StreamError),
        ("event: error\ndata: it broke\n\n", Class::StreamError),
        (
            "data: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}\n\n",
            Class::RateLimited,
        ),
        ("data: {\"error\":{\"code\":429}}\n\n", Class::RateLimited),
        (
            "error: {\"code\":400,\"message\":\"m\"}\n\n",
            Class::InvalidRequest,
        ),
    ] {
        let (_, seen) = steps(&frames([stream.as_bytes()]));
        let [Seen::Error(verdict)] = &*seen else {
            panic!("{stream}: {seen:?}");
        };
        assert_eq!(verdict.class, class, "{stream}");
    }
}

#[test]
fn other_frames_are_what_they_are() {
    for (stream, expected) in [
        (": keep-alive\n\n", Seen::Comment),
        ("event: ping\ndata: {\"type\": \"ping\"}\n\n", Seen::Comment),
        ("event: ping\n\n", Seen::Comment),
        ("data: {\"type\":\"ping\"}\n\n", Seen::Comment),
        ("event: message_start\n\n", Seen::Data),
        ("data: [DONE]\n\n", Seen::Data),
        ("data: \n\n", Seen::Data),
        ("data: {}\n\n", Seen::Data),
        (
            "data: {\"type\":\"content_block_stop\",\"index\":7}\n\n",
            Seen::Data,
        ),
        ("data: not json\n\n", Seen::Unparsed),
        ("data: [1]\n\n", Seen::Unparsed),
        ("data: {\"type\":\"message_stop\"", Seen::Unparsed),
        ("event: message_stop\ndata: {}\n\n", Seen::Last),
    ] {
        let (_, seen) = steps(&frames([stream.as_bytes()]));
        assert_eq!(seen, [expected], "{stream}");
    }
    let (steps, _) = steps(&frames([fixture("completion-crlf.sse").as_slice()]));
    assert_eq!(steps, [""; 0], "the legacy API is not this one");
}

#[test]
fn servers_that_leave_things_out_are_read() {
    let stream = concat!(
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n",
        "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"f\"}}\n\n",
        "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\",\"input\":{\"old\":1}}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"new\\\":2}\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"\\ud83d\"}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\ndata: {\"type\":\"message_stop\"}\n\n",
    );
    let (steps, _) = steps(&frames([stream.as_bytes()]));
    assert_eq!(
        steps,
        [
            r#"Text { choice: 0, text: "a", logprobs: None }"#,
            r#"Lost("content_block_delta")"#,
            r#"ToolCall { choice: 0, index: 0, id: "toolu_0", name: "f" }"#,
            "ToolDone { choice: 0, index: 0 }",
            r#"ToolCall { choice: 0, index: 1, id: "b", name: "g" }"#,
            r#"ToolInput { choice: 0, index: 1, json: "{\"new\":2}" }"#,
            r#"Lost("text")"#,
            "ToolDone { choice: 0, index: 1 }",
            "Ended",
        ]
    );
}
