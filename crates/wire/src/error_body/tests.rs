use std::time::SystemTime;

use http::HeaderMap;
use serde_json::json;

use super::*;

const UNSAID: &str = "target host-1.example answered with error 400 and gave no reason";

fn verdict(status: u16, body: &str) -> Verdict {
    Verdict::of_response(
        status,
        &HeaderMap::new(),
        body.as_bytes(),
        SystemTime::UNIX_EPOCH,
    )
}

#[test]
fn the_envelope_has_its_members_in_order() {
    let fields = ErrorFields {
        message: "late\n\"now\"",
        kind: "timeout_error",
        code: Some("request_deadline_exceeded"),
        param: None,
        request_id: None,
        extra: vec![("phase", json!("queued")), ("budget_ms", json!(200))],
    };
    let expected = r#"{"error":{"message":"late\n\"now\"","type":"timeout_error","code":"request_deadline_exceeded","param":null,"phase":"queued","budget_ms":200}}"#;
    assert_eq!(openai_error(&fields), expected);
    assert_eq!(openai_error_event(&fields), format!("data: {expected}\n\n"));
}

#[test]
fn an_upstreams_own_envelope_is_passed_on_apart_from_secrets() {
    let body = "{\n \"error\": {\"message\":\"bad key sk-abcdef\", \"code\":\"unsupported_parameter\"}, \"x\": 1e400 }";
    let out = upstream_error(
        Surface::Chat,
        &verdict(400, body),
        &Bytes::from(body),
        (UNSAID, "req_1"),
        &["sk-abcdef"],
    );
    assert_eq!(out, body.replace("sk-abcdef", "[redacted]"));
}

#[test]
fn everything_else_is_wrapped_and_a_page_is_never_quoted() {
    for (body, message) in [
        ("", UNSAID),
        ("<html>nginx at 10.0.0.1</html>", UNSAID),
        (r#"{"error":{"code":400}}"#, UNSAID),
        (
            r#"{"detail":"no, says host-1.example"}"#,
            "no, says [redacted]",
        ),
        (r#"{"error":"plain"}"#, "plain"),
        (
            r#"{"error":{"code":400,"message":"Google's","status":"INVALID_ARGUMENT"}}"#,
            "Google's",
        ),
    ] {
        let out = upstream_error(
            Surface::Chat,
            &verdict(400, body),
            &Bytes::from(body),
            (UNSAID, "req_1"),
            &["host-1.example"],
        );
        let out: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(out["error"]["message"], message);
        assert_eq!(out["error"]["type"], "invalid_request_error");
        assert_eq!(out["error"]["code"], "invalid_request");
    }
}

#[test]
fn what_is_wrong_with_which_member_is_told_in_every_api() {
    let body = r#"{"error":{"message":"too hot","type":"invalid_request_error","code":"host-1","param":"temperature"}}"#;
    let out = upstream_error(
        Surface::Messages,
        &verdict(400, body),
        &Bytes::from(body),
        (UNSAID, "req_1"),
        &["host-1"],
    );
    let expected = r#"{"type":"error","error":{"type":"invalid_request_error","message":"too hot","code":"[redacted]","param":"temperature"},"request_id":"req_1"}"#;
    assert_eq!(out, expected);
}

#[test]
fn a_page_is_no_json() {
    assert!(is_json(br#" {"error":{}} "#) && is_json(b"[]"));
    assert!(!is_json(b"<html></html>") && !is_json(b"") && !is_json(b"{\"error\":{"));
}
