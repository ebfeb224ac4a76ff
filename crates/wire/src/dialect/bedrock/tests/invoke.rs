//! Anthropic's models by InvokeModel: events out of their chunks, and failures between them.

use base64::{Engine, prelude::BASE64_STANDARD};

use super::*;
use crate::{
    Class, Surface, Via,
    api::Api,
    dialect::{
        End, Kind,
        bedrock::{INVOKE, invoke_judge},
    },
};

const TEXT: &str = include_str!("../../../../tests/fixtures/bedrock/invoke.txt");

/// A stream out of a fixture: each line is an event.
fn chunks(text: &str) -> Vec<u8> {
    let chunk = |json: &str| {
        let bytes = BASE64_STANDARD.encode(json);
        event("chunk", &format!(r#"{{"bytes":"{bytes}","p":"abc"}}"#))
    };
    text.lines().flat_map(chunk).collect()
}

#[test]
fn events_of_the_messages_api_are_unwrapped() {
    let frames = frames(Framing::Chunks, &[&chunks(TEXT)]);
    let (deltas, seen) = told(&mut *(INVOKE.stream)(1), &frames);
    let text = Delta::Text {
        choice: 0,
        text: "Hi\nthere".into(),
        logprobs: None,
    };
    assert!(deltas.contains(&delta(&text)), "{deltas:?}");
    assert!(deltas.contains(&"Ended".to_owned()), "{deltas:?}");
    assert_eq!(seen.last(), Some(&Seen::Last));
}

#[test]
fn a_stream_that_is_relayed_is_judged_like_one_that_is_read() {
    assert!(matches!(
        Via::between(Surface::Messages, Api::InvokeMessages),
        Some(Via::Relay)
    ));
    let mut judge = Api::InvokeMessages.judge(Surface::Messages, 1);
    let all: Vec<_> = frames(Framing::Chunks, &[&chunks(TEXT)])
        .iter()
        .map(|frame| judge.judge(frame))
        .collect();
    assert_eq!(all.iter().filter(|j| j.kind == Kind::Content).count(), 1);
    assert_eq!(all.last().unwrap().ends, Some(End::Stop));
    assert_eq!(judge.tally().usage.output, Some(4));
}

#[test]
fn a_failure_between_the_events_is_what_its_name_says() {
    let mut harmed = chunks(TEXT);
    *harmed.last_mut().unwrap() ^= 1;
    for (bytes, class) in [
        (
            exception("throttlingException", r#"{"message":"slow down"}"#),
            Class::RateLimited,
        ),
        (
            exception("modelStreamErrorException", "{}"),
            Class::ServerError,
        ),
        (harmed, Class::Malformed),
    ] {
        let frames = frames(Framing::Chunks, &[&bytes]);
        let last = frames.last().unwrap();
        let seen = (INVOKE.stream)(1).decode(last, &mut |_| ());
        assert!(matches!(seen, Seen::Error(v) if v.class == class));
        let judged = invoke_judge(1).judge(last);
        assert!(matches!(judged.kind, Kind::Error(v) if v.class == class));
    }
}

#[test]
fn a_message_that_was_cut_is_no_failure_of_its_own() {
    let bytes = chunks(TEXT);
    let frames = frames(Framing::Chunks, &[&bytes[..bytes.len() - 9]]);
    let last = frames.last().unwrap();
    assert!(!last.is_complete() && last.data().is_none());
    assert_eq!((INVOKE.stream)(1).decode(last, &mut |_| ()), Seen::Data);
}

#[test]
fn a_whole_answer_is_a_message_or_an_exception() {
    let message = br#"{"id":"msg_bdrk_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}"#;
    let answer = (INVOKE.answer)(message).unwrap();
    assert_eq!(answer.choices[0].parts.len(), 2);
    let exception = br#"{"__type":"com.amazon#ThrottlingException","message":"slow down"}"#;
    assert_eq!(
        (INVOKE.answer)(exception).unwrap_err().class,
        Class::RateLimited
    );
}
