use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Surface, peek::peek};

fn parts(body: &str, model: &str, include_usage: bool) -> Vec<Bytes> {
    let body = Bytes::copy_from_slice(body.as_bytes());
    let peek = peek(Surface::Chat, &body).unwrap();
    request(&body, &peek, model, include_usage)
}

fn spliced(body: &str, model: &str, include_usage: bool) -> String {
    String::from_utf8(parts(body, model, include_usage).concat()).unwrap()
}

#[test]
fn only_the_model_changes_and_nothing_large_is_copied() {
    let body = Bytes::from(format!(
        r#"{{"x":1e400, "model" : "a","messages":["{}"]}}"#,
        "z".repeat(1 << 20)
    ));
    let peek = peek(Surface::Chat, &body).unwrap();
    let [before, model, after] = splice_model(&body, peek.model_span.clone(), "b\"\u{e9}");
    assert_eq!(
        (before.as_ref(), model.as_ref()),
        (
            &br#"{"x":1e400, "model" : "#[..],
            "\"b\\\"\u{e9}\"".as_bytes()
        )
    );
    assert_eq!(after, body.slice(peek.model_span.end..));
    assert_eq!(after.as_ptr(), body[peek.model_span.end..].as_ptr());
}

#[test]
fn the_same_model_leaves_the_bytes_alone() {
    let body = Bytes::from_static(br#"{"model":"gpt\u002d4","messages":[]}"#);
    let peek = peek(Surface::Chat, &body).unwrap();
    assert_eq!(
        splice_model(&body, peek.model_span.clone(), "gpt-4").concat(),
        body
    );
    assert_eq!(request(&body, &peek, "gpt-4", false).concat(), body);
    assert_ne!(splice_model(&body, peek.model_span, "gpt-5").concat(), body);
}

#[test]
fn usage_is_switched_on_and_every_other_option_kept() {
    for (options, expected) in [
        (
            "",
            r#"{"stream_options":{"include_usage":true},"model":"m","messages":[]}"#,
        ),
        (
            r#","stream_options":null"#,
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":true}}"#,
        ),
        (
            r#","stream_options":{ }"#,
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":true }}"#,
        ),
        (
            r#","stream_options":{"a":1e400}"#,
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":true,"a":1e400}}"#,
        ),
        (
            r#","stream_options":{"include_usage":false,"a":1}"#,
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":true,"a":1}}"#,
        ),
        (
            r#","stream_options":{"a":1,"include_usage": null}"#,
            r#"{"model":"m","messages":[],"stream_options":{"a":1,"include_usage": true}}"#,
        ),
        (
            r#","stream_options":{"include_usage":true}"#,
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":true}}"#,
        ),
        (
            r#","stream_options":[7]"#,
            r#"{"model":"m","messages":[],"stream_options":[7]}"#,
        ),
    ] {
        assert_eq!(
            spliced(
                &format!(r#"{{"model":"m","messages":[]{options}}}"#),
                "m",
                true
            ),
            expected
        );
    }
    assert_eq!(
        spliced(r#"{"model":"m","messages":[]}"#, "m", false),
        r#"{"model":"m","messages":[]}"#
    );
}

#[test]
fn both_edits_go_together_in_any_order() {
    let out = spliced(
        r#"{"stream_options":{},"model":"m","messages":[]}"#,
        "n",
        true,
    );
    assert_eq!(
        out,
        r#"{"stream_options":{"include_usage":true},"model":"n","messages":[]}"#
    );
    let out = spliced(r#"{ "model":"m","messages":[]}"#, "n", true);
    assert_eq!(
        out,
        r#"{"stream_options":{"include_usage":true}, "model":"n","messages":[]}"#
    );
}

#[test]
fn positions_from_elsewhere_are_cut_not_trusted() {
    let body = Bytes::from_static(b"abc");
    assert_eq!(splice_model(&body, 2..99, "m").concat(), b"ab\"m\"");
    assert_eq!(splice_model(&body, 50..99, "m").concat(), b"abc\"m\"");
    let edit = |start, end| Edit {
        at: start..end,
        text: Bytes::from_static(b"X"),
    };
    assert_eq!(
        splice(&body, [edit(1, 2), edit(0, 2), edit(1, 3)]).concat(),
        b"Xc"
    );
}

proptest! {
    #[test]
    fn every_other_byte_is_kept(model in ".{1,12}", new in ".{1,12}", before in ".{0,20}", after in ".{0,20}", usage: bool) {
        let body = format!(
            r#"{{"a": {}, "model": {} ,"messages":[{}]}}"#, json!(before), json!(model), json!(after)
        );
        let out: Value = serde_json::from_str(&spliced(&body, &new, usage)).unwrap();
        let mut expected: Value = serde_json::from_str(&body).unwrap();
        expected["model"] = json!(new);
        if usage { expected["stream_options"] = json!({ "include_usage": true }); }
        prop_assert_eq!(out, expected);
    }
}
