use super::*;
use crate::{
    Class,
    dialect::{End, Finish},
    middle::{Part, summary},
};

fn read(body: &str) -> crate::middle::Answer {
    (UPSTREAM.answer)(body.as_bytes()).unwrap()
}

fn class(body: &str) -> Class {
    (UPSTREAM.answer)(body.as_bytes()).unwrap_err().class
}

#[test]
fn a_whole_answer_is_put_together() {
    let answer = read(
        r#"{"candidates":[
            {"content":{"parts":[{"text":"hm","thought":true,"thoughtSignature":"czE="},{"text":"It "},{"text":"is."},
                {"functionCall":{"name":"f","args":{"n":1.50}},"thoughtSignature":"czI="},{"functionCall":{"name":"g"}}],"role":"model"},"finishReason":"STOP"},
            {"content":{"parts":[{"text":"two"}]},"finishReason":"MAX_TOKENS","index":1}],
        "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"thoughtsTokenCount":3,"totalTokenCount":10},
        "modelVersion":"m","responseId":"r","createTime":"2026-05-19T14:59:42.780296Z"}"#,
    );
    assert_eq!(
        (answer.id.as_deref(), answer.model.as_deref()),
        (Some("r"), Some("m"))
    );
    assert_eq!(answer.created, Some(1_779_202_782));
    assert_eq!(answer.usage.unwrap().output, Some(5));
    let [first, second] = &answer.choices[..] else {
        panic!("{answer:?}")
    };
    assert_eq!(first.finish, Some(Finish::ToolCalls));
    let [
        Part::Reasoning { signature, .. },
        Part::Text { text, .. },
        Part::ToolCall(f),
        Part::ToolCall(g),
    ] = &first.parts[..]
    else {
        panic!("{first:?}")
    };
    assert_eq!(
        (signature.as_deref(), text.as_str()),
        (Some("czE="), "It is.")
    );
    assert_eq!(
        (f.input.as_str(), f.signature.as_deref()),
        (r#"{"n":1.50}"#, Some("czI="))
    );
    assert_eq!((g.input.as_str(), g.signature.as_deref()), ("{}", None));
    assert_ne!(f.id, g.id);
    assert_eq!(
        (second.index, second.finish.clone()),
        (1, Some(Finish::Length))
    );
}

#[test]
fn a_refused_prompt_is_an_answer_without_content() {
    let answer = read(
        r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}}"#,
    );
    let summary = summary(&answer);
    assert_eq!(
        (summary.finish, summary.has_content),
        (Some(Finish::ContentFilter), false)
    );
    assert_eq!(summary.end, End::Other);
}

#[test]
fn an_answer_without_candidates_is_empty_and_not_malformed() {
    assert!(
        summary(&read(
            r#"{"usageMetadata":{"promptTokenCount":9},"modelVersion":"m"}"#
        ))
        .is_empty()
    );
    assert!(
        summary(&read(
            r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#
        ))
        .is_empty()
    );
}

#[test]
fn all_of_a_stream_in_one_array_is_an_answer() {
    let body = fixture("array.json");
    let answer = (UPSTREAM.answer)(&body).unwrap();
    assert_eq!(answer.choices[0].parts, [Part::text("Ja, gern \"]}.")]);
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    for body in [
        "",
        "<html>",
        "{}",
        "[]",
        "[1]",
        "\"x\"",
        "{\"candidates\":",
        "\u{feff}{}",
    ] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    let error =
        r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#;
    assert_eq!(class(error), Class::RateLimited);
    assert_eq!(class(&format!("[{error}]")), Class::RateLimited);
}

#[test]
fn the_only_candidate_is_the_answer_whatever_its_number() {
    let body = r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"a"}]}}]}"#;
    let answer = read(body);
    assert_eq!(answer.choices.len(), 1);
    assert_eq!(answer.choices[0].parts, [Part::text("a")]);
}

#[test]
fn an_answer_that_admits_to_be_broken_is_a_failure() {
    for word in [
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
    ] {
        let body = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}},"finishReason":"{word}"}}]}}"#
        );
        assert_eq!(class(&body), Class::ServerError, "{word}");
    }
}
