use crate::{
    Class, Usage,
    dialect::{End, Finish, bedrock::UPSTREAM},
    middle::{Part, ToolCall, summary},
};

#[test]
fn a_whole_answer_is_read() {
    let body = r#"{"metrics":{"latencyMs":12},"output":{"message":{"role":"assistant","content":[
        {"reasoningContent":{"reasoningText":{"text":"hm","signature":"s="}}},
        {"reasoningContent":{"redactedContent":"b3A="}},
        {"text":"Hello"},
        {"citationsContent":{"content":[{"text":"a"},{"text":"b"}],"citations":[{"title":"t"}]}},
        {"guardContent":{}},
        {"toolUse":{"toolUseId":"t1","name":"f","input":{"x": 0.10, "y": [1e400]}}},
        {"toolUse":{"toolUseId":"t2","name":"g","input":{},"type":"server_tool_use"}}]}},
        "stopReason":"tool_use","additionalModelResponseFields":{"stop_sequence":null},"serviceTier":{"type":"flex"},
        "usage":{"inputTokens":10,"outputTokens":5,"totalTokens":18,"cacheReadInputTokens":3,"cacheWriteInputTokens":0}}"#;
    let answer = (UPSTREAM.answer)(body.as_bytes()).unwrap();
    let usage = Usage {
        input: Some(13),
        output: Some(5),
        total: Some(18),
        cached_input: Some(3),
        cache_write: Some(0),
        reasoning: None,
    };
    assert_eq!(answer.usage, Some(usage));
    assert_eq!(answer.service_tier.as_deref(), Some("flex"));
    assert_eq!(answer.durations.total.unwrap().as_millis(), 12);
    let choice = &answer.choices[0];
    assert_eq!(choice.finish, Some(Finish::ToolCalls));
    let call = Part::ToolCall(ToolCall {
        id: "t1".into(),
        name: "f".into(),
        input: r#"{"x":0.10,"y":[1e400]}"#.into(),
        signature: None,
    });
    assert_eq!(choice.parts.len(), 5);
    assert_eq!(choice.parts[4], call);
    assert!(
        matches!(&choice.parts[0], Part::Reasoning { text, signature: Some(s), .. } if text == "hm" && s == "s=")
    );
    assert!(matches!(&choice.parts[1], Part::Reasoning { opaque: Some(o), .. } if o == "b3A="));
    assert_eq!(choice.parts[2], Part::text("Hello"));
    assert!(
        matches!(&choice.parts[3], Part::Text { text, citations: Some(_), .. } if text == "ab")
    );
    let lost: Vec<_> = answer.lost.names().collect();
    assert_eq!(lost, ["content[].guardContent", "content[].toolUse"]);
    assert_eq!(summary(&answer).end, End::Other);
}

#[test]
fn what_is_no_answer_is_malformed_or_the_failure_it_holds() {
    let class = |body: &str| (UPSTREAM.answer)(body.as_bytes()).unwrap_err().class;
    for body in [
        "",
        "null",
        "{}",
        "<html>",
        r#"{"output":{}}"#,
        r#"{"output":{"message":{"content":{}}}}"#,
    ] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    let unknown = r#"{"Output":{"__type":"com.amazon.coral.service#UnknownOperationException"},"Version":"1.0"}"#;
    assert_eq!(class(unknown), Class::NotFound);
    let throttled = r#"{"__type":"ThrottlingException","message":"slow down"}"#;
    assert_eq!(class(throttled), Class::RateLimited);
    assert_eq!(
        class(r#"{"error":{"message":"x","code":503}}"#),
        Class::Overloaded
    );
    let broken = r#"{"output":{"message":{"content":[]}},"stopReason":"malformed_model_output"}"#;
    assert_eq!(class(broken), Class::ServerError);
}
