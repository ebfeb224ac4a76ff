//! Errors, and what cannot be read.

use super::*;

#[test]
fn every_form_of_an_error_is_one() {
    let quota = r#""code":"insufficient_quota","message":"no money""#;
    let failed = response(&format!(r#""status":"failed","error":{{{quota}}}"#));
    for event in [
        format!(r#"{{"type":"error","sequence_number":2,{quota},"param":null}}"#),
        format!(
            r#"{{"type":"error","sequence_number":2,"error":{{"type":"insufficient_quota",{quota}}}}}"#
        ),
        format!(r#"{{"error":{{{quota}}}}}"#),
        format!(r#"{{"type":"response.failed","response":{failed}}}"#),
        format!(r#"{{"type":"response.error",{quota}}}"#),
    ] {
        for stream in [
            events(&[&event]),
            format!("data: {event}\n\n"),
            format!("event: error\ndata: {event}\n\n"),
        ] {
            let (steps, seen) = told(stream.as_bytes(), &[]);
            let [Seen::Error(verdict)] = seen.as_slice() else {
                panic!("{stream}: {seen:?}");
            };
            assert_eq!(verdict.class, Class::QuotaExhausted, "{stream}");
            assert_eq!(verdict.message.as_deref(), Some("no money"), "{stream}");
            assert!(steps.is_empty());
        }
    }
    let (_, seen) = told(
        b"data: {\"type\":\"response.cancelled\",\"response\":{}}\n\n",
        &[],
    );
    assert!(
        matches!(seen.as_slice(), [Seen::Error(verdict)] if verdict.class == Class::StreamError)
    );
    let (_, seen) = told(b"event: error\n\n", &[]);
    assert!(matches!(seen.as_slice(), [Seen::Error(_)]));
}

#[test]
fn an_error_member_that_is_null_is_none() {
    let (_, seen) = told(
        b"data: {\"type\":\"response.created\",\"error\":null,\"response\":{}}\n\n",
        &[],
    );
    assert_eq!(seen, [Seen::Data]);
}

#[test]
fn comments_pings_and_what_cannot_be_read_are_told_apart() {
    for (frame, expected) in [
        (": keepalive\n\n", Seen::Comment),
        ("event: ping\ndata: {}\n\n", Seen::Comment),
        (
            "data: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
            Seen::Comment,
        ),
        ("event: response.created\n\n", Seen::Data),
        ("data:\n\n", Seen::Data),
        ("data: {\"type\":\n\n", Seen::Unparsed),
        ("data: [1]\n\n", Seen::Unparsed),
        ("data: {\"type\":\"response.of_tomorrow\"}\n\n", Seen::Data),
    ] {
        assert_eq!(told(frame.as_bytes(), &[]).1, [expected], "{frame}");
    }
    assert_eq!(told(b"data: \xff\n\n", &[]).1, [Seen::Unparsed]);
}

#[test]
fn the_name_of_an_event_stands_in_for_its_type() {
    let event = "event: response.output_text.delta\ndata: {\"delta\":\"a\"}\n\n";
    assert_eq!(told(event.as_bytes(), &[]).0, ["text a"]);
}

#[test]
fn half_of_a_pair_does_not_take_the_text_with_it() {
    let event = r#"{"type":"response.output_text.delta","delta":"a\ud83db"}"#;
    let (steps, _) = told(events(&[event]).as_bytes(), &[]);
    assert!(
        steps
            .first()
            .is_some_and(|s| s.starts_with("text a") && s.ends_with('b')),
        "{steps:?}"
    );
}
