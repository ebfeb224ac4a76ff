//! Tools, settings, and what has no place.

use super::*;

#[test]
fn tools_are_declared_with_json_schema_and_the_choice_is_kept() {
    let tool = |name: &str, parameters: Option<&str>| Tool::Function {
        name: name.into(),
        description: Some("d".into()),
        parameters: parameters.map(json),
        strict: Some(true),
        cache: None,
    };
    let mut request = question(vec![Message::text(Role::User, "?")]);
    request.tools = vec![
        tool(
            "f",
            Some(
                r#"{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"minimum":1e2}}}"#,
            ),
        ),
        tool("g", None),
        Tool::Hosted {
            kind: "web_search".into(),
            value: json("{}"),
        },
    ];
    request.parallel_tools = Some(false);
    for (choice, expected) in [
        (ToolChoice::Auto, r#"{"mode":"AUTO"}"#),
        (ToolChoice::None, r#"{"mode":"NONE"}"#),
        (ToolChoice::Required, r#"{"mode":"ANY"}"#),
        (
            ToolChoice::Function("g".into()),
            r#"{"mode":"ANY","allowedFunctionNames":["g"]}"#,
        ),
    ] {
        request.tool_choice = Some(choice);
        let (text, lost) = write(&request);
        let tools = concat!(
            r#""tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":"#,
            r#"{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"minimum":1e2}}}},{"name":"g","description":"d"}]}],"#
        );
        let config = format!(r#"{tools}"toolConfig":{{"functionCallingConfig":{expected}}}}}"#);
        assert!(text.ends_with(&config), "{text}");
        assert_eq!(
            lost,
            [
                "tools[].function.strict",
                "tools[].web_search",
                "parallel_tool_calls"
            ]
        );
    }
}

#[test]
fn settings_keep_the_spelling_of_their_numbers() {
    let number = |text: &str| Some(json(text));
    let mut request = question(vec![Message::text(Role::User, "?")]);
    request.sampling = Sampling {
        max_tokens: number("1000"),
        temperature: number("0.70000000000000001"),
        top_p: number("1e0"),
        top_k: number("40"),
        frequency_penalty: number("0.1"),
        presence_penalty: number("-0.1"),
        seed: number("7"),
        stop: vec!["END".into()],
        n: number("2"),
        logprobs: Some(true),
        top_logprobs: number("3"),
        logit_bias: number("{}"),
    };
    request.format = Some(Format::JsonSchema {
        name: Some("n".into()),
        description: None,
        schema: json(r#"{"type":"object"}"#),
        strict: Some(true),
    });
    let (text, lost) = write(&request);
    let expected = concat!(
        r#""generationConfig":{"stopSequences":["END"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"#,
        r#""candidateCount":2,"maxOutputTokens":1000,"temperature":0.70000000000000001,"topP":1e0,"topK":40,"seed":7,"#,
        r#""presencePenalty":-0.1,"frequencyPenalty":0.1,"responseLogprobs":true,"logprobs":3}}"#
    );
    assert!(text.ends_with(expected), "{text}");
    assert_eq!(lost, ["logit_bias"]);
    request.format = Some(Format::JsonObject);
    assert!(
        write(&request)
            .0
            .contains(r#""responseMimeType":"application/json","candidateCount""#)
    );
}

#[test]
fn what_has_no_place_is_named() {
    let mut request = question(vec![Message {
        name: Some("ann".into()),
        ..message(
            Role::User,
            vec![
                Part::Text {
                    text: "a".into(),
                    citations: None,
                    cache: Some(json("{}")),
                },
                Part::Other {
                    kind: "video".into(),
                    value: json("{}"),
                },
            ],
        )
    }]);
    request.messages.push(message(
        Role::Assistant,
        vec![
            Part::Reasoning {
                text: String::new(),
                signature: None,
                opaque: Some("x".into()),
                id: None,
            },
            Part::Refusal { text: "no".into() },
        ],
    ));
    request.user = Some("u".into());
    request.service_tier = Some("flex".into());
    request.cache_key = Some("k".into());
    request.store = Some(true);
    request.metadata = Some(json("{}"));
    request.verbosity = Some("low".into());
    request.extra = vec![
        ("safety_settings".into(), json("[1]")),
        ("cachedContent".into(), json("\"cachedContents/1\"")),
        ("top_a".into(), json("1")),
    ];
    let (text, lost) = write(&request);
    assert!(
        text.contains(r#""safetySettings":[1],"cachedContent":"cachedContents/1""#),
        "{text}"
    );
    assert!(text.contains(r#"{"role":"model","parts":[{"text":"no"}]}"#));
    let expected = [
        "messages[].content[].video",
        "messages[].name",
        "cache_control",
        "messages[].reasoning",
        "user",
        "service_tier",
        "prompt_cache_key",
        "store",
        "metadata",
        "verbosity",
        "top_a",
    ];
    assert_eq!(lost, expected);
}

#[test]
fn a_choice_among_some_functions_is_said() {
    let tool = |name: &str| Tool::Function {
        name: name.into(),
        description: None,
        parameters: None,
        strict: None,
        cache: None,
    };
    for (mode, expected) in [
        (
            "required",
            r#""tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["g"]}}}"#,
        ),
        (
            "auto",
            r#""tools":[{"functionDeclarations":[{"name":"g"}]}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}"#,
        ),
    ] {
        let choice = format!(
            r#"{{"type":"allowed_tools","allowed_tools":{{"mode":"{mode}","tools":[{{"type":"function","function":{{"name":"g"}}}}]}}}}"#
        );
        let request = Request {
            tools: vec![tool("f"), tool("g")],
            extra: vec![("tool_choice".to_owned(), json(&choice))],
            ..question(vec![Message::text(Role::User, "?")])
        };
        let (text, lost) = write(&request);
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(lost, [""; 0]);
    }
}
