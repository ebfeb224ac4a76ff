//! Calls without input: what callers put together must be an object.

use super::*;
use crate::middle::{Answer, Choice, Part, ToolCall};

fn call(index: u32) -> Delta<'static> {
    Delta::ToolCall {
        choice: 0,
        index,
        id: "c".into(),
        name: "now".into(),
    }
}

#[test]
fn a_call_that_is_whole_without_input_has_an_empty_object() {
    let (mut encode, mut out) = ((SURFACE.stream)(&Asked::default()), BytesMut::new());
    let (choice, json) = (0, "{\"a\":1}");
    for delta in [
        call(0),
        Delta::ToolDone { choice, index: 0 },
        call(1),
        Delta::ToolInput {
            choice,
            index: 1,
            json: json.into(),
        },
        Delta::ToolDone { choice, index: 1 },
        Delta::ToolDone { choice, index: 0 },
    ] {
        encode.delta(&delta, &mut out);
    }
    let written = String::from_utf8(out.to_vec()).unwrap();
    let inputs: Vec<&str> = written
        .split("\"arguments\":\"")
        .skip(1)
        .filter_map(|rest| rest.split("\"}").next())
        .collect();
    assert_eq!(inputs, ["", "{}", "", "{\\\"a\\\":1}"], "{written}");
}

#[test]
fn a_whole_call_without_input_has_an_empty_object() {
    let call = ToolCall {
        id: "c".into(),
        name: "now".into(),
        input: String::new(),
        signature: None,
    };
    let choice = Choice {
        parts: vec![Part::ToolCall(call)],
        ..Choice::default()
    };
    let answer = Answer {
        choices: vec![choice],
        ..Answer::default()
    };
    let body = (SURFACE.answer)(&answer, &Asked::default(), &mut Lost::default());
    let body = String::from_utf8(body.to_vec()).unwrap();
    assert!(body.contains(r#""arguments":"{}""#), "{body}");
}
