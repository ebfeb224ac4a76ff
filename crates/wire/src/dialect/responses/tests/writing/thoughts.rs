//! Thoughts between texts.

use super::*;

#[test]
fn thoughts_and_texts_close_before_anything_else_opens() {
    let (stream, _) = written(&[
        reasoning("hm"),
        text("a"),
        reasoning("so"),
        call(0, "c", "f"),
        done(0),
        text("b"),
        finish(Finish::Stop),
    ]);
    let thought = |at: u32| {
        [
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
        ]
        .map(|kind| format!("{kind} {at}"))
        .to_vec()
    };
    let message = |at: u32| {
        [
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
        ]
        .map(|kind| format!("{kind} {at}"))
        .to_vec()
    };
    let call = [
        "output_item.added 3",
        "function_call_arguments.delta 3",
        "function_call_arguments.done 3",
        "output_item.done 3",
    ];
    let expected = [
        vec!["created".to_owned(), "in_progress".to_owned()],
        thought(0),
        message(1),
        thought(2),
        call.map(str::to_owned).to_vec(),
        message(4),
        vec!["completed".to_owned()],
    ];
    assert_eq!(outline(&stream), expected.concat());
}

#[test]
fn an_encrypted_thought_completes_the_one_that_goes_on() {
    let opaque = |value: &'static str| Delta::Opaque {
        choice: 0,
        value: value.into(),
    };
    let (stream, _) = written(&[reasoning("hm"), opaque("e1"), opaque("e2")]);
    let expected = r#"[{"id":"rs_abc_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"hidden:e1","status":"completed"},{"id":"rs_abc_1","type":"reasoning","summary":[],"encrypted_content":"hidden:e2","status":"completed"}]"#;
    assert_eq!(last(&stream, "output"), expected);
}

#[test]
fn a_signed_thought_is_not_sealed_with_what_follows() {
    let signature = Delta::Signature {
        choice: 0,
        value: "s".into(),
    };
    let sealed = Delta::Opaque {
        choice: 0,
        value: "e".into(),
    };
    let (stream, writer) = written(&[reasoning("hm"), signature, sealed]);
    let expected = r#"[{"id":"rs_abc_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"signature:s","status":"completed"},{"id":"rs_abc_1","type":"reasoning","summary":[],"encrypted_content":"hidden:e","status":"completed"}]"#;
    assert_eq!(last(&stream, "output"), expected);
    assert!(writer.lost().is_empty());
}
