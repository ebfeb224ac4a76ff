use proptest::prelude::*;

use super::*;
use crate::{
    Class, Usage,
    dialect::{End, Finish, Judge, Kind},
    middle::Derived,
};

const ALL: [&str; 7] = [
    "text.sse",
    "thoughts.sse",
    "two-finishes.sse",
    "calls.sse",
    "streamed-calls.sse",
    "blocked.sse",
    "picture.sse",
];

fn sse(name: &str) -> Vec<String> {
    told(Framing::Sse, &[&fixture(name)], 1)
}

fn frames(body: &[u8]) -> Vec<crate::frame::Frame> {
    split(Framing::Sse, [body])
}

#[test]
fn text_is_told_in_its_pieces_and_counts_are_those_so_far() {
    let lines = sse("text.sse");
    assert_eq!(joined(&lines, "Text", "text"), "Ein Käse, 🧀.");
    assert_eq!(only(&lines, &["Start"]).len(), 1);
    let mut judge = Derived::new((UPSTREAM.stream)(1));
    let judged: Vec<_> = frames(&fixture("text.sse"))
        .iter()
        .map(|f| judge.judge(f))
        .collect();
    assert!(judged.iter().all(|j| j.kind == Kind::Content && !j.done));
    assert_eq!(judged[2].ends, Some(End::Stop));
    let tally = judge.tally();
    assert_eq!(
        (tally.id.as_deref(), tally.model.as_deref()),
        (Some("resp-1"), Some("gemini-test"))
    );
    assert!(tally.inputs_differ);
    let usage = Usage {
        input: Some(6),
        output: Some(5),
        total: Some(11),
        ..Usage::default()
    };
    assert_eq!(tally.usage, usage);
}

#[test]
fn thoughts_are_reasoning_and_count_as_output() {
    let lines = sse("thoughts.sse");
    assert_eq!(joined(&lines, "Reasoning", "text"), "Thinking");
    assert_eq!(joined(&lines, "Text", "text"), "Done");
    assert_eq!(
        only(&lines, &["Signature", "Lost"]),
        [
            r#"Signature { choice: 0, value: "c2ln" }"#,
            r#"Lost("thoughtSignature")"#
        ]
    );
    let usage = only(&lines, &["Usage"]).concat();
    assert!(
        usage.contains("output: Some(9)") && usage.contains("reasoning: Some(8)"),
        "{usage}"
    );
    assert!(usage.contains("cached_input: Some(2)"), "{usage}");
}

#[test]
fn what_follows_the_first_finish_is_told_and_the_end_once() {
    let lines = sse("two-finishes.sse");
    assert_eq!(joined(&lines, "Text", "text"), "It is 1.");
    assert_eq!(only(&lines, &["Finish"]).len(), 2);
    assert_eq!(only(&lines, &["Ended", "Last"]), ["Ended"]);
    let ended = lines.iter().position(|l| l == "Ended").unwrap();
    let text = lines.iter().position(|l| l.starts_with("Text")).unwrap();
    assert!(ended < text);
    let whole = only(&lines, &["Whole"]).concat();
    assert!(whole.contains("executableCode") && whole.contains("codeExecutionResult"));
    // what tools were given is part of the prompt: 3 + 10 + 4 = 17
    assert!(
        only(&lines, &["Usage"])
            .concat()
            .contains("input: Some(13)")
    );
}

#[test]
fn whole_calls_have_ids_inputs_and_a_reason_of_their_own() {
    let lines = sse("calls.sse");
    let id = crate::dialect::call_id::made("resp-1", 0, 0);
    assert_eq!(
        lines.get(1..).unwrap(),
        [
            format!(r#"ToolCall {{ choice: 0, index: 0, id: "{id}", name: "weather" }}"#),
            r#"CallSignature { choice: 0, index: 0, value: "c2ln" }"#.into(),
            r#"ToolInput { choice: 0, index: 0, json: "{\"city\": \"Bern\", \"days\": 3.0}" }"#
                .into(),
            "ToolDone { choice: 0, index: 0 }".into(),
            r#"ToolCall { choice: 0, index: 1, id: "own-7", name: "time" }"#.into(),
            r#"ToolInput { choice: 0, index: 1, json: "{}" }"#.into(),
            "ToolDone { choice: 0, index: 1 }".into(),
            "Finish { choice: 0, finish: ToolCalls, stop_sequence: None }".into(),
            "Ended".into(),
        ]
    );
}

#[test]
fn arguments_in_pieces_become_json_and_a_missing_end_is_made_up_for() {
    let lines = sse("streamed-calls.sse");
    let inputs = |index: u32| {
        let kind = format!("ToolInput {{ choice: 0, index: {index},");
        joined(&lines, &kind, "json")
    };
    assert_eq!(
        inputs(0),
        r#"{"items":[{"name":"apple","price":0.5},{"gone":false}]}"#
    );
    assert_eq!(inputs(1), r#"{"how":"cash"}"#);
    assert_eq!(inputs(2), "{}");
    assert_eq!(only(&lines, &["ToolDone"]).len(), 3);
    assert!(only(&lines, &["Finish"]).concat().contains("ToolCalls"));
    // every piece is told as it comes
    assert!(only(&lines, &["ToolInput { choice: 0, index: 0"]).len() >= 5);
}

#[test]
fn arguments_out_of_order_are_an_error_and_not_half_a_call() {
    let piece = |path: &str| {
        format!(
            r#"data: {{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"f","partialArgs":[{{"jsonPath":"{path}","numberValue":1}},{{"jsonPath":"$.a","numberValue":2}}]}}}}]}}}}]}}{end}"#,
            end = "\n\n"
        )
    };
    let mut judge = Derived::new((UPSTREAM.stream)(1));
    let judged = judge.judge(&frames(piece("$.a").as_bytes())[0]);
    assert!(matches!(judged.kind, Kind::Error(v) if v.class == Class::Malformed));
}

#[test]
fn a_refused_prompt_ends_by_the_filter() {
    let lines = sse("blocked.sse");
    let finish = "Finish { choice: 0, finish: ContentFilter, stop_sequence: None }";
    assert_eq!(only(&lines, &["Finish", "Ended"]), [finish, "Ended"]);
    let mut judge = Derived::new((UPSTREAM.stream)(1));
    let judged = judge.judge(&frames(&fixture("blocked.sse"))[0]);
    assert_eq!(
        (judged.kind, judged.ends),
        (Kind::Preamble, Some(End::Other))
    );
}

#[test]
fn pictures_sounds_and_files_are_whole_parts() {
    let lines = sse("picture.sse");
    let whole = only(&lines, &["Whole"]);
    assert!(
        whole[0].contains("Image { source: Inline { media_type: \"image/png\", data: \"aGk=\" }")
    );
    assert!(whole[1].contains("Audio { data: \"aGk=\", format: \"wav\" }"));
    assert!(whole[2].contains("File { source: Url(\"gs://b/f\")"));
}

#[test]
fn an_array_is_read_as_events_are() {
    let lines = told(Framing::Array, &[&fixture("array.json")], 1);
    assert_eq!(joined(&lines, "Text", "text"), "Ja, gern \"]}.");
    assert_eq!(only(&lines, &["Ended", "Unparsed"]), ["Ended"]);
}

#[test]
fn candidates_need_neither_content_nor_parts() {
    for (candidate, finish) in [
        (
            r#"{"finishReason":"SAFETY","index":0,"safetyRatings":[]}"#,
            "ContentFilter",
        ),
        (r#"{"finishReason":"MAX_TOKENS"}"#, "Length"),
        (r#"{"content":{},"finishReason":"MAX_TOKENS"}"#, "Length"),
        (
            r#"{"content":{"parts":null},"finishReason":"NO_IMAGE"}"#,
            "Other(\"NO_IMAGE\")",
        ),
        (
            r#"{"content":null,"finishReason":"LANGUAGE"}"#,
            "Other(\"LANGUAGE\")",
        ),
    ] {
        let body = format!("data: {{\"candidates\":[{candidate}]}}\n\n");
        let lines = told(Framing::Sse, &[body.as_bytes()], 1);
        let expected = format!("Finish {{ choice: 0, finish: {finish}, stop_sequence: None }}");
        assert_eq!(lines, [expected.as_str(), "Ended"], "{candidate}");
    }
}

#[test]
fn several_candidates_end_when_each_of_them_has() {
    let one = |index: u32, reason: &str| {
        format!(
            "data: {{\"candidates\":[{{\"index\":{index},\"content\":{{\"parts\":[{{\"text\":\"x\"}}]}}{reason}}}]}}\n\n"
        )
    };
    let stop = ",\"finishReason\":\"STOP\"";
    let body = [one(1, stop), one(0, ""), one(0, stop)].concat();
    let lines = told(Framing::Sse, &[body.as_bytes()], 2);
    assert_eq!(
        lines.iter().position(|l| l == "Ended"),
        Some(lines.len() - 1)
    );
}

#[test]
fn fewer_candidates_than_asked_for_are_whole_when_the_body_is() {
    let one = |index: u32, reason: &str| {
        format!("data: {{\"candidates\":[{{\"index\":{index}{reason}}}]}}\n\n")
    };
    let stop = ",\"finishReason\":\"MAX_TOKENS\"";
    let ends = |body: &str, choices| {
        let mut judge = Derived::new((UPSTREAM.stream)(choices));
        let mut told = 0;
        for frame in frames(body.as_bytes()) {
            assert_eq!(judge.judge(&frame).ends.is_some(), choices == 1);
        }
        let ends = judge.over(&mut |_| told += 1).ends;
        assert_eq!(told, u32::from(ends.is_some()));
        ends
    };
    assert_eq!(ends(&one(0, stop), 3), Some(End::Other));
    assert_eq!(ends(&one(0, stop), 1), None, "told before");
    assert_eq!(ends(&(one(0, stop) + &one(1, "")), 3), None);
    assert_eq!(ends("data: {\"candidates\":[]}\n\n", 3), None);
}

#[test]
fn errors_inside_a_stream_have_their_class() {
    for (status, code, class) in [
        ("RESOURCE_EXHAUSTED", 429, Class::RateLimited),
        ("UNAVAILABLE", 503, Class::Overloaded),
        ("INTERNAL", 500, Class::ServerError),
        ("DEADLINE_EXCEEDED", 504, Class::ServerError),
        ("INVALID_ARGUMENT", 400, Class::InvalidRequest),
        ("FAILED_PRECONDITION", 400, Class::InvalidRequest),
        ("OUT_OF_RANGE", 400, Class::InvalidRequest),
        ("UNAUTHENTICATED", 401, Class::Unauthorized),
        ("PERMISSION_DENIED", 403, Class::Forbidden),
        ("NOT_FOUND", 404, Class::NotFound),
        ("ABORTED", 409, Class::InvalidRequest),
        ("UNKNOWN", 500, Class::ServerError),
    ] {
        let error = format!(r#"{{"error":{{"code":{code},"message":"m","status":"{status}"}}}}"#);
        for body in [
            format!("data: {error}\r\n\r\n"),
            format!("data: [{error}]\r\n\r\n"),
        ] {
            let judged = Derived::new((UPSTREAM.stream)(1)).judge(&frames(body.as_bytes())[0]);
            assert!(
                matches!(judged.kind, Kind::Error(v) if v.class == class),
                "{status}"
            );
        }
        let lines = told(Framing::Array, &[format!("[{error}\n]").as_bytes()], 1);
        assert!(lines[0].starts_with("Error"), "{lines:?}");
        let bare = format!(r#"{{"error":{{"message":"m","status":"{status}"}}}}"#);
        if !["ABORTED", "UNKNOWN"].contains(&status) {
            assert_eq!(
                crate::Verdict::in_band(bare.as_bytes()).class,
                class,
                "{status} alone"
            );
        }
    }
}

#[test]
fn log_probabilities_take_the_form_of_chat_completions() {
    let body = concat!(
        r#"data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]},"logprobsResult":{"chosenCandidates":[{"token":"Hi","tokenId":3,"logProbability":-0.10}],"#,
        r#""topCandidates":[{"candidates":[{"token":"Hi","logProbability":-0.10},{"token":"Ho","logProbability":-2.5e0}]}]}}]}"#,
        "\n\n"
    );
    let lines = told(Framing::Sse, &[body.as_bytes()], 1);
    let expected = r#"{"content":[{"token":"Hi","logprob":-0.10,"bytes":null,"top_logprobs":[{"token":"Hi","logprob":-0.10,"bytes":null},{"token":"Ho","logprob":-2.5e0,"bytes":null}]}],"refusal":null}"#;
    assert_eq!(
        lines,
        [format!(
            "Text {{ choice: 0, text: \"Hi\", logprobs: Some({expected:?}) }}"
        )]
    );
}

#[test]
fn surprising_members_are_no_reason_to_fail() {
    let body = concat!(
        "data: {\"candidates\":[7,null,{\"content\":[]},{\"index\":\"x\",\"content\":{\"parts\":[3,{\"text\":5},{\"functionCall\":[]},{\"functionCall\":{\"args\":{}}},{}]}}],\"usageMetadata\":{\"trafficType\":\"ON_DEMAND\"}}\n\n",
        "data: {oops\n\n",
        ": comment\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"still here\"}]}}]}\n\n",
    );
    let lines = told(Framing::Sse, &[body.as_bytes()], 1);
    assert_eq!(only(&lines, &["Unparsed", "Usage", "Error"]), ["Unparsed"]);
    assert_eq!(joined(&lines, "Text", "text"), "still here");
}

#[test]
fn finish_words_become_reasons() {
    let reason = super::super::finish::reason;
    assert_eq!(reason("STOP", true), Ok(Some(Finish::ToolCalls)));
    assert_eq!(reason("SPII", true), Ok(Some(Finish::ContentFilter)));
    assert_eq!(reason("FINISH_REASON_UNSPECIFIED", false), Ok(None));
    assert_eq!(reason("", false), Ok(None));
}

proptest! {
    #[test]
    fn the_same_steps_however_the_bytes_are_cut(which in 0..ALL.len(), cuts in prop::collection::vec(0_usize..4000, 0..12)) {
        let body = fixture(ALL[which]);
        let pieces = crate::frame::tests::pieces(&body, &cuts);
        prop_assert_eq!(told(Framing::Sse, &pieces, 1), told(Framing::Sse, &[&body], 1));
        let array = fixture("array.json");
        let pieces = crate::frame::tests::pieces(&array, &[which * 37, which * 91]);
        prop_assert_eq!(told(Framing::Array, &pieces, 1), told(Framing::Array, &[&array], 1));
    }

    #[test]
    fn no_bytes_panic_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        told(Framing::Sse, &[b"data: ", &bytes, b"\n\n"], 1);
        told(Framing::Array, &[&bytes], 3);
        let _ = (UPSTREAM.answer)(&bytes);
    }

    #[test]
    fn no_damage_panics_it(which in 0..ALL.len(), at in 0_usize..4000, byte in any::<u8>()) {
        let mut body = fixture(ALL[which]);
        let at = at % body.len();
        body[at] = byte;
        told(Framing::Sse, &[&body], 2);
        body.truncate(at);
        told(Framing::Sse, &[&body], 1);
    }
}

#[test]
fn a_stream_that_admits_to_be_broken_ends_in_an_error() {
    let end = r#"data: {"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#;
    let lines = told(Framing::Sse, &[format!("{end}\n\n").as_bytes()], 1);
    let [last] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(
        last.starts_with("Error") && last.contains("ServerError"),
        "{last}"
    );
}

#[test]
fn calls_of_answers_that_nothing_tells_apart_have_ids_of_their_own() {
    let body = r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]}}]}"#;
    let ids = || {
        let lines = told(Framing::Sse, &[format!("{body}\n\n").as_bytes()], 1);
        let calls = only(&lines, &["ToolCall"]).into_iter();
        let ids = calls.filter_map(|line| line.split('"').nth(1).map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    let all = [ids(), ids()].concat();
    let distinct: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (4, 4), "{all:?}");
}
