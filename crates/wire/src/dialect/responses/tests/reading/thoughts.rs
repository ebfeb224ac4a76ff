//! Thoughts, summed up or sealed.

use super::*;

#[test]
fn parts_of_a_summary_are_paragraphs() {
    let delta = |at: u32, text: &str| {
        format!(
            r#"{{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":{at},"delta":"{text}"}}"#
        )
    };
    let steps = between(&[&delta(0, "a"), &delta(0, "b"), &delta(1, "c")]);
    assert_eq!(
        steps,
        [
            "reasoning a",
            "reasoning b",
            "reasoning \n\n",
            "reasoning c",
            "finish stop"
        ]
    );
}

#[test]
fn a_thought_is_told_in_one_of_its_forms() {
    let words = r#"{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"I think"}"#;
    let summary = r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"It thinks"}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"It thinks"}],"content":[{"type":"reasoning_text","text":"I think"}],"encrypted_content":"e"}}"#;
    assert_eq!(
        between(&[words, summary, end]),
        ["reasoning I think", "opaque e", "finish stop"]
    );
    assert_eq!(
        between(&[summary, words, end]),
        ["reasoning It thinks", "opaque e", "finish stop"]
    );
    assert_eq!(
        between(&[end]),
        ["reasoning I think", "opaque e", "finish stop"]
    );
}

#[test]
fn what_is_sealed_when_a_thought_begins_is_not_final() {
    let item = |kind: &str, sealed: &str| {
        format!(
            r#"{{"type":"response.output_item.{kind}","output_index":0,"item":{{"type":"reasoning","summary":[],"encrypted_content":"{sealed}"}}}}"#
        )
    };
    assert_eq!(
        between(&[&item("added", "1"), &item("done", "2")]),
        ["opaque 2", "finish stop"]
    );
}
