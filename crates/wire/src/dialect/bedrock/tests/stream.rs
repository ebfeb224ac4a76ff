use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{
    Class, Usage,
    dialect::{
        Durations, End, Finish, Judge, Kind,
        bedrock::{INVOKE, UPSTREAM},
    },
    eventstream::tests::{message, text},
    middle::{Derived, Start},
};

const TOOLS: &str = include_str!("../../../../tests/fixtures/bedrock/thoughts-and-tools.txt");

fn read(bytes: &[u8]) -> (Vec<String>, Vec<Seen>) {
    told(
        &mut *(UPSTREAM.stream)(1),
        &frames(Framing::EventStream, &[bytes]),
    )
}

fn usage() -> Usage {
    Usage {
        input: Some(127),
        output: Some(30),
        total: Some(157),
        cached_input: Some(100),
        cache_write: Some(20),
        reasoning: None,
    }
}

#[test]
fn every_step_of_a_stream_is_told_in_order() {
    let (deltas, seen) = read(&fixture(TOOLS));
    let choice = 0;
    let call = |index, id: &'static str, name: &'static str| Delta::ToolCall {
        choice,
        index,
        id: id.into(),
        name: name.into(),
    };
    let input = |json: &'static str| Delta::ToolInput {
        choice,
        index: 0,
        json: json.into(),
    };
    let thought = |text: &'static str| Delta::Reasoning {
        choice,
        text: text.into(),
    };
    let expected = [
        Delta::Start(Start::default()),
        thought("Two towns,"),
        thought(" two calls."),
        Delta::Signature {
            choice,
            value: "c2lnbmVk".into(),
        },
        Delta::Opaque {
            choice,
            value: "b3BhcXVl".into(),
        },
        Delta::Text {
            choice,
            text: " I look é it up.".into(),
            logprobs: None,
        },
        call(0, "tooluse_1", "weather"),
        input("{\"town\":"),
        input(" \"Pau\"}"),
        Delta::ToolDone { choice, index: 0 },
        call(1, "tooluse_2", "now"),
        Delta::ToolDone { choice, index: 1 },
        Delta::Finish {
            choice,
            finish: Finish::ToolCalls,
            stop_sequence: None,
        },
        Delta::Durations(Durations {
            total: Some(Duration::from_millis(10)),
            ..Durations::default()
        }),
        Delta::Usage(usage()),
        Delta::Ended,
    ];
    assert_eq!(deltas, expected.iter().map(delta).collect::<Vec<_>>());
    let (last, before) = seen.split_last().unwrap();
    assert_eq!(*last, Seen::Last);
    assert!(before.iter().all(|seen| *seen == Seen::Data));
}

#[test]
fn the_end_needs_both_the_reason_and_the_counts() {
    let stop = event("messageStop", r#"{"stopReason":"end_turn"}"#);
    let counts = event("metadata", r#"{"usage":{"inputTokens":1}}"#);
    for order in [[&stop, &counts], [&counts, &stop]] {
        let (deltas, seen) = read(&order.map(Vec::as_slice).concat());
        assert_eq!(seen, [Seen::Data, Seen::Last]);
        assert_eq!(deltas.last().map(String::as_str), Some("Ended"));
    }
    let twice = [stop.as_slice(), &counts, &counts].concat();
    let (deltas, _) = read(&twice);
    assert_eq!(deltas.iter().filter(|d| *d == "Ended").count(), 1);
    assert_eq!(read(&stop).1, [Seen::Data]);
}

#[test]
fn an_exception_has_the_class_of_its_status_wherever_it_comes() {
    for (name, class, status) in [
        ("throttlingException", Class::RateLimited, Some(429)),
        ("serviceUnavailableException", Class::Overloaded, Some(503)),
        ("internalServerException", Class::ServerError, Some(500)),
        ("modelStreamErrorException", Class::ServerError, Some(424)),
        ("modelTimeoutException", Class::ServerError, Some(408)),
        ("validationException", Class::InvalidRequest, Some(400)),
        ("somethingElseException", Class::StreamError, None),
    ] {
        let failure = exception(name, r#"{"message":"Too bad"}"#);
        let text = event(
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"text":"a"}}"#,
        );
        for (stream, at) in [(failure.clone(), 0), ([text, failure].concat(), 1)] {
            let (_, seen) = read(&stream);
            let Seen::Error(verdict) = &seen[at] else {
                panic!("{name} is no error")
            };
            assert_eq!((verdict.class, verdict.status), (class, status), "{name}");
            assert_eq!(verdict.message.as_deref(), Some("Too bad"));
            assert_eq!(verdict.upstream_type.as_deref(), Some(name));
        }
    }
    let long = r#"{"message":"Input is too long for requested model."}"#;
    let (_, seen) = read(&exception("validationException", long));
    assert!(matches!(&seen[0], Seen::Error(v) if v.class == Class::ContextLengthExceeded));
}

#[test]
fn an_error_outside_the_model_is_read_from_its_headers() {
    let headers = [
        text(":message-type", "error"),
        text(":error-code", "InternalFailure"),
        text(":error-message", "it broke"),
    ];
    let (_, seen) = read(&message(&headers.concat(), b""));
    let Seen::Error(verdict) = &seen[0] else {
        panic!("no error")
    };
    assert_eq!(verdict.class, Class::ServerError);
    assert_eq!(verdict.message.as_deref(), Some("it broke"));
}

#[test]
fn a_harmed_message_is_malformed() {
    let mut bytes = event("contentBlockDelta", r#"{"delta":{"text":"a"}}"#);
    let at = bytes.len() - 10;
    bytes[at] ^= 1;
    let (deltas, seen) = read(&bytes);
    assert!(deltas.is_empty());
    assert!(matches!(&seen[0], Seen::Error(v) if v.class == Class::Malformed));
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    for payload in [
        "",
        "{",
        "[]",
        "\"x\"",
        "{\"delta\":{\"toolUse\":{\"input\":\"x\"}}}",
    ] {
        let (deltas, seen) = read(&event("contentBlockDelta", payload));
        assert_eq!((deltas.len(), &seen[0]), (0, &Seen::Unparsed), "{payload}");
    }
    let cut = event("messageStart", "{}");
    assert_eq!(read(&cut[..20]).1, [Seen::Unparsed]);
}

#[test]
fn tools_that_the_service_runs_are_not_the_callers_to_run() {
    let start = |start: &str| {
        let payload = format!(r#"{{"contentBlockIndex":1,"start":{start}}}"#);
        event("contentBlockStart", &payload)
    };
    let bytes = [
        start(r#"{"toolUse":{"toolUseId":"a","name":"b","type":"server_tool_use"}}"#),
        event(
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{}"}}}"#,
        ),
        start(r#"{"toolResult":{"toolUseId":"a"}}"#),
    ];
    let (deltas, _) = read(&bytes.concat());
    let lost = ["server_tool_use", "tool_result"].map(|kind| delta(&Delta::Lost(kind)));
    assert_eq!(deltas, lost);
}

#[test]
fn reasons_to_stop_are_those_of_every_dialect() {
    let judged = |reason: &str| {
        let stop = format!(
            r#"{{"stopReason":"{reason}","additionalModelResponseFields":{{"delta":{{"stop_sequence":"END"}}}}}}"#
        );
        let bytes = [event("messageStop", &stop), event("metadata", "{}")].concat();
        let mut judge = Derived::new((UPSTREAM.stream)(1));
        let all: Vec<_> = frames(Framing::EventStream, &[&bytes])
            .iter()
            .map(|f| judge.judge(f))
            .collect();
        (all[0].finish.clone(), all[1].ends, all[0].kind.clone())
    };
    for (reason, finish, end) in [
        ("end_turn", Finish::Stop, End::Stop),
        ("stop_sequence", Finish::Stop, End::Stop),
        ("tool_use", Finish::ToolCalls, End::Other),
        ("max_tokens", Finish::Length, End::Other),
        ("model_context_window_exceeded", Finish::Length, End::Other),
        ("guardrail_intervened", Finish::ContentFilter, End::Other),
        ("content_filtered", Finish::ContentFilter, End::Other),
        ("new_reason", Finish::Other("new_reason".into()), End::Other),
    ] {
        assert_eq!(judged(reason).0, Some(finish), "{reason}");
        assert_eq!(judged(reason).1, Some(end), "{reason}");
    }
    let (deltas, _) = read(&event(
        "messageStop",
        r#"{"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"END"}}"#,
    ));
    assert!(
        deltas[0].contains(r#"stop_sequence: Some("END")"#),
        "{deltas:?}"
    );
    for reason in ["malformed_model_output", "malformed_tool_use"] {
        assert!(matches!(judged(reason).2, Kind::Error(v) if v.class == Class::ServerError));
    }
}

proptest! {
    #[test]
    fn the_same_steps_however_the_bytes_are_cut(cuts in prop::collection::vec(0_usize..4000, 0..12)) {
        let bytes = fixture(TOOLS);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        let cut = told(&mut *(UPSTREAM.stream)(1), &frames(Framing::EventStream, &pieces));
        prop_assert_eq!(cut, read(&bytes));
    }

    #[test]
    fn no_payload_panics(
        name in "(messageStart|contentBlockStart|contentBlockDelta|contentBlockStop|messageStop|metadata|chunk)",
        payload in "[\\[{}\\]\":,0-9a-z]{0,60}",
        member in "(delta|start|usage|stopReason|bytes)",
        inner in "(text|toolUse|reasoningContent|citation|inputTokens)",
        value in "[\\[{}\\]\":,0-9a-z]{0,20}",
    ) {
        let nested = format!(r#"{{"contentBlockIndex":0,"{member}":{{"{inner}":{value}}}}}"#);
        for payload in [payload, nested] {
            let bytes = [event(&name, &payload), exception(&name, &payload)].concat();
            read(&bytes);
            told(&mut *(INVOKE.stream)(1), &frames(Framing::Chunks, &[&bytes]));
            let _ = (UPSTREAM.answer)(payload.as_bytes());
        }
    }
}

#[test]
fn a_call_that_stands_nowhere_takes_no_number() {
    let start = |place: &str| {
        format!(
            r#"contentBlockStart {{{place}"start":{{"toolUse":{{"toolUseId":"t","name":"f"}}}}}}"#
        )
    };
    let both = [start(""), start(r#""contentBlockIndex":4,"#)].join("\n");
    let (deltas, seen) = read(&fixture(&both));
    assert_eq!(seen, [Seen::Unparsed, Seen::Data]);
    let first = Delta::ToolCall {
        choice: 0,
        index: 0,
        id: "t".into(),
        name: "f".into(),
    };
    assert_eq!(deltas, [delta(&first)]);
}
