//! Errors as a caller of this API expects them.
//!
//! `error.type` is the SDKs' family and follows the status
//! (<https://platform.claude.com/docs/en/api/errors>); what the gateway knows beside that (code, phase,
//! attempts) stands behind the message, where SDKs leave it alone.

use bytes::Bytes;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{error_body::ErrorFields, json};

/// A sign of life between events.
pub const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

/// `{"type":"error","error":{"type","message",…},"request_id"}`. The type is `kind`, or the one of
/// `status`; `fields.kind` is in the words of another API and not used.
pub fn error(
    kind: Option<&str>,
    status: u16,
    fields: &ErrorFields<'_>,
    request_id: Option<&str>,
) -> Bytes {
    #[derive(serde::Serialize)]
    struct Envelope<'a> {
        r#type: &'static str,
        error: Said<'a>,
        request_id: Option<&'a str>,
    }
    let envelope = Envelope {
        r#type: "error",
        error: Said {
            kind: kind.unwrap_or_else(|| family(status)),
            fields,
        },
        request_id,
    };
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&envelope).unwrap_or_default().into()
}

/// The same as one event of a stream.
pub fn error_event(
    kind: Option<&str>,
    status: u16,
    fields: &ErrorFields<'_>,
    request_id: Option<&str>,
) -> Bytes {
    let json = error(kind, status, fields, request_id);
    [b"event: error\ndata: ", &*json, b"\n\n"].concat().into()
}

/// Whether `body` is `{"type":"error","error":{"type":"…","message":"…"}}`.
pub fn is_envelope(body: &[u8]) -> bool {
    let read = || {
        let text = std::str::from_utf8(body).ok()?;
        let [kind, error] = json::members(text, &["type", "error"])?;
        let [family, message] = json::members(error?, &["type", "message"])?;
        Some(kind? == "\"error\"" && json::is_text(family?) && json::is_text(message?))
    };
    read().unwrap_or(false)
}

/// The type that belongs to a status.
fn family(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        503 | 529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

struct Said<'a> {
    kind: &'a str,
    fields: &'a ErrorFields<'a>,
}

impl Serialize for Said<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        map.serialize_entry("message", self.fields.message)?;
        for (name, value) in [("code", self.fields.code), ("param", self.fields.param)] {
            if let Some(value) = value {
                map.serialize_entry(name, value)?;
            }
        }
        for (name, value) in &self.fields.extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_follows_the_status_unless_it_is_said() {
        for (status, expected) in [
            (400, "invalid_request_error"),
            (401, "authentication_error"),
            (402, "billing_error"),
            (403, "permission_error"),
            (404, "not_found_error"),
            (409, "invalid_request_error"),
            (413, "request_too_large"),
            (429, "rate_limit_error"),
            (500, "api_error"),
            (502, "api_error"),
            (503, "overloaded_error"),
            (504, "timeout_error"),
            (529, "overloaded_error"),
        ] {
            let fields = ErrorFields {
                message: "m",
                kind: "server_error",
                ..ErrorFields::default()
            };
            let body = error(None, status, &fields, None);
            let expected = format!(
                r#"{{"type":"error","error":{{"type":"{expected}","message":"m"}},"request_id":null}}"#
            );
            assert_eq!(body, expected, "{status}");
            assert!(is_envelope(&body));
        }
    }

    #[test]
    fn everything_the_gateway_knows_is_in_the_event() {
        let fields = ErrorFields {
            message: "too \"late\"",
            kind: "timeout_error",
            code: Some("request_deadline_exceeded"),
            param: None,
            request_id: None,
            extra: vec![("phase", "queued".into()), ("budget_ms", 5.into())],
        };
        let event = error_event(Some("timeout_error"), 500, &fields, Some("req_1"));
        let expected = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"timeout_error\",\"message\":\"too \\\"late\\\"\",\"code\":\"request_deadline_exceeded\",\"phase\":\"queued\",\"budget_ms\":5},\"request_id\":\"req_1\"}\n\n";
        assert_eq!(event, expected);
    }

    #[test]
    fn only_this_apis_envelope_is_one() {
        for (body, expected) in [
            (
                r#"{"error":{"message":"m","type":"t"},"request_id":"r","type":"error"}"#,
                true,
            ),
            (r#"{"error":{"message":"m","type":"t"}}"#, false),
            (r#"{"type":"error","error":{"type":"t"}}"#, false),
            (r#"{"type":"error","error":"m"}"#, false),
            ("<html>", false),
            ("", false),
        ] {
            assert_eq!(is_envelope(body.as_bytes()), expected, "{body}");
        }
        assert!(!is_envelope(b"\xff"));
    }
}
