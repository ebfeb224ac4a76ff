//! What is told of a stream of this API.

use super::{events, frames, told};
use crate::{
    Class,
    dialect::{End, Kind},
    middle::{Part, Seen},
};

mod failures;
mod items;
mod judged;
mod thoughts;

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
