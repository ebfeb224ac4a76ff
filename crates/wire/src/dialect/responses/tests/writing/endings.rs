//! How a stream ends.

use super::*;

#[test]
fn an_answer_that_was_cut_is_incomplete_and_says_why() {
    for (ended, reason) in [
        (Finish::Length, "max_output_tokens"),
        (Finish::ContentFilter, "content_filter"),
    ] {
        let (stream, _) = written(&[
            text("a"),
            call(0, "c", "f"),
            input(0, "{\"p"),
            finish(ended),
        ]);
        assert_eq!(outline(&stream).last().unwrap(), "incomplete");
        assert_eq!(last(&stream, "status"), "\"incomplete\"");
        let details = format!(r#"{{"reason":"{reason}"}}"#);
        assert_eq!(last(&stream, "incomplete_details"), details);
        let call = r#""status":"incomplete","arguments":"{\"p","call_id":"c","name":"f""#;
        assert!(last(&stream, "output").contains(call), "{stream}");
    }
}

#[test]
fn a_call_that_was_cut_before_its_input_gets_none() {
    let (stream, _) = written(&[call(0, "c", "f"), finish(Finish::Length)]);
    assert!(last(&stream, "output").contains(r#""arguments":"""#));
}

#[test]
fn an_answer_nothing_is_known_of_is_still_a_response() {
    let (stream, _) = written(&[]);
    assert_eq!(outline(&stream), ["created", "in_progress", "completed"]);
    assert_eq!(last(&stream, "id"), "\"resp_abc\"");
    assert_eq!(last(&stream, "model"), "\"chat\"");
    assert_eq!(last(&stream, "created_at"), "1700000000");
    assert_eq!(
        json::member(payloads(&stream).last().unwrap(), "usage"),
        None
    );
}

#[test]
fn nothing_follows_the_end() {
    let mut writer = super::super::super::reply::stream(&super::super::asked());
    let mut out = bytes::BytesMut::new();
    writer.delta(&text("a"), &mut out);
    writer.close(&mut out);
    let length = out.len();
    writer.delta(&text("b"), &mut out);
    writer.close(&mut out);
    assert_eq!(out.len(), length);
}

#[test]
fn our_own_error_is_a_typed_event_that_sdks_raise() {
    let fields = ErrorFields {
        message: "too late",
        kind: "timeout_error",
        code: Some("request_deadline_exceeded"),
        extra: vec![("phase", "streaming".into())],
        ..ErrorFields::default()
    };
    let expected = "event: error\ndata: {\"type\":\"error\",\"code\":\"request_deadline_exceeded\",\"message\":\"too late\",\"param\":null,\"sequence_number\":5,\"error\":{\"message\":\"too late\",\"type\":\"timeout_error\",\"code\":\"request_deadline_exceeded\",\"param\":null,\"phase\":\"streaming\"}}\n\n";
    assert_eq!(super::super::super::error_event(&fields, 5), expected);
}
