use std::time::Duration;

use super::super::{embed_answer, embed_request};
use crate::{
    Class,
    middle::{Asked, Lost},
};

#[test]
fn a_question_keeps_its_texts_and_an_answer_its_numbers() {
    let mut lost = Lost::default();
    let body = br#"{"model":"r","input":"a","dimensions":64,"user":"u"}"#;
    let written = embed_request(body, "nomic-embed-text", &mut lost).unwrap();
    assert_eq!(
        written,
        r#"{"model":"nomic-embed-text","input":["a"],"dimensions":64}"#
    );
    assert_eq!(lost.names().collect::<Vec<_>>(), ["user"]);

    let body = br#"{"model":"nomic-embed-text","embeddings":[[0.010000001,-2e-3]],"total_duration":14143917,"prompt_eval_count":8}"#;
    let (bytes, summary) = embed_answer(body, &Asked::default()).unwrap();
    let expected = concat!(
        r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.010000001,-2e-3]}],"#,
        r#""model":"nomic-embed-text","usage":{"prompt_tokens":8,"total_tokens":8}}"#
    );
    assert_eq!(bytes, expected);
    assert_eq!(summary.model.as_deref(), Some("nomic-embed-text"));
    assert_eq!(
        summary.durations.total,
        Some(Duration::from_nanos(14_143_917))
    );
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    let class = |body: &str| {
        embed_answer(body.as_bytes(), &Asked::default())
            .unwrap_err()
            .class
    };
    for body in [
        "",
        "{}",
        r#"{"embeddings":[]}"#,
        r#"{"embeddings":[1]}"#,
        r#"{"embeddings":[[null]]}"#,
    ] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    assert_eq!(class(r#"{"error":"no"}"#), Class::StreamError);
}
