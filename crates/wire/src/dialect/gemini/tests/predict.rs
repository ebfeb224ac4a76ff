//! Embeddings of Vertex AI.
//!
//! Its `:predict` is another form than Gemini's own, and both must come to the same vectors and the same count.

use super::super::{predict_answer, predict_request};
use crate::{
    Class,
    middle::{Asked, Lost},
};

#[test]
fn a_question_becomes_one_instance_for_each_text() {
    let mut lost = Lost::default();
    let body = br#"{"model":"r","input":["a","b\u00e4"],"dimensions":256,"task_type":"RETRIEVAL_QUERY","user":"u"}"#;
    let written = predict_request(body, &mut lost).unwrap();
    let expected = concat!(
        r#"{"instances":[{"content":"a","task_type":"RETRIEVAL_QUERY"},{"content":"bä","task_type":"RETRIEVAL_QUERY"}],"#,
        r#""parameters":{"outputDimensionality":256}}"#
    );
    assert_eq!(written, expected);
    assert_eq!(lost.names().collect::<Vec<_>>(), ["user"]);
    let written = predict_request(br#"{"input":"a","task_type":null}"#, &mut lost).unwrap();
    assert_eq!(written, r#"{"instances":[{"content":"a"}]}"#);
}

#[test]
fn the_tokens_of_all_texts_are_added_up() {
    let body = br#"{"predictions":[{"embeddings":{"statistics":{"truncated":false,"token_count":4},"values":[1, -5e-1]}},{"embeddings":{"values":[0.10],"statistics":{"token_count":3.0}}}],"metadata":{"billableCharacterCount":7}}"#;
    let asked = Asked {
        model: "route".into(),
        ..Asked::default()
    };
    let (bytes, summary) = predict_answer(body, &asked).unwrap();
    let expected = concat!(
        r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1, -5e-1]},"#,
        r#"{"object":"embedding","index":1,"embedding":[0.10]}],"model":"route","usage":{"prompt_tokens":7,"total_tokens":7}}"#
    );
    assert_eq!(bytes, expected);
    assert_eq!(summary.usage.unwrap().input, Some(7));
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    let class = |body: &str| {
        let answer = predict_answer(body.as_bytes(), &Asked::default());
        answer.unwrap_err().class
    };
    for body in ["", "[]", "{}", r#"{"predictions":[{}]}"#] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    assert_eq!(
        class(r#"{"error":{"code":404,"status":"NOT_FOUND"}}"#),
        Class::NotFound
    );
}
