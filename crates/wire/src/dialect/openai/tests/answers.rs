//! Whole answers.

use super::*;

#[test]
fn a_whole_answer_is_summed_up() {
    let body = r#"{"id":"a","model":"m","choices":[{"message":{"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2},"error":null}"#;
    let summary = answer(Surface::Chat, body).unwrap();
    assert_eq!(
        (summary.id.as_deref(), summary.model.as_deref()),
        (Some("a"), Some("m"))
    );
    assert_eq!(
        (summary.finish.as_ref(), summary.end),
        (Some(&Finish::ToolCalls), End::Other)
    );
    assert!(summary.has_content && !summary.is_empty());
    let summary = answer(
        Surface::Completions,
        r#"{"choices":[{"text":"x","finish_reason":"length"}]}"#,
    )
    .unwrap();
    assert!(summary.has_content && summary.usage.is_none());
    let summary = answer(
        Surface::Chat,
        r#"{"choices":[{"message":{"content":null,"reasoning_content":"x"}}]}"#,
    )
    .unwrap();
    assert!(summary.has_content);
}

#[test]
fn an_empty_answer_is_empty_only_if_it_just_stopped() {
    let empty = |finish: &str| {
        answer(
            Surface::Chat,
            &format!(r#"{{"choices":[{{"message":{{"content":""}},"finish_reason":{finish}}}]}}"#),
        )
        .unwrap()
        .is_empty()
    };
    assert!(empty("\"stop\"") && empty("null") && empty("\"\""));
    assert!(!empty("\"length\"") && !empty("\"content_filter\""));
}

#[test]
fn a_200_that_is_no_answer_is_malformed_or_the_error_it_holds() {
    for body in [
        "",
        "<html>secret</html>",
        "null",
        "[]",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":{"a":1}}"#,
        r#"{"choices":["secret"]}"#,
        r#"{"choices":[{"index":0}"#,
    ] {
        let verdict = answer(Surface::Chat, body).unwrap_err();
        assert_eq!(verdict.class, Class::Malformed, "{body}");
        assert!(!verdict.message.unwrap().contains("secret"));
    }
    assert_eq!(
        answer(Surface::Chat, r#"{"error":{"code":429}}"#)
            .unwrap_err()
            .class,
        Class::RateLimited
    );
    assert_eq!(
        answer(Surface::Chat, r#"{"error":"x","choices":[{}]}"#)
            .unwrap_err()
            .class,
        Class::StreamError
    );
    assert_eq!(
        answer(
            Surface::Chat,
            r#"{"choices":[{"finish_reason":"error","message":{}}]}"#
        )
        .unwrap_err()
        .class,
        Class::ServerError
    );
}

#[test]
fn embeddings_have_their_vectors_as_content() {
    let summary = answer(Surface::Embeddings, r#"{"object":"list","data":[{"embedding":[1e400,0.1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}"#).unwrap();
    assert!(summary.has_content);
    assert_eq!(summary.usage.unwrap().input, Some(3));
    assert!(
        answer(Surface::Embeddings, r#"{"data":[]}"#)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        answer(Surface::Embeddings, r#"{"choices":[{}]}"#)
            .unwrap_err()
            .class,
        Class::Malformed
    );
}

#[test]
fn a_whole_answer_becomes_one_chunk_and_a_done_mark() {
    let body = r#"{ "id": "a", "object": "chat.completion", "x": 1e400, "choices": [ { "index": 0,
        "message": { "role": "assistant", "content": "a \" b\n", "tool_calls": [ { "id": "c" }, { "index": 7 } ] }, "finish_reason": "stop" } ],
        "usage": { "prompt_tokens": 0.10 } }"#;
    let out = to_stream(Surface::Chat, &Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let expected = concat!(
        r#"data: {"id":"a","object":"chat.completion.chunk","x":1e400,"choices":[{"index":0,"delta":{"role":"assistant","content":"a \" b\n","#,
        r#""tool_calls":[{"index":0,"id":"c"},{"index":7}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":0.10}}"#,
        "\n\ndata: [DONE]\n\n"
    );
    assert_eq!(std::str::from_utf8(&out).unwrap(), expected);
    let out = to_stream(
        Surface::Completions,
        &Bytes::from_static(br#"{"choices":[ {"text":"x"} ]}"#),
    )
    .unwrap();
    assert_eq!(
        out,
        "data: {\"choices\":[{\"text\":\"x\"}]}\n\ndata: [DONE]\n\n"
    );
    assert!(to_stream(Surface::Chat, &Bytes::from_static(b"{}")).is_err());
}
