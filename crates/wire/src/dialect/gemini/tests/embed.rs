use super::super::{embed_answer, embed_request, embed_single_request};
use crate::{
    Class,
    middle::{Asked, Lost},
};

fn asked(base64: bool) -> Asked {
    Asked {
        model: "route".into(),
        base64,
        ..Asked::default()
    }
}

#[test]
fn a_question_becomes_one_request_for_each_text() {
    let mut lost = Lost::default();
    let body = br#"{"model":"r","input":["a","b\u00e4"],"dimensions":256,"encoding_format":"base64","user":"u"}"#;
    let written = embed_request(body, "gemini-embedding-001", &mut lost).unwrap();
    let expected = concat!(
        r#"{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"a"}]},"outputDimensionality":256},"#,
        r#"{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"bä"}]},"outputDimensionality":256}]}"#
    );
    assert_eq!(written, expected);
    assert_eq!(lost.names().collect::<Vec<_>>(), ["user"]);
}

#[test]
fn on_vertex_one_text_is_put_by_itself_and_several_are_refused() {
    let mut lost = Lost::default();
    let body = br#"{"model":"r","input":["b\u00e4"],"dimensions":256,"task_type":"t"}"#;
    let written = embed_single_request(body, &mut lost).unwrap();
    assert_eq!(
        written,
        r#"{"content":{"parts":[{"text":"bä"}]},"outputDimensionality":256}"#
    );
    assert_eq!(lost.names().collect::<Vec<_>>(), ["task_type"]);
    assert_eq!(lost.refusal, None);
    embed_single_request(br#"{"input":["a","b"]}"#, &mut lost).unwrap();
    let why = lost.refusal.unwrap();
    assert!(
        why.starts_with("input holds 2 texts and this model takes 1 in a call"),
        "{why}"
    );
    let body = br#"{"embedding":{"values":[0.10]},"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3},"truncated":false}"#;
    let (bytes, summary) = embed_answer(body, &asked(false)).unwrap();
    let expected = r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.10]}],"model":"route","usage":{"prompt_tokens":3,"total_tokens":3}}"#;
    assert_eq!(bytes, expected);
    assert_eq!(summary.usage.unwrap().input, Some(3));
}

#[test]
fn what_cannot_be_embedded_is_refused_with_its_place() {
    let refused = |body: &str| {
        let fault = embed_request(body.as_bytes(), "m", &mut Lost::default()).unwrap_err();
        (fault.param, fault.column, fault.message)
    };
    for (body, column, what) in [
        (r#"{"model":"m"}"#, 0, "missing"),
        (r#"{"input":[]}"#, 10, "empty"),
        (r#"{"input":[1,2]}"#, 11, "tokens"),
        (r#"{"input":[[1,2]]}"#, 11, "tokens"),
        (r#"{"input":["a",{"b":1}]}"#, 15, "must be"),
        (r#"{"input":"\ud800"}"#, 10, "surrogate"),
    ] {
        let (param, at, message) = refused(body);
        assert_eq!((param, at), (Some("input"), column), "{body}");
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn vectors_keep_their_spelling_or_become_base64() {
    let body = br#"{"embeddings":[{"values":[1, -5e-1, 0.1]},{"values":[0.123456789012345678]}],"usageMetadata":{"promptTokenCount":4}}"#;
    let (bytes, summary) = embed_answer(body, &asked(false)).unwrap();
    let expected = concat!(
        r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1, -5e-1, 0.1]},"#,
        r#"{"object":"embedding","index":1,"embedding":[0.123456789012345678]}],"model":"route","usage":{"prompt_tokens":4,"total_tokens":4}}"#
    );
    assert_eq!(bytes, expected);
    assert_eq!(
        (summary.usage.unwrap().input, summary.is_empty()),
        (Some(4), false)
    );
    let (bytes, summary) =
        embed_answer(br#"{"embedding":{"values":[1, -5e-1, 0.1]}}"#, &asked(true)).unwrap();
    assert!(
        std::str::from_utf8(&bytes)
            .unwrap()
            .contains(r#""embedding":"AACAPwAAAL/NzMw9""#)
    );
    assert_eq!(summary.usage, None);
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    let class = |body: &str| {
        embed_answer(body.as_bytes(), &asked(false))
            .unwrap_err()
            .class
    };
    for body in [
        "",
        "[]",
        "{}",
        r#"{"embeddings":[]}"#,
        r#"{"embeddings":[{}]}"#,
        r#"{"embeddings":[{"values":["a"]}]}"#,
    ] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    assert_eq!(
        class(r#"{"error":{"code":404,"status":"NOT_FOUND"}}"#),
        Class::NotFound
    );
}
