use http::HeaderValue;
use proptest::prelude::*;

use super::*;

fn response(status: u16, body: &str) -> Verdict {
    Verdict::of_response(
        status,
        &HeaderMap::new(),
        body.as_bytes(),
        SystemTime::UNIX_EPOCH,
    )
}

fn class(status: u16, body: &str) -> Class {
    response(status, body).class
}

fn in_band(json: &str) -> Class {
    Verdict::in_band(json.as_bytes()).class
}

#[test]
fn a_bare_status_has_one_class() {
    for (statuses, expected) in [
        (&[429_u16][..], Class::RateLimited),
        (&[402], Class::QuotaExhausted),
        (&[503, 529], Class::Overloaded),
        (
            &[408, 425, 500, 501, 502, 504, 520, 522, 524, 527, 598, 599],
            Class::ServerError,
        ),
        (&[401], Class::Unauthorized),
        (&[403], Class::Forbidden),
        (&[404], Class::NotFound),
        (&[451], Class::ContentRefused),
        (
            &[400, 405, 409, 413, 415, 418, 422, 498, 499],
            Class::InvalidRequest,
        ),
        (
            &[101, 201, 204, 300, 301, 302, 307, 308, 304],
            Class::Malformed,
        ),
    ] {
        for status in statuses {
            for body in ["", "<html><h1>no</h1></html>", "{", "[]", "null", "{}"] {
                let verdict = response(*status, body);
                assert_eq!(verdict.class, expected, "{status} {body}");
                assert_eq!((verdict.status, verdict.message), (Some(*status), None));
            }
        }
    }
}

#[test]
fn money_hides_behind_other_statuses() {
    let openai = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}"#;
    assert_eq!(class(429, openai), Class::QuotaExhausted);
    assert_eq!(class(400, anthropic), Class::QuotaExhausted);
    assert_eq!(
        class(403, r#"{"error":{"code":"billing_not_active"}}"#),
        Class::QuotaExhausted
    );
    assert_eq!(in_band(openai), Class::QuotaExhausted);
    assert_eq!(
        class(429, r#"{"error":{"code":"rate_limit_exceeded"}}"#),
        Class::RateLimited
    );
}

#[test]
fn a_prompt_that_is_too_long_is_recognised_in_every_wording() {
    for message in [
        "This model's maximum context length is 8192 tokens. However, you requested 9000",
        "The decoder prompt (length 9) is longer than the maximum model length of 8",
        "The input (9 tokens) is longer than the model's context length (8 tokens).",
        "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 9 + 9 > 10",
        "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        "Your input exceeds the context window of this model.",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Input is too long for requested model.",
        "Invalid request: Your request exceeded model token limit: 8192",
        "Range of input length should be [1, 30720]",
    ] {
        let body = serde_json::json!({ "error": { "message": message } }).to_string();
        for status in [400, 413] {
            assert_eq!(
                class(status, &body),
                Class::ContextLengthExceeded,
                "{message}"
            );
        }
        assert_eq!(in_band(&body), Class::ContextLengthExceeded, "{message}");
    }
    assert_eq!(
        class(400, r#"{"error":{"code":"context_length_exceeded"}}"#),
        Class::ContextLengthExceeded
    );
    assert_eq!(
        class(
            400,
            r#"{"error":{"type":"exceed_context_size_error","n_ctx":512}}"#
        ),
        Class::ContextLengthExceeded
    );
    let llama = r#"{"code":400,"message":"too big","type":"exceed_context_size_error"}"#;
    assert_eq!(in_band(llama), Class::ContextLengthExceeded);
    let parameter = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'","code":"unsupported_parameter"}}"#;
    assert_eq!(class(400, parameter), Class::InvalidRequest);
}

#[test]
fn a_policy_refusal_is_recognised() {
    for (status, body) in [
        (400, r#"{"error":{"code":"content_policy_violation"}}"#),
        (
            400,
            r#"{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"x","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt","type":"invalid_request_error","code":"invalid_prompt"}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#,
        ),
        (
            403,
            r#"{"code":"The caller does not have permission","error":"Content violates usage guidelines."}"#,
        ),
        (
            403,
            r#"{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"],"flagged_input":"x"}}}"#,
        ),
    ] {
        assert_eq!(class(status, body), Class::ContentRefused, "{body}");
    }
    let unreadable =
        r#"{"error":{"message":"Invalid prompt: no messages","code":"invalid_prompt"}}"#;
    assert_eq!(class(400, unreadable), Class::InvalidRequest);
    assert_eq!(
        in_band(r#"{"error":{"code":"content_filter"}}"#),
        Class::ContentRefused
    );
}

#[test]
fn overload_is_known_by_its_word_and_only_on_the_servers_side() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(class(529, body), Class::Overloaded);
    assert_eq!(class(500, body), Class::Overloaded);
    assert_eq!(in_band(body), Class::Overloaded);
    assert_eq!(class(400, body), Class::InvalidRequest);
    assert_eq!(
        class(
            500,
            r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#
        ),
        Class::ServerError
    );
}

#[test]
fn an_error_inside_a_200_says_what_it_is_by_number_or_word() {
    for (error, expected) in [
        (r#"{"code":429}"#, Class::RateLimited),
        (r#"{"code":"503"}"#, Class::Overloaded),
        (
            r#"{"message":"TimeoutError","type":"GatewayTimeout","code":504}"#,
            Class::ServerError,
        ),
        (r#"{"code":400}"#, Class::InvalidRequest),
        (
            r#"{"type":"invalid_request_error","code":"tool_use_failed","status_code":400}"#,
            Class::InvalidRequest,
        ),
        (r#"{"type":"rate_limit_error"}"#, Class::RateLimited),
        (r#"{"type":"RateLimitError"}"#, Class::RateLimited),
        (r#"{"type":"api_error"}"#, Class::ServerError),
        (r#"{"type":"server_error","code":null}"#, Class::ServerError),
        (r#"{"type":"invalid_request_error"}"#, Class::InvalidRequest),
        (r#"{"type":"authentication_error"}"#, Class::Unauthorized),
        (r#"{"type":"permission_error"}"#, Class::Forbidden),
        (r#"{"type":"not_found_error"}"#, Class::NotFound),
        (r#"{"type":"timeout_error"}"#, Class::ServerError),
        (r#"{"type":"GatewayTimeout"}"#, Class::ServerError),
        (
            r#"{"code":429,"status":"RESOURCE_EXHAUSTED"}"#,
            Class::RateLimited,
        ),
        (r#"{"code":200,"status":"UNAVAILABLE"}"#, Class::Overloaded),
        (r#"{"message":"it broke"}"#, Class::StreamError),
        (r#""it broke""#, Class::StreamError),
        ("{}", Class::StreamError),
    ] {
        assert_eq!(
            in_band(&format!(r#"{{"error":{error}}}"#)),
            expected,
            "{error}"
        );
        assert_eq!(
            in_band(&format!(r#"[{{"error":{error}}}]"#)),
            expected,
            "in an array: {error}"
        );
    }
    assert_eq!(
        in_band(r#"{"object":"error","message":"x","type":"BadRequestError","code":400}"#),
        Class::InvalidRequest
    );
    assert_eq!(in_band("not json"), Class::StreamError);
}

#[test]
fn openrouter_tells_what_the_provider_said() {
    let text = r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"model is rate-limited upstream","provider_name":"G"}}}"#;
    let verdict = response(429, text);
    assert_eq!(
        verdict.message.as_deref(),
        Some("Provider returned error: model is rate-limited upstream")
    );
    let json = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 9 > 8\",\"type\":\"invalid_request_error\"}}"}}}"#;
    let verdict = response(400, json);
    assert_eq!(verdict.class, Class::ContextLengthExceeded);
    assert_eq!(
        verdict.message.as_deref(),
        Some("Provider returned error: prompt is too long: 9 > 8")
    );
    let page = r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"<html>x</html>"}}}"#;
    assert_eq!(
        response(502, page).message.as_deref(),
        Some("Provider returned error")
    );
}

#[test]
fn every_envelope_gives_its_words() {
    for (body, message) in [
        (r#"{"error":"plain"}"#, "plain"),
        (r#"{"detail":"Not Found"}"#, "Not Found"),
        (
            r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#,
            "field required",
        ),
        (r#"{"errors":[{"code":1,"message":"cloud"}]}"#, "cloud"),
        (r#"{"message":"top"}"#, "top"),
        (r#"{"object":"error","message":"vllm"}"#, "vllm"),
    ] {
        assert_eq!(
            response(400, body).message.as_deref(),
            Some(message),
            "{body}"
        );
    }
    let verdict = response(400, r#"{"error":{"message":"m","type":"t","code":17}}"#);
    assert_eq!(
        (
            verdict.upstream_type.as_deref(),
            verdict.upstream_code.as_deref()
        ),
        (Some("t"), Some("17"))
    );
}

#[test]
fn words_are_cut_and_hold_no_control_characters() {
    let body = serde_json::json!({ "error": { "message": format!("a\r\n\u{1b}b{}", "\u{e9}".repeat(9_999)), "code": "c".repeat(999) } });
    let verdict = response(400, &body.to_string());
    let message = verdict.message.unwrap();
    assert!(
        message.starts_with("a   b\u{e9}")
            && message.len() <= 2_048
            && !message.contains(char::is_control)
    );
    assert_eq!(verdict.upstream_code.unwrap().len(), 128);
}

#[test]
fn hints_and_should_retry_are_taken_from_the_response() {
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", HeaderValue::from_static("7"));
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    let verdict = Verdict::of_response(429, &headers, b"", SystemTime::UNIX_EPOCH);
    assert_eq!(
        (verdict.retry, verdict.should_retry),
        (Some(Duration::from_secs(7)), Some(false))
    );
    let said = r#"{"error":{"message":"try again in 2s"}}"#;
    assert_eq!(response(429, said).retry, Some(Duration::from_secs(2)));
    assert_eq!(
        response(400, said).retry,
        None,
        "prose in a 400 is no promise"
    );
    assert_eq!(
        Verdict::in_band(br#"{"error":{"code":429,"message":"try again in 2s"}}"#).retry,
        Some(Duration::from_secs(2))
    );
}

proptest! {
    #[test]
    fn no_bytes_panic(status: u16, body in proptest::collection::vec(any::<u8>(), 0..300), text in ".{0,100}") {
        Verdict::of_response(status, &HeaderMap::new(), &body, SystemTime::UNIX_EPOCH);
        Verdict::in_band(&body);
        let nested = serde_json::json!({ "error": { "message": text, "metadata": { "raw": text }, "code": text } }).to_string();
        Verdict::in_band(nested.as_bytes());
    }
}

#[test]
fn nesting_is_no_way_to_exhaust_the_stack() {
    let opened = r#"{"error":{"metadata":{"raw":"#.repeat(50_000);
    response(400, &format!("{opened}1{}", "}}}".repeat(50_000)));
    response(
        400,
        &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
    );
    response(
        400,
        &format!("{}1{}", "[{\"error\":".repeat(50_000), "}]".repeat(50_000)),
    );
}
