//! What is told of a stream of this API.

use super::{events, frames, told};
use crate::{
    Class,
    dialect::{End, Kind},
    middle::{Part, Seen},
};

/// A response object in the given state.
fn response(rest: &str) -> String {
    format!(r#"{{"id":"resp_1","object":"response","created_at":7,"model":"m",{rest}}}"#)
}

fn created() -> String {
    let response = response(r#""status":"in_progress","output":[],"error":null"#);
    format!(r#"{{"type":"response.created","response":{response},"sequence_number":0}}"#)
}

fn completed(output: &str) -> String {
    let response = response(&format!(
        r#""status":"completed","output":[{output}],"usage":{{"input_tokens":3,"output_tokens":4}}"#
    ));
    format!(r#"{{"type":"response.completed","response":{response}}}"#)
}

/// What is told of events between `created` and `completed`, without start and end.
fn between(payloads: &[&str]) -> Vec<String> {
    let (first, end) = (created(), completed(""));
    let all: Vec<&str> = [first.as_str()]
        .into_iter()
        .chain(payloads.iter().copied())
        .chain([end.as_str()])
        .collect();
    let (mut steps, _) = told(events(&all).as_bytes(), &[]);
    assert_eq!(steps.remove(0), "start resp_1 m");
    assert_eq!(steps.split_off(steps.len() - 2), ["usage 3 4", "ended"]);
    steps
}

#[test]
fn the_end_is_told_once_and_is_the_last_frame() {
    let stream = events(&[&created(), &completed(""), &completed("")]) + "data: [DONE]\n\n";
    let (steps, seen) = told(stream.as_bytes(), &[]);
    assert_eq!(
        steps,
        ["start resp_1 m", "finish stop", "usage 3 4", "ended"]
    );
    assert_eq!(seen, [Seen::Data, Seen::Last, Seen::Last, Seen::Last]);
}

#[test]
fn done_alone_is_no_end() {
    let stream = events(&[&created()]) + "data: [DONE]\n\n";
    let (steps, seen) = told(stream.as_bytes(), &[]);
    assert_eq!(steps, ["start resp_1 m"]);
    assert_eq!(seen, [Seen::Data, Seen::Data]);
    let mut judge = super::super::judge(1);
    for frame in frames(stream.as_bytes(), &[]) {
        let judged = judge.judge(&frame);
        assert!(!judged.done && judged.ends.is_none());
    }
}

#[test]
fn a_stored_response_ends_as_whatever_it_became() {
    use crate::dialect::{End, Kind};
    for end in ["completed", "incomplete", "failed", "cancelled"] {
        let last = format!(
            r#"{{"type":"response.{end}","response":{{"id":"r","error":{{"code":"server_error"}},"usage":{{"input_tokens":1}}}}}}"#
        );
        let error = r#"{"type":"error","code":"server_error"}"#;
        let stream = format!(": hi\n\n{}", events(&[&created(), error, &last, &last]));
        for stream in [&stream, &stream.replace("event: ", "id: ")] {
            let mut judge = super::super::stored_judge();
            let all: Vec<_> = frames(stream.as_bytes(), &[])
                .iter()
                .map(|frame| judge.judge(frame))
                .collect();
            assert_eq!(all[0].kind, Kind::Comment);
            assert!(all[1..].iter().all(|j| j.kind == Kind::Content && !j.done));
            let ends: Vec<_> = all.iter().map(|judged| judged.ends).collect();
            assert_eq!(ends, [None, None, None, Some(End::Other), None], "{end}");
            assert!(all.iter().all(|judged| judged.usage.is_none()));
            assert_eq!(judge.tally(), crate::dialect::Tally::default());
        }
    }
}

#[test]
fn a_call_is_told_once_however_its_input_comes() {
    let begin = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":""}}"#;
    let delta = |text: &str| {
        format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":"{text}"}}"#
        )
    };
    let (first, second) = (delta("{\\\"a\\\""), delta(":1}"));
    let done = r#"{"type":"response.function_call_arguments.done","output_index":0,"item_id":"fc_1","arguments":"{\"a\":1}"}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"a\":1}"}}"#;
    let in_pieces = [
        "call 0 c f",
        "input 0 {\"a\"",
        "input 0 :1}",
        "done 0",
        "finish tool_calls",
    ];
    assert_eq!(between(&[begin, &first, &second, done, end]), in_pieces);
    let whole = [
        "call 0 c f",
        "input 0 {\"a\":1}",
        "done 0",
        "finish tool_calls",
    ];
    assert_eq!(between(&[begin, done, end]), whole);
    assert_eq!(between(&[begin, end]), whole);
    assert_eq!(between(&[end]), whole);
}

#[test]
fn input_that_is_an_object_is_passed_on_as_it_is_spelled() {
    let item = r#"{"type":"function_call","call_id":"c","name":"f","arguments":{"a":1.50}}"#;
    let end = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    let steps = between(&[&end]);
    assert_eq!(steps[1], r#"input 0 {"a":1.50}"#);
    let whole =
        (super::super::UPSTREAM.answer)(response(&format!(r#""output":[{item}]"#)).as_bytes());
    let Part::ToolCall(call) = &whole.unwrap().choices[0].parts[0] else {
        panic!("no call")
    };
    assert_eq!(call.input, r#"{"a":1.50}"#);
}

#[test]
fn a_call_that_is_whole_gets_no_more_input() {
    let item = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
    let end = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    let late = r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}"#;
    let steps = between(&[&end, late]);
    let expected = [
        "call 0 c f",
        "input 0 {}",
        "done 0",
        r#"Lost("tool_calls")"#,
    ];
    assert_eq!(steps[..4], expected);
}

#[test]
fn calls_are_numbered_from_0_wherever_they_stand() {
    let begin = |at: u32, id: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":{at},"item":{{"type":"function_call","call_id":"{id}","name":"f","arguments":""}}}}"#
        )
    };
    let delta = |at: u32| {
        format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":{at},"delta":"{{}}"}}"#
        )
    };
    let steps = between(&[&begin(3, "a"), &begin(1, "b"), &delta(1), &delta(3)]);
    assert_eq!(
        steps,
        [
            "call 0 a f",
            "call 1 b f",
            "input 1 {}",
            "input 0 {}",
            "finish tool_calls"
        ]
    );
}

#[test]
fn a_text_is_told_once_from_deltas_or_whole() {
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi","logprobs":[]}"#;
    let done =
        r#"{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"Hi"}"#;
    let item = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"u"}]},{"type":"refusal","refusal":"no"}]}"#;
    let end = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    let cited = r#"citation {"type":"url_citation","url":"u"}"#;
    for way in [
        vec![delta, done, &end],
        vec![done, &end],
        vec![end.as_str()],
    ] {
        assert_eq!(
            between(&way),
            ["text Hi", cited, "refusal no", "finish stop"]
        );
    }
    // nothing but the end
    let (steps, _) = told(events(&[&created(), &completed(item)]).as_bytes(), &[]);
    let expected = [
        "start resp_1 m",
        "text Hi",
        cited,
        "refusal no",
        "finish stop",
    ];
    assert_eq!(steps.get(..5).unwrap(), expected);
}

#[test]
fn an_output_that_leaves_items_out_repeats_nothing() {
    let delta =
        r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Hi"}"#;
    let message = r#"{"type":"message","content":[{"type":"output_text","text":"Hi"}]}"#;
    let stream = events(&[&created(), delta, &completed(message)]);
    let (steps, _) = told(stream.as_bytes(), &[]);
    let expected = [
        "start resp_1 m",
        "text Hi",
        "finish stop",
        "usage 3 4",
        "ended",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_citation_that_was_told_is_not_told_again() {
    let cite = r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation_index":0,"annotation":{"type":"file_path","file_id":"f"}}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"","annotations":[{"type":"file_path","file_id":"f"}]}]}}"#;
    let cited = r#"citation {"type":"file_path","file_id":"f"}"#;
    assert_eq!(between(&[cite, end]), [cited, "finish stop"]);
}

#[test]
fn parts_of_a_summary_are_paragraphs() {
    let delta = |at: u32, text: &str| {
        format!(
            r#"{{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":{at},"delta":"{text}"}}"#
        )
    };
    let steps = between(&[&delta(0, "a"), &delta(0, "b"), &delta(1, "c")]);
    assert_eq!(
        steps,
        [
            "reasoning a",
            "reasoning b",
            "reasoning \n\n",
            "reasoning c",
            "finish stop"
        ]
    );
}

#[test]
fn a_thought_is_told_in_one_of_its_forms() {
    let words = r#"{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"I think"}"#;
    let summary = r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"It thinks"}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"It thinks"}],"content":[{"type":"reasoning_text","text":"I think"}],"encrypted_content":"e"}}"#;
    assert_eq!(
        between(&[words, summary, end]),
        ["reasoning I think", "opaque e", "finish stop"]
    );
    assert_eq!(
        between(&[summary, words, end]),
        ["reasoning It thinks", "opaque e", "finish stop"]
    );
    assert_eq!(
        between(&[end]),
        ["reasoning I think", "opaque e", "finish stop"]
    );
}

#[test]
fn what_is_sealed_when_a_thought_begins_is_not_final() {
    let item = |kind: &str, sealed: &str| {
        format!(
            r#"{{"type":"response.output_item.{kind}","output_index":0,"item":{{"type":"reasoning","summary":[],"encrypted_content":"{sealed}"}}}}"#
        )
    };
    assert_eq!(
        between(&[&item("added", "1"), &item("done", "2")]),
        ["opaque 2", "finish stop"]
    );
}

#[test]
fn log_probabilities_are_in_the_form_of_chat() {
    let delta = r#"{"type":"response.output_text.delta","delta":"a","logprobs":[{"token":"a","logprob":-0.10}]}"#;
    let text = r#"text a {"content":[{"token":"a","logprob":-0.10}]}"#;
    assert_eq!(between(&[delta]), [text, "finish stop"]);
}

#[test]
fn what_a_hosted_tool_did_is_told_whole_when_it_is_done() {
    let item = r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#;
    let event = |kind: &str| {
        format!(r#"{{"type":"response.output_item.{kind}","output_index":0,"item":{item}}}"#)
    };
    let progress =
        r#"{"type":"response.web_search_call.searching","output_index":0,"item_id":"ws_1"}"#;
    let steps = between(&[&event("added"), progress, &event("done")]);
    let whole = format!(
        "Whole {{ choice: 0, part: Other {{ kind: \"web_search_call\", value: {item} }} }}"
    );
    assert_eq!(steps, [whole.as_str(), "finish stop"]);
}

#[test]
fn why_a_response_is_incomplete_is_its_finish() {
    for (reason, finish) in [
        ("\"max_output_tokens\"", "length"),
        ("\"content_filter\"", "content_filter"),
        ("\"steered\"", "steered"),
        ("null", "incomplete"),
    ] {
        let response = response(&format!(
            r#""status":"incomplete","incomplete_details":{{"reason":{reason}}}"#
        ));
        let event = format!(r#"{{"type":"response.incomplete","response":{response}}}"#);
        let (steps, seen) = told(events(&[&event]).as_bytes(), &[]);
        assert_eq!(
            steps,
            [
                "start resp_1 m".to_owned(),
                format!("finish {finish}"),
                "ended".to_owned()
            ]
        );
        assert_eq!(seen, [Seen::Last]);
    }
}

#[test]
fn every_form_of_an_error_is_one() {
    let quota = r#""code":"insufficient_quota","message":"no money""#;
    let failed = response(&format!(r#""status":"failed","error":{{{quota}}}"#));
    for event in [
        format!(r#"{{"type":"error","sequence_number":2,{quota},"param":null}}"#),
        format!(
            r#"{{"type":"error","sequence_number":2,"error":{{"type":"insufficient_quota",{quota}}}}}"#
        ),
        format!(r#"{{"error":{{{quota}}}}}"#),
        format!(r#"{{"type":"response.failed","response":{failed}}}"#),
        format!(r#"{{"type":"response.error",{quota}}}"#),
    ] {
        for stream in [
            events(&[&event]),
            format!("data: {event}\n\n"),
            format!("event: error\ndata: {event}\n\n"),
        ] {
            let (steps, seen) = told(stream.as_bytes(), &[]);
            let [Seen::Error(verdict)] = seen.as_slice() else {
                panic!("{stream}: {seen:?}");
            };
            assert_eq!(verdict.class, Class::QuotaExhausted, "{stream}");
            assert_eq!(verdict.message.as_deref(), Some("no money"), "{stream}");
            assert!(steps.is_empty());
        }
    }
    let (_, seen) = told(
        b"data: {\"type\":\"response.cancelled\",\"response\":{}}\n\n",
        &[],
    );
    assert!(
        matches!(seen.as_slice(), [Seen::Error(verdict)] if verdict.class == Class::StreamError)
    );
    let (_, seen) = told(b"event: error\n\n", &[]);
    assert!(matches!(seen.as_slice(), [Seen::Error(_)]));
}

#[test]
fn an_error_member_that_is_null_is_none() {
    let (_, seen) = told(
        b"data: {\"type\":\"response.created\",\"error\":null,\"response\":{}}\n\n",
        &[],
    );
    assert_eq!(seen, [Seen::Data]);
}

#[test]
fn comments_pings_and_what_cannot_be_read_are_told_apart() {
    for (frame, expected) in [
        (": keepalive\n\n", Seen::Comment),
        ("event: ping\ndata: {}\n\n", Seen::Comment),
        (
            "data: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
            Seen::Comment,
        ),
        ("event: response.created\n\n", Seen::Data),
        ("data:\n\n", Seen::Data),
        ("data: {\"type\":\n\n", Seen::Unparsed),
        ("data: [1]\n\n", Seen::Unparsed),
        ("data: {\"type\":\"response.of_tomorrow\"}\n\n", Seen::Data),
    ] {
        assert_eq!(told(frame.as_bytes(), &[]).1, [expected], "{frame}");
    }
    assert_eq!(told(b"data: \xff\n\n", &[]).1, [Seen::Unparsed]);
}

#[test]
fn the_name_of_an_event_stands_in_for_its_type() {
    let event = "event: response.output_text.delta\ndata: {\"delta\":\"a\"}\n\n";
    assert_eq!(told(event.as_bytes(), &[]).0, ["text a"]);
}

#[test]
fn half_of_a_pair_does_not_take_the_text_with_it() {
    let event = r#"{"type":"response.output_text.delta","delta":"a\ud83db"}"#;
    let (steps, _) = told(events(&[event]).as_bytes(), &[]);
    assert!(
        steps
            .first()
            .is_some_and(|s| s.starts_with("text a") && s.ends_with('b')),
        "{steps:?}"
    );
}

#[test]
fn the_judge_commits_on_content_and_ends_with_the_response() {
    let thought = r#"{"type":"response.reasoning_text.delta","output_index":0,"delta":"hm"}"#;
    let delta = r#"{"type":"response.output_text.delta","output_index":1,"delta":"a"}"#;
    let stream = events(&[&created(), thought, delta, &completed("")]);
    let mut judge = super::super::judge(1);
    let judged: Vec<_> = frames(stream.as_bytes(), &[])
        .iter()
        .map(|frame| judge.judge(frame))
        .collect();
    let kinds: Vec<_> = judged.iter().map(|one| one.kind.clone()).collect();
    assert_eq!(
        kinds,
        [Kind::Preamble, Kind::Content, Kind::Content, Kind::Preamble]
    );
    let hidden: Vec<_> = judged.iter().map(|one| one.reasoning).collect();
    assert_eq!(hidden, [false, true, false, false]);
    let ends: Vec<_> = judged.iter().map(|one| one.ends).collect();
    assert_eq!(ends, [None, None, None, Some(End::Stop)]);
    assert_eq!(judge.tally().id.as_deref(), Some("resp_1"));
    assert_eq!(judge.tally().usage.output, Some(4));
}

#[test]
fn what_a_tool_of_the_provider_writes_is_content_to_the_judge() {
    let piece = |kind: &str, rest: &str| {
        format!(r#"{{"type":"response.{kind}","output_index":0,"item_id":"x",{rest}}}"#)
    };
    let kind = |stream: &str| {
        let mut judge = super::super::judge(1);
        let frames = frames(stream.as_bytes(), &[]);
        let kinds: Vec<_> = frames.iter().map(|frame| judge.judge(frame).kind).collect();
        kinds.last().cloned().unwrap()
    };
    for (event, expected) in [
        (
            piece("custom_tool_call_input.delta", r#""delta":"*** Begin""#),
            Kind::Content,
        ),
        (
            piece("code_interpreter_call_code.delta", r#""delta":"x""#),
            Kind::Content,
        ),
        (
            piece(
                "image_generation_call.partial_image",
                r#""partial_image_b64":"aGk=""#,
            ),
            Kind::Content,
        ),
        (
            piece("custom_tool_call_input.delta", r#""delta":"""#),
            Kind::Preamble,
        ),
        (
            piece("web_search_call.searching", r#""delta":"x""#),
            Kind::Preamble,
        ),
        (created(), Kind::Preamble),
    ] {
        assert_eq!(kind(&events(&[&event])), expected, "{event}");
        assert_eq!(kind(&format!("data: {event}\n\n")), expected, "{event}");
    }
}

#[test]
fn the_judge_hands_out_the_state_that_came() {
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"e"}}"#;
    let mut judge = super::super::judge(1);
    for frame in frames(events(&[end]).as_bytes(), &[]) {
        judge.judge(&frame);
    }
    assert_eq!(judge.take_state(), [crate::state::fingerprint("e")]);
    assert!(judge.take_state().is_empty());
}
