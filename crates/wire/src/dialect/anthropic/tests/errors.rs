//! Questions that cannot be read: what is wrong is named with its place, and nothing of it is quoted.

use bytes::Bytes;

use super::super::SURFACE;
use crate::BadBody;

fn fault(body: &[u8]) -> BadBody {
    let read = (SURFACE.request)(&Bytes::copy_from_slice(body));
    read.expect_err(&String::from_utf8_lossy(body))
}

#[test]
fn a_wrong_type_is_named_with_its_place() {
    for (members, param) in [
        (r#""stream":1"#, "stream"),
        (r#""max_tokens":"SECRET""#, "max_tokens"),
        (r#""temperature":[]"#, "temperature"),
        (r#""stop_sequences":"SECRET""#, "stop_sequences"),
        (r#""stop_sequences":[1]"#, "stop_sequences[]"),
        (r#""system":1"#, "system"),
        (
            r#""system":[{"type":"image","source":{"type":"url","url":"SECRET"}}]"#,
            "system",
        ),
        (r#""tools":{}"#, "tools"),
        (
            r#""tools":[{"name":"SECRET","input_schema":1}]"#,
            "tools[].input_schema",
        ),
        (r#""tools":[{"input_schema":{}}]"#, "tools[]"),
        (r#""tool_choice":"SECRET""#, "tool_choice"),
        (r#""tool_choice":{"type":"SECRET"}"#, "tool_choice"),
        (r#""thinking":{"type":"SECRET"}"#, "thinking"),
        (
            r#""thinking":{"type":"enabled","budget_tokens":"SECRET"}"#,
            "thinking.budget_tokens",
        ),
        (r#""output_config":{"effort":1}"#, "output_config.effort"),
        (r#""output_format":{"type":"SECRET"}"#, "output_format"),
        (
            r#""output_config":{"format":{"type":"json_schema"}}"#,
            "output_config.format",
        ),
        (r#""metadata":{"user_id":1}"#, "metadata.user_id"),
        (r#""service_tier":1"#, "service_tier"),
    ] {
        let body = format!("{{\"model\":\"m\",\n\"messages\":[],\n {members}}}");
        let fault = fault(body.as_bytes());
        assert_eq!(fault.param, Some(param), "{members}");
        assert_eq!(fault.line, 3, "{members}");
        assert!(fault.column > 1, "{members}");
        assert!(
            fault.message.contains(param) && !fault.message.contains("SECRET"),
            "{fault}"
        );
    }
}

#[test]
fn blocks_are_checked_where_they_stand() {
    for (message, param) in [
        ("1", "messages[]"),
        (r#"{"content":"x"}"#, "messages[]"),
        (r#"{"role":"tool","content":"x"}"#, "messages[].role"),
        (r#"{"role":"user"}"#, "messages[]"),
        (r#"{"role":"user","content":1}"#, "messages[].content"),
        (r#"{"role":"user","content":["x"]}"#, "messages[].content[]"),
        (
            r#"{"role":"user","content":[{"text":"x"}]}"#,
            "messages[].content[]",
        ),
        (
            r#"{"role":"user","content":[{"type":"text"}]}"#,
            "messages[].content[]",
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":1}]}"#,
            "messages[].content[]",
        ),
        (
            r#"{"role":"user","content":"\ud800"}"#,
            "messages[].content",
        ),
        (r#"{"role":"user","content":"x","\ud800":1}"#, "messages[]"),
        (
            r#"{"role":"user","content":[{"type":"image"}]}"#,
            "messages[].content[]",
        ),
        (
            r#"{"role":"user","content":[{"type":"image","source":{"type":"x"}}]}"#,
            "messages[].content[].source",
        ),
        (
            r#"{"role":"user","content":[{"type":"document","source":{"type":"base64"}}]}"#,
            "messages[].content[].source",
        ),
        (
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"{}"}]}"#,
            "messages[].content[]",
        ),
        (
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":"no"}]}"#,
            "messages[].content[]",
        ),
    ] {
        let body = format!(r#"{{"model":"m","messages":[{message}]}}"#);
        let fault = fault(body.as_bytes());
        assert_eq!(fault.param, Some(param), "{message}");
        assert_eq!(fault.line, 1);
    }
}

#[test]
fn what_is_no_question_is_refused() {
    for (body, message) in [
        ("", "the body is empty; send a JSON object"),
        ("[]", "the body is not a JSON object; send one"),
        ("{", "the body ends too early (line 1, column 1)"),
        (r#"{"messages":[]}"#, "`model` is missing; it is required"),
        (r#"{"model":"m"}"#, "`messages` is missing; it is required"),
        (
            r#"{"model":"","messages":[]}"#,
            "`model` must be a non-empty string (line 1, column 10)",
        ),
        (
            r#"{"model":"a\udc00","messages":[]}"#,
            "`model` holds half of a surrogate pair; send whole characters (line 1, column 10)",
        ),
    ] {
        assert_eq!(fault(body.as_bytes()).message, message, "{body}");
    }
    fault(b"\xff{}");
}

#[test]
fn nesting_is_no_way_to_exhaust_the_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"x","y":{deep}}}]}}],"z":{deep}}}"#
    );
    let request = super::read(&body);
    super::write(&request, "");
    let mut block = String::from(r#"{"type":"text","text":"x"}"#);
    for _ in 0..50 {
        block =
            format!(r#"{{"type":"document","source":{{"type":"content","content":[{block}]}}}}"#);
    }
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{block}]}}]}}"#);
    fault(body.as_bytes());
}
