//! Tools, and members whose names other APIs have too.

use super::*;

#[test]
fn a_choice_without_tools_means_nothing() {
    let mut request = Request {
        tools: vec![Tool::Hosted {
            kind: "web_search_20250305".into(),
            value: Json::parse("{}").unwrap(),
        }],
        tool_choice: Some(ToolChoice::Required),
        parallel_tools: Some(true),
        ..Request::default()
    };
    let (body, lost) = ask(&request, &NATIVE);
    assert_eq!(body, r#"{"model":"gpt","messages":[]}"#);
    assert_eq!(lost, ["tools[].web_search_20250305", "tool_choice"]);
    request.tools.push(Tool::Function {
        name: "f".into(),
        description: Some("d".into()),
        parameters: Json::parse("{ \"z\": 1.50, \"a\": 1e400 }"),
        strict: Some(true),
        cache: Json::parse("{}"),
    });
    request.tool_choice = Some(ToolChoice::Function("f".into()));
    let (body, lost) = ask(&request, &NATIVE);
    let expected = concat!(
        r#""tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{ "z": 1.50, "a": 1e400 },"strict":true}}],"#,
        r#""tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":true}"#
    );
    assert!(body.ends_with(expected), "{body}");
    assert_eq!(lost, ["tools[].web_search_20250305", "cache_control"]);
}

#[test]
fn members_of_other_apis_with_the_same_name_are_not_taken_for_ours() {
    let extra = |name: &str, value: &str| Request {
        tools: vec![Tool::Function {
            name: "f".into(),
            description: None,
            parameters: None,
            strict: None,
            cache: None,
        }],
        extra: vec![(name.to_owned(), Json::parse(value).unwrap())],
        ..Request::default()
    };
    let ours = extra(
        "tool_choice",
        r#"{"type":"allowed_tools","allowed_tools":{"mode":"auto"}}"#,
    );
    let (body, lost) = ask(&ours, &NATIVE);
    assert!(body.contains("allowed_tools") && lost.is_empty());
    let responses = extra(
        "tool_choice",
        r#"{"type":"allowed_tools","mode":"auto","tools":[]}"#,
    );
    let (body, lost) = ask(&responses, &NATIVE);
    assert!(!body.contains("allowed_tools"));
    assert_eq!(lost, ["tool_choice"]);
}

#[test]
fn a_schema_always_has_a_name() {
    let request = Request {
        format: Some(Format::JsonSchema {
            name: None,
            description: None,
            schema: Json::parse("{\"b\":1,\"a\":2}").unwrap(),
            strict: Some(true),
        }),
        ..Request::default()
    };
    let expected = r#""response_format":{"type":"json_schema","json_schema":{"name":"response","schema":{"b":1,"a":2},"strict":true}}}"#;
    assert!(ask(&request, &NATIVE).0.ends_with(expected));
}
