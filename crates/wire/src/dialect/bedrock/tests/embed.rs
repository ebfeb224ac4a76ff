//! Embeddings by InvokeModel.

use bytes::Bytes;

use super::super::{cohere_answer, cohere_request, titan_answer, titan_request};
use crate::{
    Class, Verdict,
    dialect::AnswerSummary,
    middle::{Asked, Lost},
};

const V2: &str = "amazon.titan-embed-text-v2:0";

fn written(
    request: fn(&[u8], &str, &mut Lost) -> Result<Bytes, crate::BadBody>,
    model: &str,
    body: &str,
) -> (String, Lost) {
    let mut lost = Lost::default();
    let bytes = request(body.as_bytes(), model, &mut lost).unwrap();
    (String::from_utf8(bytes.to_vec()).unwrap(), lost)
}

#[test]
fn titan_is_asked_for_one_text() {
    let body = r#"{"model":"r","input":["b\u00e4"],"dimensions":256,"normalize":false,"encoding_format":"base64","user":"u"}"#;
    let (text, lost) = written(titan_request, V2, body);
    assert_eq!(
        text,
        r#"{"inputText":"bä","dimensions":256,"normalize":false}"#
    );
    assert_eq!(lost.names().collect::<Vec<_>>(), ["user"]);
    assert_eq!(lost.refusal, None);
    // version 1 has nothing to set
    let (text, lost) = written(titan_request, "amazon.titan-embed-text-v1", body);
    assert_eq!(text, r#"{"inputText":"bä"}"#);
    assert_eq!(
        lost.names().collect::<Vec<_>>(),
        ["user", "dimensions", "normalize"]
    );
}

#[test]
fn cohere_is_asked_for_all_texts_and_told_what_they_are() {
    let body = r#"{"input":["a","b"],"dimensions":512}"#;
    let (text, lost) = written(cohere_request, "us.cohere.embed-v4:0", body);
    assert_eq!(
        text,
        r#"{"texts":["a","b"],"input_type":"search_document","output_dimension":512}"#
    );
    assert!(lost.is_empty());
    let body = r#"{"input":"a","dimensions":512,"input_type":"search_query","truncate":"END"}"#;
    let (text, lost) = written(cohere_request, "cohere.embed-multilingual-v3", body);
    assert_eq!(
        text,
        r#"{"texts":["a"],"input_type":"search_query","truncate":"END"}"#
    );
    assert_eq!(lost.names().collect::<Vec<_>>(), ["dimensions"]);
}

#[test]
fn more_texts_than_a_call_takes_are_refused_with_their_number() {
    let (_, lost) = written(titan_request, V2, r#"{"input":["secret","b","c"]}"#);
    let why = lost.refusal.unwrap();
    assert!(why.contains("input holds 3 texts"), "{why}");
    assert!(
        why.contains("in 3 calls") && !why.contains("secret"),
        "{why}"
    );
    for (count, refused) in [(96, None), (97, Some("in 2 calls"))] {
        let body = serde_json::json!({ "input": vec!["a"; count] }).to_string();
        let (_, lost) = written(cohere_request, "cohere.embed-english-v3", &body);
        let said = refused.zip(lost.refusal.as_deref());
        assert_eq!(lost.refusal.is_some(), refused.is_some());
        assert!(said.is_none_or(|(wanted, why)| why.contains(wanted)));
    }
}

fn asked(base64: bool) -> Asked {
    Asked {
        model: "route".into(),
        base64,
        ..Asked::default()
    }
}

#[test]
fn vectors_keep_their_spelling_or_become_base64() {
    let titan = br#"{"embedding":[1, -5e-1, 0.1],"embeddingsByType":{"float":[1, -5e-1, 0.1]},"inputTextTokenCount":4}"#;
    let (bytes, summary) = titan_answer(titan, &asked(false)).unwrap();
    assert_eq!(
        bytes,
        r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1, -5e-1, 0.1]}],"model":"route","usage":{"prompt_tokens":4,"total_tokens":4}}"#
    );
    assert_eq!(summary.usage.unwrap().input, Some(4));
    let by_place = br#"{"embeddings":[[1, -5e-1, 0.1],[2]],"id":"i","response_type":"embeddings_floats","texts":["a","b"]}"#;
    let by_type =
        br#"{"embeddings":{"float":[[1, -5e-1, 0.1],[2]]},"response_type":"embeddings_by_type"}"#;
    for body in [&by_place[..], by_type] {
        let (bytes, _) = cohere_answer(body, &asked(true)).unwrap();
        let text = std::str::from_utf8(&bytes).unwrap();
        assert!(
            text.contains(r#""index":0,"embedding":"AACAPwAAAL/NzMw9""#),
            "{text}"
        );
        assert!(text.contains(r#""index":1"#), "{text}");
    }
}

#[test]
fn tokens_are_those_of_the_body_or_of_the_head() {
    let titan = br#"{"embedding":[1],"inputTextTokenCount":4}"#;
    let silent = br#"{"embedding":[1]}"#;
    let cohere = br#"{"embeddings":[[1]]}"#;
    let input = |answer: Result<(Bytes, AnswerSummary), Verdict>| {
        let (bytes, summary) = answer.unwrap();
        let told = std::str::from_utf8(&bytes)
            .unwrap()
            .split("prompt_tokens\":")
            .nth(1);
        let told = told.unwrap().split(',').next().unwrap().parse().unwrap();
        (summary.usage.and_then(|usage| usage.input), told)
    };
    for (counted, of_titan, of_others) in [(Some(9), 4, (Some(9), 9)), (None, 4, (None, 0))] {
        let asked = Asked {
            counted,
            ..asked(false)
        };
        assert_eq!(
            input(titan_answer(titan, &asked)),
            (Some(of_titan), of_titan)
        );
        assert_eq!(input(titan_answer(silent, &asked)), of_others);
        assert_eq!(input(cohere_answer(cohere, &asked)), of_others);
    }
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    for answer in [titan_answer, cohere_answer] {
        let class = |body: &str| answer(body.as_bytes(), &asked(false)).unwrap_err().class;
        for body in [
            "",
            "[]",
            "{}",
            r#"{"embedding":["a"]}"#,
            r#"{"embeddings":{}}"#,
        ] {
            assert_eq!(class(body), Class::Malformed, "{body}");
        }
        assert_eq!(
            class(r#"{"__type":"ThrottlingException","message":"slow down"}"#),
            Class::RateLimited
        );
    }
}
