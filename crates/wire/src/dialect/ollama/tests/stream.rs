use std::time::Duration;

use proptest::prelude::*;

use super::{super::UPSTREAM, *};
use crate::{
    Class,
    dialect::{Durations, End, Judge, Kind, call_id::made},
    middle::Derived,
};

const ALL: [&str; 6] = [
    "chat.ndjson",
    "think.ndjson",
    "tools.ndjson",
    "error.ndjson",
    "old.ndjson",
    "generate.ndjson",
];

fn lines(name: &str) -> Vec<String> {
    told((UPSTREAM.stream)(1), &[&fixture(name)])
}

#[test]
fn text_counts_and_times_are_told_and_done_is_the_last() {
    let told = lines("chat.ndjson");
    assert_eq!(joined(&told, "Text", "text"), "Grüß dich 👋\n");
    let start = r#"Start(Start { id: None, model: Some("tiny:1b"), created: Some(1767323045) })"#;
    assert_eq!(only(&told, &["Start"]), [start]);
    assert_eq!(
        only(&told, &["Finish", "Ended", "Last"]),
        [
            "Finish { choice: 0, finish: Stop, stop_sequence: None }",
            "Ended",
            "Last"
        ]
    );
    let mut judge = Derived::new((UPSTREAM.stream)(1));
    let frames = frames(&[&fixture("chat.ndjson")]);
    let judged: Vec<_> = frames.iter().map(|frame| judge.judge(frame)).collect();
    let last = judged.last().unwrap();
    assert_eq!(
        (last.done, last.ends, judged.len()),
        (true, Some(End::Stop), 4)
    );
    let tally = judge.tally();
    assert_eq!((tally.usage.input, tally.usage.output), (Some(11), Some(5)));
    let durations = Durations {
        total: Some(Duration::from_millis(1500)),
        load: Some(Duration::from_micros(1)),
        prompt: Some(Duration::from_millis(200)),
        output: Some(Duration::from_millis(1200)),
    };
    assert_eq!(tally.durations, durations);
}

#[test]
fn thoughts_are_reasoning_and_the_last_line_needs_no_end() {
    let told = lines("think.ndjson");
    assert_eq!(joined(&told, "Reasoning", "text"), "hm, well");
    assert_eq!(joined(&told, "Text", "text"), "Yes.");
    assert!(only(&told, &["Finish"]).concat().contains("Length"));
    assert_eq!(told.last().unwrap(), "Last");
}

#[test]
fn calls_are_whole_and_have_ids() {
    let told = lines("tools.ndjson");
    let id = |index| made("2026-01-02T03:04:05.678901Z", 0, index);
    let (first, third) = (id(0), id(2));
    assert_eq!(
        only(&told, &["Tool", "Finish"]),
        [
            &format!(r#"ToolCall {{ choice: 0, index: 0, id: "{first}", name: "weather" }}"#),
            r#"ToolInput { choice: 0, index: 0, json: "{\"city\":\"Bern\",\"days\":3.0}" }"#,
            "ToolDone { choice: 0, index: 0 }",
            r#"ToolCall { choice: 0, index: 1, id: "call_own", name: "time" }"#,
            r#"ToolInput { choice: 0, index: 1, json: "{}" }"#,
            "ToolDone { choice: 0, index: 1 }",
            &format!(r#"ToolCall {{ choice: 0, index: 2, id: "{third}", name: "stop" }}"#),
            r#"ToolInput { choice: 0, index: 2, json: "{}" }"#,
            "ToolDone { choice: 0, index: 2 }",
            "Finish { choice: 0, finish: ToolCalls, stop_sequence: None }",
        ]
    );
}

#[test]
fn an_error_in_a_line_is_an_error() {
    let told = lines("error.ndjson");
    let error = told.last().unwrap();
    assert!(
        error.starts_with("Error(") && error.contains("out of memory"),
        "{error}"
    );
    assert_eq!(only(&told, &["Ended", "Last"]), Vec::<&str>::new());
    let mut judge = Derived::new((UPSTREAM.stream)(1));
    let line = b"{\"error\":\"too many requests\",\"status_code\":429}\n";
    let judged = judge.judge(&frames(&[line])[0]);
    assert!(matches!(judged.kind, Kind::Error(v) if v.class == Class::RateLimited));
}

#[test]
fn an_end_without_a_reason_or_a_message_is_an_end() {
    let told = lines("old.ndjson");
    assert!(only(&told, &["Finish"]).concat().contains("finish: Stop"));
    assert_eq!(only(&told, &["Ended", "Last"]), ["Ended", "Last"]);
}

#[test]
fn a_reason_that_nobody_knows_is_kept() {
    let body = br#"{"model":"m","message":{"content":""},"done":true,"done_reason":"load"}"#;
    let told = told((UPSTREAM.stream)(1), &[body]);
    assert!(
        only(&told, &["Finish"])
            .concat()
            .contains("Other(\"load\")")
    );
}

#[test]
fn log_probabilities_take_the_form_of_chat_completions() {
    let body = br#"{"model":"m","message":{"content":"Hi"},"logprobs":[{"token":"Hi","logprob":-0.10}],"done":false}"#;
    let told = told((UPSTREAM.stream)(1), &[body]);
    let expected = r#"{"content":[{"token":"Hi","logprob":-0.10}],"refusal":null}"#;
    assert!(
        only(&told, &["Text"])
            .concat()
            .contains(&format!("{expected:?}")),
        "{told:?}"
    );
}

#[test]
fn surprising_members_are_no_reason_to_fail() {
    let body = concat!(
        "{\"model\":5,\"created_at\":[],\"message\":{\"content\":null,\"tool_calls\":[1,{},{\"function\":{\"name\":\"\"}}]}}\n",
        "\n[1]\n{oops\n",
        "{\"message\":{\"content\":\"still here\"},\"done\":\"no\"}\n"
    );
    let told = told((UPSTREAM.stream)(1), &[body.as_bytes()]);
    assert_eq!(only(&told, &["Unparsed", "Tool"]), ["Unparsed", "Unparsed"]);
    assert_eq!(joined(&told, "Text", "text"), "still here");
}

proptest! {
    #[test]
    fn the_same_steps_however_the_bytes_are_cut(which in 0..ALL.len(), cuts in prop::collection::vec(0_usize..1500, 0..12)) {
        let body = fixture(ALL[which]);
        let pieces = crate::frame::tests::pieces(&body, &cuts);
        let whole = told((UPSTREAM.stream)(1), &[&body]);
        prop_assert_eq!(told((UPSTREAM.stream)(1), &pieces), whole);
    }

    #[test]
    fn no_bytes_panic_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        told((UPSTREAM.stream)(1), &[&bytes]);
        let _ = (UPSTREAM.answer)(&bytes);
    }

    #[test]
    fn no_damage_panics_it(which in 0..ALL.len(), at in 0_usize..1500, byte in any::<u8>()) {
        let mut body = fixture(ALL[which]);
        let at = at % body.len();
        body[at] = byte;
        told((UPSTREAM.stream)(1), &[&body]);
        let _ = (UPSTREAM.answer)(&body);
    }
}
