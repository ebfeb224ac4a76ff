use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::{Usage, middle::Start};

fn encode(deltas: &[Delta<'_>], asked: &Asked) -> (String, Vec<String>) {
    let (mut encode, mut out) = ((SURFACE.stream)(asked), BytesMut::new());
    for delta in deltas {
        encode.delta(delta, &mut out);
    }
    encode.close(&mut out);
    let names = encode.lost().names().map(str::to_owned).collect();
    (String::from_utf8(out.to_vec()).unwrap(), names)
}

fn text(choice: u32, text: &str) -> Delta<'_> {
    Delta::Text {
        choice,
        text: text.into(),
        logprobs: None,
    }
}

fn finish(choice: u32, word: &str) -> Delta<'static> {
    Delta::Finish {
        choice,
        finish: Finish::of(word).unwrap(),
        stop_sequence: None,
    }
}

#[test]
fn a_stream_is_written_as_openai_writes_it() {
    let (choice, index) = (0, 0);
    let start = Start {
        id: Some("msg_1".into()),
        model: Some("claude".into()),
        created: None,
    };
    let deltas = [
        Delta::Start(start),
        Delta::Reasoning {
            choice,
            text: "h".into(),
        },
        Delta::Reasoning {
            choice,
            text: "m".into(),
        },
        Delta::Signature {
            choice,
            value: "s".into(),
        },
        Delta::Opaque {
            choice,
            value: "xx".into(),
        },
        Delta::Text {
            choice,
            text: "so".into(),
            logprobs: Some("{\"content\":[1.50]}"),
        },
        Delta::Citation {
            choice,
            reach: None,
            json: r#"{"url":"u"}"#,
        },
        Delta::Citation {
            choice,
            reach: None,
            json: r#"{"type":"char_location"}"#,
        },
        Delta::ToolCall {
            choice,
            index,
            id: "c".into(),
            name: "f".into(),
        },
        Delta::CallSignature {
            choice,
            index,
            value: "g".into(),
        },
        Delta::ToolInput {
            choice,
            index,
            json: "{}".into(),
        },
        Delta::ToolDone { choice, index },
        finish(0, "end_turn"),
        finish(0, "tool_use"),
        Delta::Usage(Usage {
            input: Some(3),
            output: Some(4),
            ..Usage::default()
        }),
        Delta::Ended,
    ];
    let asked = Asked {
        include_usage: true,
        ..asked()
    };
    let (out, lost) = encode(&deltas, &asked);
    let expected = [
        r#""choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"h"},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"reasoning_content":"m"},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"xx","index":1}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"content":"so"},"logprobs":{"content":[1.50]},"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"annotations":[{"index":0,"type":"url_citation","url_citation":{"url":"u","title":"","start_index":0,"end_index":0}}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":""},"extra_content":{"google":{"thought_signature":"g"}}}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#""choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}],"usage":null}"#,
        r#""choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#,
    ];
    let head = r#"data: {"id":"msg_1","object":"chat.completion.chunk","created":1700000000,"model":"claude","#;
    let chunks: String = expected
        .iter()
        .map(|chunk| format!("{head}{chunk}\n\n"))
        .collect();
    assert_eq!(out, chunks + "data: [DONE]\n\n");
    assert_eq!(lost, ["citations"]);
}

#[test]
fn an_answer_without_a_beginning_gets_one_and_usage_is_for_those_who_asked() {
    let usage = Delta::Usage(Usage {
        input: Some(3),
        ..Usage::default()
    });
    let head = r#"data: {"id":"chatcmpl-made","object":"chat.completion.chunk","created":1700000000,"model":"route","choices":[{"index":0,"delta":"#;
    let (out, _) = encode(&[text(0, "a"), usage.clone(), Delta::Ended], &asked());
    let chunks = [
        r#"{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":null}]}"#,
        r#"{},"logprobs":null,"finish_reason":"stop"}]}"#,
    ];
    let expected: String = chunks
        .iter()
        .map(|chunk| format!("{head}{chunk}\n\n"))
        .collect();
    assert_eq!(out, expected + "data: [DONE]\n\n");
    let (out, _) = encode(&[], &asked());
    let only = r#"{"role":"assistant","content":""},"logprobs":null,"finish_reason":"stop"}]}"#;
    assert_eq!(out, format!("{head}{only}\n\ndata: [DONE]\n\n"));
}

#[test]
fn an_id_that_would_multiply_the_answer_is_not_repeated() {
    let start = |length: usize| {
        Delta::Start(Start {
            id: Some("x".repeat(length).into()),
            model: Some("y".repeat(length).into()),
            created: None,
        })
    };
    let (out, _) = encode(&[start(1 << 20), text(0, "a"), Delta::Ended], &asked());
    assert!(out.len() < 1024, "{} bytes", out.len());
    let (out, _) = encode(&[start(1024), text(0, "a"), Delta::Ended], &asked());
    assert!(out.contains(&"x".repeat(1024)) && out.contains(&"y".repeat(1024)));
}

#[test]
fn every_choice_has_its_role_and_its_finish() {
    let (out, _) = encode(
        &[
            text(1, "b"),
            finish(1, "length"),
            text(0, "a"),
            finish(2, "SAFETY"),
        ],
        &asked(),
    );
    let chunks: Vec<Value> = out
        .split("\n\n")
        .filter_map(|event| serde_json::from_str(event.strip_prefix("data: ")?).ok())
        .collect();
    let seen: Vec<_> = chunks
        .iter()
        .map(|chunk| {
            let choice = &chunk["choices"][0];
            assert!(choice["delta"].is_object());
            (
                choice["index"].as_u64().unwrap(),
                choice["delta"]["role"].is_string(),
                choice["finish_reason"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, true, None),
            (0, true, None),
            (0, false, Some("stop")),
            (1, false, Some("length")),
            (2, true, Some("content_filter"))
        ]
    );
}

#[test]
fn pictures_and_sounds_are_written_and_files_are_named() {
    let whole = |part| Delta::Whole { choice: 0, part };
    let image = || {
        whole(Part::Image {
            source: Source::of_url("data:image/png;base64,AA=="),
            detail: None,
            cache: None,
        })
    };
    let file = whole(Part::File {
        source: Source::Id("f".into()),
        name: None,
        cache: None,
    });
    let sound = whole(Part::Audio {
        data: "UklG".into(),
        format: String::new(),
    });
    let (out, lost) = encode(
        &[image(), image(), sound, file, Delta::Lost("thing")],
        &asked(),
    );
    for expected in [
        r#""delta":{"role":"assistant","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="},"index":0}]}"#,
        r#""delta":{"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="},"index":1}]}"#,
        r#""delta":{"audio":{"data":"UklG"}}"#,
    ] {
        assert!(out.contains(expected), "{out}");
    }
    assert_eq!(lost, ["file", "thing"]);
}

fn delta() -> impl Strategy<Value = Delta<'static>> {
    let word = || "[a-z\\\\\" \u{e9}]{1,4}".prop_map(Cow::<'static, str>::Owned);
    let choice = 0..2_u32;
    prop_oneof![
        (choice.clone(), word()).prop_map(|(choice, text)| Delta::Text {
            choice,
            text,
            logprobs: None
        }),
        (choice.clone(), word()).prop_map(|(choice, text)| Delta::Refusal { choice, text }),
        (choice.clone(), word()).prop_map(|(choice, text)| Delta::Reasoning { choice, text }),
        (choice.clone(), word()).prop_map(|(choice, json)| Delta::ToolInput {
            choice,
            index: 0,
            json
        }),
        (choice, word()).prop_map(|(choice, value)| Delta::Opaque { choice, value }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_as_what_was_meant(said in proptest::collection::vec(delta(), 0..8)) {
        let mut deltas: Vec<Delta<'static>> = vec![Delta::Start(Start { id: Some("i".into()), model: Some("m".into()), created: Some(7) })];
        for choice in 0..2 {
            deltas.push(Delta::ToolCall { choice, index: 0, id: format!("c{choice}").into(), name: "f".into() });
        }
        deltas.extend(said);
        deltas.extend([finish(0, "tool_calls"), finish(1, "length")]);
        deltas.push(Delta::Ended);
        deltas.push(Delta::Usage(Usage { input: Some(1), output: Some(2), ..Usage::default() }));
        let asked = Asked { include_usage: true, ..asked() };
        let (out, lost) = encode(&deltas, &asked);
        prop_assert!(lost.is_empty());
        let (read, seen) = steps(2, &out);
        prop_assert_eq!(read, deltas.iter().map(step).collect::<Vec<_>>());
        prop_assert_eq!(seen.last(), Some(&Seen::Last));
    }
}

#[test]
fn a_citation_is_told_with_its_place_in_the_text() {
    let cited = Delta::Citation {
        choice: 0,
        json: r#"{"type":"web_search_result_location","url":"u","title":"t"}"#,
        reach: Some(2),
    };
    let (written, lost) = encode(&[text(0, "\u{e9}, "), text(0, "so"), cited], &asked());
    let place = r#""url":"u","title":"t","start_index":3,"end_index":5}"#;
    assert!(written.contains(place), "{written}");
    assert_eq!(lost, [""; 0]);
}
