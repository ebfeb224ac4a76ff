//! Errors inside a stream.

use super::*;

fn error(event: &str) -> Verdict {
    match kinds(1, &[event]).remove(0) {
        Kind::Error(verdict) => verdict,
        other => panic!("{event}: {other:?}"),
    }
}

#[test]
fn an_error_in_the_stream_is_one_however_it_comes() {
    for (event, class) in [
        (
            r#"data: {"error": {"message": "TimeoutError", "type": "GatewayTimeout", "code": 504}}"#,
            Class::ServerError,
        ),
        (r#"data: {"error":"it broke"}"#, Class::StreamError),
        (r#"data: {"error":{}}"#, Class::StreamError),
        (
            r#"data: {"choices":[{"delta":{"content":"x"}}],"error":{"code":429}}"#,
            Class::RateLimited,
        ),
        (
            "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}",
            Class::Overloaded,
        ),
        ("event:error\ndata: it broke", Class::StreamError),
        ("event: error", Class::StreamError),
        (
            r#"error: {"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}"#,
            Class::ContextLengthExceeded,
        ),
        (
            r#"data: {"object":"error","message":"x","code":503}"#,
            Class::Overloaded,
        ),
        (
            r#"data: {"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}"#,
            Class::ServerError,
        ),
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#,
            Class::Overloaded,
        ),
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"abort"}]}"#,
            Class::StreamError,
        ),
    ] {
        assert_eq!(error(event).class, class, "{event}");
    }
    for healthy in [
        r#"data: {"error":null}"#,
        r#"data: {"error":false}"#,
        r#"data: {"error":""}"#,
    ] {
        assert_eq!(kinds(1, &[healthy]), [Kind::Preamble]);
    }
}
