use super::*;
use crate::middle::{
    Format, Json, Lost, Message, Options, Part, Reasoning, Request, Role, Sampling, Source, Tool,
    ToolCall, ToolChoice, ToolResult,
};

fn write_for(model: &str, request: &Request) -> (String, Vec<String>) {
    let mut lost = Lost::default();
    let options = Options {
        model,
        ..Options::default()
    };
    let bytes = (UPSTREAM.request)(request, &options, &mut lost);
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    (text, lost.names().map(str::to_owned).collect())
}

fn write(request: &Request) -> (String, Vec<String>) {
    write_for("gemini-2.5-flash", request)
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn said(messages: Vec<Message>) -> Request {
    Request {
        messages,
        ..Request::default()
    }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

fn call(id: &str, name: &str, input: &str, signature: Option<&str>) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: name.into(),
        input: input.into(),
        signature: signature.map(Into::into),
    })
}

fn result(id: &str, parts: Vec<Part>, is_error: bool) -> Part {
    Part::ToolResult(ToolResult {
        id: id.into(),
        name: None,
        parts,
        is_error,
        cache: None,
    })
}

#[test]
fn speakers_become_user_and_model_and_instructions_stand_first() {
    let request = said(vec![
        Message::text(Role::System, "Be kind."),
        Message::text(Role::Developer, "Be brief."),
        Message::text(Role::User, "Hi"),
        Message::text(Role::Assistant, "Hello"),
        Message::text(Role::User, "Well"),
        Message::text(Role::User, "?"),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"Be kind."},{"text":"Be brief."}]},"contents":["#,
        r#"{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},"#,
        r#"{"role":"user","parts":[{"text":"Well"}]},{"role":"user","parts":[{"text":"?"}]}]}"#
    );
    assert_eq!((text.as_str(), lost), (expected, vec![]));
    let late = said(vec![
        Message::text(Role::User, "Hi"),
        Message::text(Role::System, "Now"),
    ]);
    assert_eq!(write(&late).1, ["messages[].role"]);
}

#[test]
fn calls_made_at_once_and_their_results_are_one_content_each() {
    let request = said(vec![
        Message::text(Role::User, "?"),
        message(
            Role::Assistant,
            vec![
                Part::Reasoning {
                    text: "hm".into(),
                    signature: Some("czA=".into()),
                    opaque: None,
                    id: None,
                },
                call("1", "f", r#"{"a":1.0}"#, Some("czE=")),
            ],
        ),
        message(Role::Assistant, vec![call("2", "g", "", None)]),
        message(Role::Tool, vec![result("1", vec![Part::text("42")], false)]),
        message(
            Role::Tool,
            vec![
                result("2", vec![Part::text(r#"{"ok": 1.0}"#)], false),
                result("9", vec![Part::text("no")], true),
            ],
        ),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"contents":[{"role":"user","parts":[{"text":"?"}]},"#,
        r#"{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"czA="},"#,
        r#"{"functionCall":{"id":"1","name":"f","args":{"a":1.0}},"thoughtSignature":"czE="},"#,
        r#"{"functionCall":{"id":"2","name":"g","args":{}}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"42"}}},"#,
        r#"{"functionResponse":{"id":"2","name":"g","response":{"ok": 1.0}}},"#,
        r#"{"functionResponse":{"id":"9","name":"9","response":{"error":"no"}}}]}]}"#
    );
    assert_eq!((text.as_str(), lost), (expected, vec![]));
}

#[test]
fn a_call_of_another_model_is_not_refused_for_its_signature() {
    let calls = vec![call("1", "f", "", None), call("2", "g", "", None)];
    let request = said(vec![message(Role::Assistant, calls)]);
    let word = "skip_thought_signature_validator";
    let (text, _) = write_for("gemini-3-flash-preview", &request);
    assert_eq!(text.matches(word).count(), 1);
    assert!(!write(&request).0.contains(word));
    let signed = vec![call("1", "f", "", Some("cw==")), call("2", "g", "", None)];
    let request = said(vec![message(Role::Assistant, signed)]);
    assert!(
        !write_for("gemini-3-flash-preview", &request)
            .0
            .contains(word)
    );
}

#[test]
fn broken_arguments_are_lost_and_named() {
    let request = said(vec![message(
        Role::Assistant,
        vec![call("1", "f", "{\"a\":", None)],
    )]);
    let (text, lost) = write(&request);
    assert!(text.contains(r#""args":{}"#));
    assert_eq!(lost, ["messages[].tool_calls[].function.arguments"]);
}

#[test]
fn pictures_files_and_sounds_are_data_or_addresses() {
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.into(),
        data: "aGk=".into(),
    };
    let image = |source, detail: Option<&str>| Part::Image {
        source,
        detail: detail.map(Into::into),
        cache: None,
    };
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let request = said(vec![message(
        Role::User,
        vec![
            image(inline("image/webp"), Some("high")),
            image(inline(""), None),
            image(Source::Url("https://x.example/a.JPG?w=1".into()), None),
            image(Source::Url("https://x.example/a".into()), None),
            file(inline("application/pdf"), Some("a.pdf")),
            file(
                Source::Id("https://generativelanguage.googleapis.com/v1beta/files/abc".into()),
                None,
            ),
            Part::Audio {
                data: "aGk=".into(),
                format: "mp3".into(),
            },
        ],
    )]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/webp","data":"aGk="}},"#,
        r#"{"inlineData":{"mimeType":"image/png","data":"aGk="}},"#,
        r#"{"fileData":{"mimeType":"image/jpeg","fileUri":"https://x.example/a.JPG?w=1"}},"#,
        r#"{"fileData":{"fileUri":"https://x.example/a"}},"#,
        r#"{"inlineData":{"mimeType":"application/pdf","data":"aGk="}},"#,
        r#"{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}},"#,
        r#"{"inlineData":{"mimeType":"audio/mp3","data":"aGk="}}]}]}"#
    );
    assert_eq!(text, expected);
    assert_eq!(
        lost,
        [
            "messages[].content[].image_url.detail",
            "messages[].content[].file.filename"
        ]
    );
}

#[test]
fn a_picture_in_a_result_goes_inside_it_or_beside_it() {
    let picture = || Part::Image {
        source: Source::Inline {
            media_type: "image/png".into(),
            data: "aGk=".into(),
        },
        detail: None,
        cache: None,
    };
    let request = said(vec![
        message(Role::Assistant, vec![call("1", "f", "", Some("cw=="))]),
        message(
            Role::Tool,
            vec![result("1", vec![Part::text("see"), picture()], false)],
        ),
    ]);
    let inside = r#""response":{"output":"see"},"parts":[{"inlineData":{"#;
    assert!(
        write_for("gemini-3.1-pro-preview", &request)
            .0
            .contains(inside)
    );
    let beside = r#""response":{"output":"see"}}},{"inlineData":{"#;
    assert!(write(&request).0.contains(beside));
}

#[test]
fn tools_are_declared_with_json_schema_and_the_choice_is_kept() {
    let tool = |name: &str, parameters: Option<&str>| Tool::Function {
        name: name.into(),
        description: Some("d".into()),
        parameters: parameters.map(json),
        strict: Some(true),
        cache: None,
    };
    let mut request = said(vec![Message::text(Role::User, "?")]);
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
    let mut request = said(vec![Message::text(Role::User, "?")]);
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
fn thinking_is_asked_for_by_budget_or_by_level() {
    let thinking = |model: &str, reasoning: Reasoning| {
        let request = Request {
            reasoning: Some(reasoning),
            ..Request::default()
        };
        let (text, _) = write_for(model, &request);
        let found = text.split_once(r#""thinkingConfig":"#);
        found
            .map(|(_, config)| config.trim_end_matches('}').to_owned() + "}")
            .unwrap_or_default()
    };
    let effort = |effort: &str| Reasoning {
        effort: Some(effort.into()),
        ..Reasoning::default()
    };
    let (flash, pro, late) = (
        "gemini-2.5-flash",
        "gemini-2.5-pro",
        "gemini-3-flash-preview",
    );
    for (model, asked, expected) in [
        (
            flash,
            effort("low"),
            r#"{"includeThoughts":true,"thinkingBudget":1024}"#,
        ),
        (
            flash,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingBudget":24576}"#,
        ),
        (
            pro,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingBudget":32768}"#,
        ),
        (
            late,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#,
        ),
        (
            late,
            effort("minimal"),
            r#"{"includeThoughts":true,"thinkingLevel":"MINIMAL"}"#,
        ),
        (
            late,
            effort("none"),
            r#"{"includeThoughts":false,"thinkingBudget":0}"#,
        ),
        (
            flash,
            effort("none"),
            r#"{"includeThoughts":false,"thinkingBudget":0}"#,
        ),
        (
            late,
            Reasoning {
                budget: Some(json("2048")),
                enabled: Some(true),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true,"thinkingBudget":2048}"#,
        ),
        (
            flash,
            Reasoning {
                enabled: Some(true),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true,"thinkingBudget":-1}"#,
        ),
        (
            late,
            Reasoning {
                enabled: Some(true),
                include: Some(false),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":false}"#,
        ),
        (
            flash,
            Reasoning {
                summary: Some("auto".into()),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true}"#,
        ),
        (flash, Reasoning::default(), ""),
    ] {
        assert_eq!(thinking(model, asked), expected, "{model}");
    }
}

#[test]
fn what_has_no_place_is_named() {
    let mut request = said(vec![Message {
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
