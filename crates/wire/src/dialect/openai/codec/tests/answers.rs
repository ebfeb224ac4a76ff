use super::*;
use crate::{
    Class, Usage,
    middle::{Choice, ToolCall, summary},
};

fn read(body: &str) -> Answer {
    (UPSTREAM.answer)(body.as_bytes()).unwrap()
}

fn parts(message: Value) -> Vec<Part> {
    let body = json!({ "choices": [{ "index": 0, "message": message }] });
    read(&body.to_string()).choices.remove(0).parts
}

fn write(answer: &Answer) -> (String, Vec<String>) {
    let mut lost = Lost::default();
    let body = (SURFACE.answer)(answer, &asked(), &mut lost);
    let names = lost.names().map(str::to_owned).collect();
    (String::from_utf8(body.to_vec()).unwrap(), names)
}

fn thought(text: &str, signature: Option<&str>, opaque: Option<&str>) -> Part {
    Part::Reasoning {
        text: text.into(),
        signature: signature.map(Into::into),
        opaque: opaque.map(Into::into),
        id: None,
    }
}

fn call(id: &str, input: &str, signature: Option<&str>) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: "f".into(),
        input: input.into(),
        signature: signature.map(Into::into),
    })
}

#[test]
fn every_form_of_a_message_is_read() {
    for (message, expected) in [
        (json!({ "content": null }), vec![]),
        (json!({ "content": "" }), vec![]),
        (
            json!({ "content": "a", "refusal": null }),
            vec![Part::text("a")],
        ),
        (
            json!({ "refusal": "no" }),
            vec![Part::Refusal { text: "no".into() }],
        ),
        (
            json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }, { "type": "text", "text": "so" }] }),
            vec![thought("hm", None, None), Part::text("so")],
        ),
        (
            json!({ "content": "so", "reasoning": "hm", "reasoning_details": [
                { "type": "reasoning.text", "text": "hm", "signature": "s" }, { "type": "reasoning.encrypted", "data": "xx" }] }),
            vec![
                thought("hm", Some("s"), None),
                thought("", None, Some("xx")),
                Part::text("so"),
            ],
        ),
        (
            json!({ "content": null, "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"x\"" } },
                { "function": { "name": "f", "arguments": { "x": 1 } }, "extra_content": { "google": { "thought_signature": "s" } } },
                { "id": "c", "function": { "name": "f" } },
            ] }),
            vec![
                call("a", "{\"x\"", None),
                call("call_1", "{\"x\":1}", Some("s")),
                call("c", "", None),
            ],
        ),
        (
            json!({ "function_call": { "name": "f", "arguments": "{}" } }),
            vec![call("call_0", "{}", None)],
        ),
    ] {
        assert_eq!(parts(message.clone()), expected, "{message}");
    }
    let cited = parts(json!({ "content": "a", "annotations": [{ "type": "url_citation" }] }));
    let Part::Text { citations, .. } = &cited[0] else {
        panic!()
    };
    assert_eq!(
        citations.as_ref().unwrap().as_str(),
        r#"[{"type":"url_citation"}]"#
    );
}

#[test]
fn what_stands_beside_the_message_is_read() {
    let answer = read(
        r#"{"id":"i","model":"m","created":7,"service_tier":"default","citations":["https://a"],"choices":[
            {"index":1,"message":{"content":"b"},"finish_reason":"length","logprobs":{"content":[1.50]}},
            {"index":0,"text":"a","finish_reason":"eos","stop_reason":"END"}],
            "x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":4}}}}"#,
    );
    assert_eq!(
        (
            answer.id.as_deref(),
            answer.model.as_deref(),
            answer.created
        ),
        (Some("i"), Some("m"), Some(7))
    );
    assert_eq!(answer.service_tier.as_deref(), Some("default"));
    let usage = Usage {
        input: Some(9),
        output: Some(2),
        cached_input: Some(3),
        cache_write: Some(4),
        ..Usage::default()
    };
    assert_eq!(answer.usage, Some(usage));
    let [first, second] = answer.choices.as_slice() else {
        panic!()
    };
    assert_eq!(
        (first.index, first.finish.as_ref()),
        (1, Some(&Finish::Length))
    );
    assert_eq!(
        first.logprobs.as_ref().unwrap().as_str(),
        r#"{"content":[1.50]}"#
    );
    assert!(matches!(
        &first.parts[0],
        Part::Text {
            citations: Some(_),
            ..
        }
    ));
    assert_eq!(
        (second.parts.as_slice(), second.stop_sequence.as_deref()),
        ([Part::text("a")].as_slice(), Some("END"))
    );
    assert_eq!(summary(&answer).finish, Finish::of("eos"));
}

#[test]
fn a_200_that_is_no_answer_is_malformed_or_the_error_it_holds() {
    for (body, class) in [
        ("", Class::Malformed),
        ("<html>secret</html>", Class::Malformed),
        ("[]", Class::Malformed),
        (r#"{"choices":[]}"#, Class::Malformed),
        (r#"{"choices":["secret"]}"#, Class::Malformed),
        (
            r#"{"error":{"message":"x","code":429},"user_id":"u"}"#,
            Class::RateLimited,
        ),
        (
            r#"{"object":"error","message":"x","code":503}"#,
            Class::Overloaded,
        ),
        (
            r#"{"choices":[{"message":{"content":"a"},"finish_reason":"error"}]}"#,
            Class::ServerError,
        ),
    ] {
        let verdict: Verdict = (UPSTREAM.answer)(body.as_bytes()).unwrap_err();
        assert_eq!(verdict.class, class, "{body}");
        assert!(!format!("{verdict:?}").contains("secret"));
    }
}

#[test]
fn an_answer_is_written_as_openai_writes_it() {
    let answer = Answer {
        id: Some("msg_1".into()),
        choices: vec![Choice {
            parts: vec![
                thought("hm", Some("s"), None),
                thought("", None, Some("xx")),
                Part::Text {
                    text: "so ".into(),
                    citations: Json::parse(
                        r#"[{"type":"web_search_result_location","url":"u","title":"t"},{"type":"char_location"}]"#,
                    ),
                    cache: None,
                },
                Part::text("far"),
                call("c", "{}", Some("g")),
            ],
            finish: Finish::of("tool_use"),
            stop_sequence: Some("END".into()),
            ..Choice::default()
        }],
        usage: Some(Usage {
            input: Some(9),
            output: Some(2),
            cached_input: Some(3),
            reasoning: Some(1),
            ..Usage::default()
        }),
        ..Answer::default()
    };
    let (body, lost) = write(&answer);
    let expected = concat!(
        r#"{"id":"msg_1","object":"chat.completion","created":1700000000,"model":"route","choices":[{"index":0,"#,
        r#""message":{"role":"assistant","content":"so far","refusal":null,"reasoning_content":"hm","#,
        r#""reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0},{"type":"reasoning.encrypted","data":"xx","index":1}],"#,
        r#""tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"g"}}}],"#,
        r#""annotations":[{"type":"url_citation","url_citation":{"url":"u","title":"t","start_index":0,"end_index":3}}]},"#,
        r#""logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"#,
        r#""prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}}}"#
    );
    assert_eq!(body, expected);
    assert_eq!(lost, ["citations", "stop_sequence"]);
    // what was written comes back as the same state
    let message: Value = serde_json::from_str(&body).unwrap();
    let mut message = message["choices"][0]["message"].clone();
    message["content"] = "so far".into();
    let back = question(&json!({ "model": "m", "messages": [message] }));
    let sent = [
        thought("hm", Some("s"), None),
        thought("", None, Some("xx")),
        Part::text("so far"),
        call("c", "{}", Some("g")),
    ];
    assert_eq!(back.messages[0].parts, sent);
}

#[test]
fn content_is_null_only_beside_calls_or_a_refusal() {
    let content = |parts: Vec<Part>| {
        let answer = Answer {
            choices: vec![Choice {
                parts,
                ..Choice::default()
            }],
            ..Answer::default()
        };
        let (body, _) = write(&answer);
        let body: Value = serde_json::from_str(&body).unwrap();
        let choice = &body["choices"][0];
        assert_eq!(body["id"], "chatcmpl-made");
        (
            choice["message"]["content"].clone(),
            choice["finish_reason"].clone(),
        )
    };
    assert_eq!(content(vec![]), (json!(""), json!("stop")));
    assert_eq!(
        content(vec![call("c", "", None)]),
        (Value::Null, json!("tool_calls"))
    );
    assert_eq!(
        content(vec![Part::Refusal { text: "no".into() }]),
        (Value::Null, json!("stop"))
    );
}

#[test]
fn media_are_written_where_callers_look_and_the_rest_is_named() {
    let source = |url: &str| Source::of_url(url);
    let parts = vec![
        Part::Image {
            source: source("data:image/png;base64,AA=="),
            detail: None,
            cache: None,
        },
        Part::Image {
            source: Source::Id("x".into()),
            detail: None,
            cache: None,
        },
        Part::Audio {
            data: "UklG".into(),
            format: "wav".into(),
        },
        Part::File {
            source: source("https://f"),
            name: None,
            cache: None,
        },
        Part::Other {
            kind: "web_search_call".into(),
            value: Json::parse("{}").unwrap(),
        },
    ];
    let answer = Answer {
        choices: vec![Choice {
            parts,
            ..Choice::default()
        }],
        ..Answer::default()
    };
    let (body, lost) = write(&answer);
    let expected = r#""audio":{"data":"UklG","format":"wav"},"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="},"index":0}]}"#;
    assert!(body.contains(expected), "{body}");
    assert_eq!(lost, ["image_url", "file", "web_search_call"]);
}

#[test]
fn what_is_written_reads_as_what_was_meant() {
    let answer = Answer {
        id: Some("i".into()),
        model: Some("m".into()),
        created: Some(7),
        choices: vec![
            Choice {
                index: 0,
                parts: vec![
                    thought("hm", Some("s"), None),
                    Part::text("a"),
                    call("c", "{", Some("g")),
                ],
                finish: Some(Finish::ToolCalls),
                logprobs: Json::parse(r#"{"content":[1.50]}"#),
                stop_sequence: None,
            },
            Choice {
                index: 1,
                parts: vec![Part::Refusal { text: "no".into() }],
                finish: Some(Finish::ContentFilter),
                ..Choice::default()
            },
        ],
        usage: Some(Usage {
            input: Some(9),
            output: Some(2),
            total: Some(11),
            cached_input: Some(3),
            cache_write: Some(2),
            reasoning: Some(1),
        }),
        service_tier: Some("default".into()),
        ..Answer::default()
    };
    assert_eq!(read(&write(&answer).0), answer);
}

#[test]
fn choices_of_one_number_are_told_apart() {
    let numbers = |choices: Value| -> Vec<u32> {
        let answer = read(&json!({ "choices": choices }).to_string());
        answer.choices.iter().map(|choice| choice.index).collect()
    };
    let message = json!({ "content": "a" });
    let of = |index: u32| json!({ "index": index, "message": message });
    let none = json!({ "message": message });
    assert_eq!(numbers(json!([none, none])), [0, 1]);
    assert_eq!(numbers(json!([of(1), of(1), of(0)])), [0, 1, 2]);
    assert_eq!(numbers(json!([of(2), of(1)])), [2, 1]);
}

#[test]
fn calls_of_one_id_in_a_whole_answer_are_two() {
    let one = json!({ "id": "a", "function": { "name": "f", "arguments": "{\"n\":1}" } });
    let none = json!({ "function": { "arguments": "{}" } });
    let calls = parts(json!({ "tool_calls": [one, one, none] }));
    let inputs: Vec<_> = calls
        .iter()
        .map(|part| match part {
            Part::ToolCall(call) => (call.name.as_str(), call.input.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(inputs, [("f", "{\"n\":1}"), ("f", "{\"n\":1}"), ("", "{}")]);
}

#[test]
fn what_a_block_cites_is_told_with_the_blocks_place() {
    let block = |text: &str, citations: Option<&str>| Part::Text {
        text: text.into(),
        citations: citations.and_then(Json::parse),
        cache: None,
    };
    let cited = r#"[{"type":"web_search_result_location","url":"u","title":"t"}]"#;
    let answer = Answer {
        choices: vec![crate::middle::Choice {
            parts: vec![block("\u{e9}, ", None), block("so", Some(cited))],
            ..Default::default()
        }],
        ..Answer::default()
    };
    let body = (SURFACE.answer)(&answer, &asked(), &mut Lost::default());
    let body: Value = serde_json::from_slice(&body).unwrap();
    let told = &body["choices"][0]["message"]["annotations"][0]["url_citation"];
    assert_eq!(
        (&told["start_index"], &told["end_index"]),
        (&json!(3), &json!(5))
    );
}
