//! Which block a step stands in, and what has none.

use super::*;

#[test]
fn each_kind_of_content_has_a_block_of_its_own() {
    let opaque = Delta::Opaque {
        choice: 0,
        value: "Ered".into(),
    };
    let (content, stop) = content(&[
        opaque.clone(),
        thought("a"),
        thought("b"),
        signature("s1"),
        thought("c"),
        signature("s2"),
        signature("s3"),
        text("d"),
        thought("e"),
        opaque,
        text("f"),
    ]);
    let thinking = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
    assert_eq!(
        content,
        json!([
            {"type": "redacted_thinking", "data": "Ered"},
            thinking("ab", "s1"),
            thinking("c", "s2"),
            thinking("", "s3"),
            {"type": "text", "text": "d"},
            thinking("e", ""),
            {"type": "redacted_thinking", "data": "Ered"},
            {"type": "text", "text": "f"},
        ])
    );
    assert_eq!(stop, "end_turn");
}

#[test]
fn a_refusal_is_text_and_the_reason_to_stop() {
    let refusal = Delta::Refusal {
        choice: 0,
        text: "no".into(),
    };
    let (content, stop) = content(&[refusal, finish(Finish::Stop)]);
    assert_eq!(content, json!([{"type": "text", "text": "no"}]));
    assert_eq!(stop, "refusal");
}

#[test]
fn a_stop_sequence_is_told() {
    let (out, _) = told(&[
        text("a"),
        Delta::Finish {
            choice: 0,
            finish: Finish::Stop,
            stop_sequence: Some("END".into()),
        },
    ]);
    let message = snapshot(&out);
    assert_eq!(message["stop_reason"], "stop_sequence");
    assert_eq!(message["stop_sequence"], "END");
}

#[test]
fn citations_and_blocks_of_this_api_are_told() {
    let location = r#"{"type":"page_location","cited_text":"x","n":1.50}"#;
    let citation = |json| Delta::Citation {
        choice: 0,
        json,
        reach: None,
    };
    let whole = |kind: &str, value: Value| Delta::Whole {
        choice: 0,
        part: Part::Other {
            kind: kind.into(),
            value: Json::of(&value),
        },
    };
    let searched = json!({"type": "web_search_tool_result", "content": []});
    let (out, lost) = told(&[
        text("a"),
        citation(location),
        citation(r#"{"type":"url_citation"}"#),
        whole("web_search_tool_result", searched.clone()),
        whole("image_generation_call", json!({})),
        citation(location),
    ]);
    assert!(
        String::from_utf8_lossy(&out).contains(location),
        "as it was spelled"
    );
    let message = snapshot(&out);
    let location: Value = serde_json::from_str(location).unwrap();
    assert_eq!(
        message["content"],
        json!([{"type": "text", "text": "a", "citations": [location]}, searched])
    );
    assert_eq!(lost, ["citations", "image_generation_call"]);
}

#[test]
fn what_has_no_place_is_named() {
    let (out, lost) = told(&[
        Delta::Start(Start {
            created: Some(1),
            ..Start::default()
        }),
        Delta::Text {
            choice: 0,
            text: "a".into(),
            logprobs: Some("{}"),
        },
        Delta::Text {
            choice: 1,
            text: "b".into(),
            logprobs: None,
        },
        Delta::CallSignature {
            choice: 0,
            index: 0,
            value: "s".into(),
        },
        Delta::Lost("odd"),
    ]);
    assert_eq!(
        lost,
        ["choices", "odd", "logprobs", "tool_calls[].signature"]
    );
    let message = snapshot(&out);
    assert_eq!(message["content"], json!([{"type": "text", "text": "a"}]));
}
