//! Whole answers, read and written.

use serde_json::{Value, json};

use super::{
    super::{UPSTREAM, judge_answer, judge_count},
    reply,
};
use crate::{
    Class, Usage,
    dialect::{End, Finish},
    middle::{Answer, Choice, Json, Part, ToolCall},
};

const WHOLE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"Esig"},{"type":"redacted_thinking","data":"Ered"},{"type":"text","text":"so","citations":[{"type":"page_location","cited_text":"x"}]},{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"tool_use","id":"t","name":"f","input":{"b":1.5}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":7,"output_tokens_details":{"thinking_tokens":4},"service_tier":"standard"}}"#;

fn read(body: &str) -> Answer {
    (UPSTREAM.answer)(body.as_bytes()).unwrap()
}

#[test]
fn an_answer_comes_back_as_it_was() {
    let answer = read(WHOLE);
    let (written, lost) = reply(&answer);
    assert_eq!(written, serde_json::from_str::<Value>(WHOLE).unwrap());
    assert_eq!(lost, [""; 0]);
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input, usage.output), (Some(325), Some(7)));
    assert_eq!(answer.service_tier.as_deref(), Some("default"));
    let summary = judge_answer(WHOLE.as_bytes()).unwrap();
    assert_eq!(summary.finish, Some(Finish::ToolCalls));
    assert_eq!(summary.id.as_deref(), Some("msg_1"));
    assert!(summary.has_content && !summary.is_empty());
}

#[test]
fn reasons_to_stop_are_translated_both_ways() {
    for (word, finish, back) in [
        ("end_turn", Finish::Stop, "end_turn"),
        ("max_tokens", Finish::Length, "max_tokens"),
        ("tool_use", Finish::ToolCalls, "end_turn"),
        ("refusal", Finish::ContentFilter, "refusal"),
        (
            "pause_turn",
            Finish::Other("pause_turn".into()),
            "pause_turn",
        ),
        (
            "model_context_window_exceeded",
            Finish::Length,
            "max_tokens",
        ),
        (
            "reason_of_tomorrow",
            Finish::Other("reason_of_tomorrow".into()),
            "end_turn",
        ),
    ] {
        let body = format!(r#"{{"type":"message","content":[],"stop_reason":"{word}"}}"#);
        let answer = read(&body);
        assert_eq!(answer.choices[0].finish, Some(finish), "{word}");
        assert_eq!(reply(&answer).0["stop_reason"], back, "{word}");
    }
    for (word, expected) in [
        ("MAX_TOKENS", "max_tokens"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("eos", "end_turn"),
    ] {
        let answer = Answer {
            choices: vec![Choice {
                finish: Finish::of(word),
                ..Choice::default()
            }],
            ..Answer::default()
        };
        assert_eq!(reply(&answer).0["stop_reason"], expected, "{word}");
    }
    let stopped = read(r#"{"content":[],"stop_reason":"stop_sequence","stop_sequence":"END"}"#);
    assert_eq!(stopped.choices[0].finish, Some(Finish::Stop));
    let (written, _) = reply(&stopped);
    assert_eq!(written["stop_reason"], "stop_sequence");
    assert_eq!(written["stop_sequence"], "END");
}

#[test]
fn nothing_ends_in_calls_without_a_call() {
    let call = || crate::middle::sample::call("t", "f", "{}");
    for word in ["tool_calls", "function_call", "tool_use", "TOOL_CALL"] {
        for (parts, expected) in [(vec![call()], "tool_use"), (Vec::new(), "end_turn")] {
            let answer = Answer {
                choices: vec![Choice {
                    finish: Finish::of(word),
                    parts,
                    ..Choice::default()
                }],
                ..Answer::default()
            };
            assert_eq!(reply(&answer).0["stop_reason"], expected, "{word}");
        }
    }
}

#[test]
fn an_answer_of_another_family_has_everything_the_sdks_need() {
    let call = |input: &str| {
        Part::ToolCall(ToolCall {
            id: "c".into(),
            name: "f".into(),
            input: input.into(),
            signature: Some("gemini".into()),
        })
    };
    let choice = Choice {
        parts: vec![
            Part::text(""),
            Part::Reasoning {
                text: "thought".into(),
                signature: None,
                opaque: Some("gAAAA".into()),
                id: Some("rs_1".into()),
            },
            Part::Text {
                text: "so".into(),
                citations: Json::parse(r#"[{"type":"url_citation"}]"#),
                cache: None,
            },
            call(""),
            call(r#"{"cut"#),
            call("[1]"),
            Part::Audio {
                data: "x".into(),
                format: "wav".into(),
            },
            Part::Other {
                kind: "web_search_call".into(),
                value: Json::of(&1),
            },
        ],
        finish: Some(Finish::Stop),
        logprobs: Some(Json::of(&1)),
        ..Choice::default()
    };
    let answer = Answer {
        created: Some(1),
        choices: vec![choice.clone(), choice],
        usage: Some(Usage {
            input: Some(10),
            cached_input: Some(8),
            ..Usage::default()
        }),
        service_tier: Some("flex".into()),
        ..Answer::default()
    };
    let (written, lost) = reply(&answer);
    let tool = |input: Value| json!({"type": "tool_use", "id": "c", "name": "f", "input": input});
    assert_eq!(
        written,
        json!({
            "id": "msg_abc",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [
                {"type": "thinking", "thinking": "thought", "signature": ""},
                {"type": "redacted_thinking", "data": "gAAAA"},
                {"type": "text", "text": "so"},
                tool(json!({})),
                tool(json!("{\"cut")),
                tool(json!([1])),
            ],
            "stop_reason": "tool_use",
            "stop_sequence": null,
            "usage": {"input_tokens": 2, "cache_read_input_tokens": 8, "output_tokens": 0},
        })
    );
    assert_eq!(
        lost,
        [
            "choices",
            "citations",
            "input_audio",
            "web_search_call",
            "logprobs",
            "tool_calls[].signature",
        ]
    );
    let refused = Answer {
        choices: vec![Choice {
            parts: vec![Part::Refusal { text: "no".into() }],
            finish: Some(Finish::Stop),
            ..Choice::default()
        }],
        ..Answer::default()
    };
    let (written, _) = reply(&refused);
    assert_eq!(written["stop_reason"], "refusal");
    assert_eq!(written["content"], json!([{"type": "text", "text": "no"}]));
    let (empty, _) = reply(&Answer::default());
    assert_eq!(empty["stop_reason"], "end_turn");
}

#[test]
fn what_is_no_answer_is_an_error_and_an_error_is_what_it_says() {
    for (body, class) in [
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Class::Overloaded,
        ),
        (
            r#"{"error":{"type":"rate_limit_error","message":"slow"}}"#,
            Class::RateLimited,
        ),
        (r#"{"choices":[]}"#, Class::Malformed),
        (r#"{"content":"text"}"#, Class::Malformed),
        ("[]", Class::Malformed),
        ("", Class::Malformed),
        ("<html>", Class::Malformed),
    ] {
        assert_eq!(
            judge_answer(body.as_bytes()).unwrap_err().class,
            class,
            "{body}"
        );
    }
    let odd = r#"{"type":"message","content":[1,null,{"type":"text"},{"text":"x"},{"type":"tool_use","input":null}],"usage":[],"stop_reason":3,"error":null}"#;
    let answer = read(odd);
    assert_eq!(answer.choices[0].parts.len(), 3);
    assert_eq!(
        read(r#"{"type":"message","content":null}"#).choices[0].parts,
        []
    );
    let refused = r#"{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal"},"container":{"id":"c"}}"#;
    assert_eq!(read(refused).lost.content, ["stop_details", "container"]);
    let summary = judge_answer(refused.as_bytes()).unwrap();
    assert_eq!((summary.has_content, summary.end), (false, End::Other));
}

#[test]
fn a_count_is_content_and_used_nothing() {
    let summary = judge_count(br#"{"input_tokens":17}"#).unwrap();
    assert_eq!(summary.usage, None);
    assert!(summary.has_content && summary.end == End::Stop);
    let error = br#"{"type":"error","error":{"type":"not_found_error","message":"m"}}"#;
    assert_eq!(judge_count(error).unwrap_err().class, Class::NotFound);
    for body in ["{}", "[]", "7", r#"{"input_tokens":"x"}"#] {
        let class = judge_count(body.as_bytes()).unwrap_err().class;
        assert_eq!(class, Class::Malformed, "{body}");
    }
}
