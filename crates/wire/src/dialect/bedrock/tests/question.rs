use crate::{
    dialect::bedrock::UPSTREAM,
    middle::{
        Format, Json, Lost, Message, Options, Part, Request, Role, Source, Tool, ToolCall,
        ToolChoice, ToolResult,
    },
};

pub(super) const CLAUDE: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

/// The question as it is written, and what was lost.
pub(super) fn written(request: &Request, model: &str) -> (String, Vec<String>) {
    let mut lost = Lost::default();
    let options = Options {
        model,
        ..Options::default()
    };
    let bytes = (UPSTREAM.request)(request, &options, &mut lost);
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    (text, lost.names().map(str::to_owned).collect())
}

pub(super) fn json(text: &str) -> Option<Json> {
    Some(Json::parse(text).unwrap())
}

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

pub(super) fn call(id: &str, name: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: name.into(),
        input: input.into(),
        signature: None,
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

fn inline(media_type: &str, data: &str) -> Source {
    Source::Inline {
        media_type: media_type.into(),
        data: data.into(),
    }
}

#[test]
fn a_conversation_becomes_turns_with_the_instructions_apart() {
    let cached = Part::Text {
        text: "Be brief.".into(),
        citations: None,
        cache: json(r#"{"type":"ephemeral","ttl":"1h"}"#),
    };
    let thought = Part::Reasoning {
        text: "hm".into(),
        signature: Some("s=".into()),
        opaque: None,
        id: None,
    };
    let opaque = Part::Reasoning {
        text: String::new(),
        signature: None,
        opaque: Some("b3A=".into()),
        id: None,
    };
    let request = Request {
        messages: vec![
            said(Role::System, vec![cached]),
            Message::text(Role::User, "Weather?"),
            Message::text(Role::User, "In Pau."),
            Message::text(Role::Developer, "Metric."),
            said(
                Role::Assistant,
                vec![
                    thought,
                    opaque,
                    Part::text(""),
                    call("c1", "weather", r#"{"town": "Pau"}"#),
                    call("c2", "now", ""),
                ],
            ),
            said(
                Role::Tool,
                vec![result("c1", vec![Part::text("sun")], false)],
            ),
            said(Role::Tool, vec![result("c2", vec![], true)]),
            Message::text(Role::User, "So?"),
        ],
        ..Request::default()
    };
    let (text, lost) = written(&request, CLAUDE);
    let expected = concat!(
        r#"{"messages":[{"role":"user","content":[{"text":"Weather?"},{"text":"In Pau."}]},"#,
        r#"{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s="}}},"#,
        r#"{"reasoningContent":{"redactedContent":"b3A="}},"#,
        r#"{"toolUse":{"toolUseId":"c1","name":"weather","input":{"town": "Pau"}}},"#,
        r#"{"toolUse":{"toolUseId":"c2","name":"now","input":{}}}]},"#,
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"sun"}]}},"#,
        r#"{"toolResult":{"toolUseId":"c2","content":[],"status":"error"}},{"text":"So?"}]}],"#,
        r#""system":[{"text":"Be brief."},{"cachePoint":{"type":"default","ttl":"1h"}},{"text":"Metric."}],"#,
        r#""toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object","properties":{}}}}},"#,
        r#"{"toolSpec":{"name":"now","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}"#,
    );
    assert_eq!(text, expected);
    assert_eq!(lost, ["messages[].role"]);
    let (text, lost) = written(&request, "meta.llama3-70b");
    assert!(!text.contains("reasoningContent"));
    assert_eq!(lost, ["messages[].role", "messages[].reasoning"]);
}

#[test]
fn pictures_and_files_are_bytes_or_stand_in_s3() {
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let image = |source| Part::Image {
        source,
        detail: None,
        cache: None,
    };
    let parts = vec![
        image(inline("image/jpg", "/9j/")),
        image(inline("", "iVBORw0KGgoAAA")),
        image(Source::Url("s3://bucket/a.webp".into())),
        image(Source::Url("https://example.com/a.png".into())),
        file(inline("application/pdf", "JVBE"), Some("My_file.v2.pdf")),
        file(inline("", "JVBE"), Some("My file v2.PDF")),
        file(inline("text/plain", "eA=="), None),
        file(inline("video/mp4", "AAAA"), None),
        file(inline("application/zip", "UEsD"), None),
        file(Source::Id("file-1".into()), Some("a.pdf")),
        Part::Audio {
            data: "AAAA".into(),
            format: "wav".into(),
        },
        Part::Audio {
            data: "AAAA".into(),
            format: "pcm16".into(),
        },
        Part::Other {
            kind: "search_result".into(),
            value: Json::of(&1),
        },
    ];
    let request = Request {
        messages: vec![said(Role::User, parts)],
        ..Request::default()
    };
    let (text, lost) = written(&request, CLAUDE);
    let expected = concat!(
        r#"{"messages":[{"role":"user","content":["#,
        r#"{"image":{"format":"jpeg","source":{"bytes":"/9j/"}}},"#,
        r#"{"image":{"format":"png","source":{"bytes":"iVBORw0KGgoAAA"}}},"#,
        r#"{"image":{"format":"webp","source":{"s3Location":{"uri":"s3://bucket/a.webp"}}}},"#,
        r#"{"document":{"format":"pdf","name":"My file v2","source":{"bytes":"JVBE"}}},"#,
        r#"{"document":{"format":"pdf","name":"My file v2 (2)","source":{"bytes":"JVBE"}}},"#,
        r#"{"document":{"format":"txt","name":"document","source":{"bytes":"eA=="}}},"#,
        r#"{"video":{"format":"mp4","source":{"bytes":"AAAA"}}},"#,
        r#"{"audio":{"format":"wav","source":{"bytes":"AAAA"}}}]}]}"#,
    );
    assert_eq!(text, expected);
    let content = |kind: &str| format!("messages[].content[].{kind}");
    let kinds = ["image_url", "file", "input_audio", "search_result"];
    assert_eq!(lost, kinds.map(content));
}

fn function(name: &str, cache: bool) -> Tool {
    Tool::Function {
        name: name.into(),
        description: Some("d".into()),
        parameters: (name == "f")
            .then(|| json(r#"{"type":"object","b":1,"a":2}"#))
            .flatten(),
        strict: Some(name == "f"),
        cache: cache.then(|| json("{}")).flatten(),
    }
}

#[test]
fn tools_are_specified_and_chosen() {
    let request = |choice| Request {
        messages: vec![Message::text(Role::User, "x")],
        tools: vec![function("f", false), function("g", true)],
        tool_choice: choice,
        ..Request::default()
    };
    let tools = concat!(
        r#""toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"d","inputSchema":{"json":{"type":"object","b":1,"a":2}},"strict":true}},"#,
        r#"{"toolSpec":{"name":"g","description":"d","inputSchema":{"json":{"type":"object","properties":{}}}}},"#,
        r#"{"cachePoint":{"type":"default"}}]"#,
    );
    for (choice, expected) in [
        (None, "}"),
        (Some(ToolChoice::Auto), r#","toolChoice":{"auto":{}}}"#),
        (Some(ToolChoice::Required), r#","toolChoice":{"any":{}}}"#),
        (
            Some(ToolChoice::Function("g".into())),
            r#","toolChoice":{"tool":{"name":"g"}}}"#,
        ),
    ] {
        let (text, lost) = written(&request(choice), CLAUDE);
        assert!(text.ends_with(&format!("{tools}{expected}}}")), "{text}");
        assert!(lost.is_empty());
    }
    let none = request(Some(ToolChoice::None));
    assert!(!written(&none, CLAUDE).0.contains("toolConfig"));
    let mut used = none;
    used.messages
        .push(said(Role::Assistant, vec![call("a", "f", "")]));
    let (text, lost) = written(&used, CLAUDE);
    assert!(text.contains(tools) && !text.contains("toolChoice"));
    assert_eq!(lost, ["tool_choice"]);
}

#[test]
fn every_setting_is_said_or_named_as_lost() {
    let mut request = Request {
        messages: vec![Message::text(Role::User, "x")],
        tools: vec![
            function("f", false),
            Tool::Hosted {
                kind: "web_search".into(),
                value: Json::of(&1),
            },
        ],
        parallel_tools: Some(false),
        format: Some(Format::JsonSchema {
            name: Some("n".into()),
            description: None,
            schema: Json::parse(r#"{"type": "object"}"#).unwrap(),
            strict: Some(true),
        }),
        user: Some("u".into()),
        service_tier: Some("flex".into()),
        cache_key: Some("k".into()),
        store: Some(true),
        metadata: json(r#"{"team":"a b"}"#),
        verbosity: Some("low".into()),
        extra: vec![
            (
                "guardrailConfig".into(),
                Json::parse(r#"{"guardrailIdentifier":"g"}"#).unwrap(),
            ),
            ("min_p".into(), Json::of(&1)),
        ],
        ..Request::default()
    };
    let sampling = &mut request.sampling;
    sampling.max_tokens = json("100");
    sampling.temperature = json("0.10");
    sampling.top_p = json("1.0");
    sampling.top_k = json("5");
    sampling.stop = vec!["END".into()];
    for value in [
        &mut sampling.frequency_penalty,
        &mut sampling.presence_penalty,
        &mut sampling.seed,
        &mut sampling.n,
        &mut sampling.top_logprobs,
        &mut sampling.logit_bias,
    ] {
        *value = json("2");
    }
    sampling.logprobs = Some(true);
    let (text, lost) = written(&request, CLAUDE);
    for expected in [
        r#""inferenceConfig":{"maxTokens":100,"temperature":0.10,"topP":1.0,"stopSequences":["END"]}"#,
        r#""guardrailConfig":{"guardrailIdentifier":"g"}"#,
        r#""additionalModelRequestFields":{"top_k":5}"#,
        r#""additionalModelResponseFieldPaths":["/stop_sequence","/delta/stop_sequence"]"#,
        r#""requestMetadata":{"team":"a b"}"#,
        r#""serviceTier":{"type":"flex"}"#,
        r#""outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{\"type\": \"object\"}","name":"n"}}}}"#,
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let mut lost = lost;
    lost.sort();
    let mut expected = vec![
        "tools[].web_search",
        "parallel_tool_calls",
        "n",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "logprobs",
        "top_logprobs",
        "logit_bias",
        "user",
        "prompt_cache_key",
        "store",
        "verbosity",
        "min_p",
    ];
    expected.sort_unstable();
    assert_eq!(lost, expected);
}

#[test]
fn what_one_maker_understands_is_sent_to_no_other() {
    let mut request = Request {
        messages: vec![Message::text(Role::User, "x")],
        service_tier: Some("scale".into()),
        metadata: json(r#"{"odd":"ü"}"#),
        format: Some(Format::JsonObject),
        ..Request::default()
    };
    request.sampling.top_k = json("5");
    request.sampling.n = json("1");
    let (text, lost) = written(&request, "amazon.nova-pro-v1:0");
    assert!(text.contains(r#""additionalModelRequestFields":{"inferenceConfig":{"topK":5}}"#));
    assert_eq!(lost, ["response_format", "metadata", "service_tier"]);
    let (text, lost) = written(&request, "meta.llama3-70b-instruct-v1:0");
    assert!(!text.contains("additional"), "{text}");
    assert!(lost.contains(&"top_k".to_owned()));
}

#[test]
fn ids_of_other_providers_become_ids_that_are_allowed() {
    let odd = "call|with spaces/".repeat(9);
    let request = Request {
        messages: vec![
            said(
                Role::Assistant,
                vec![call(&odd, "f", "[1]"), call("", "f", "{\"a\"")],
            ),
            said(Role::Tool, vec![result(&odd, vec![], false)]),
        ],
        ..Request::default()
    };
    let (text, lost) = written(&request, CLAUDE);
    let ids: Vec<&str> = text
        .split(r#""toolUseId":""#)
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(ids[0], ids[2]);
    assert_ne!(ids[0], ids[1]);
    for id in ids {
        assert!((1..=64).contains(&id.len()), "{id}");
        assert!(
            id.chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.:-".contains(c))
        );
    }
    assert_eq!(lost, ["messages[].tool_calls[].function.arguments"]);
}

#[test]
fn instructions_alone_are_said_by_the_user_and_late_ones_are_moved_and_named() {
    let system = || Message::text(Role::System, "Say hi.");
    let ask = |messages| {
        let request = Request {
            messages,
            ..Request::default()
        };
        written(&request, CLAUDE)
    };
    let (text, lost) = ask(vec![system()]);
    assert_eq!(
        text,
        r#"{"messages":[{"role":"user","content":[{"text":"Say hi."}]}]}"#
    );
    assert_eq!(lost, ["messages[].role"]);
    let (text, lost) = ask(vec![Message::text(Role::User, "a"), system()]);
    assert!(
        text.ends_with(r#""system":[{"text":"Say hi."}]}"#),
        "{text}"
    );
    assert_eq!(lost, ["messages[].role"]);
    let (_, lost) = ask(vec![system(), Message::text(Role::User, "a")]);
    assert_eq!(lost, [""; 0]);
}

#[test]
fn a_conversation_with_calls_declares_the_tools_it_names() {
    let request = Request {
        messages: vec![
            Message::text(Role::User, "?"),
            said(
                Role::Assistant,
                vec![
                    call("c1", "f", "{}"),
                    call("c2", "g", "{}"),
                    call("c3", "f", "{}"),
                ],
            ),
            said(Role::Tool, vec![result("c1", vec![Part::text("1")], false)]),
        ],
        tool_choice: Some(ToolChoice::Required),
        ..Request::default()
    };
    let (text, lost) = written(&request, CLAUDE);
    let spec = |name: &str| {
        format!(
            r#"{{"toolSpec":{{"name":"{name}","inputSchema":{{"json":{{"type":"object","properties":{{}}}}}}}}}}"#
        )
    };
    let expected = format!(
        r#""toolConfig":{{"tools":[{},{}]}}}}"#,
        spec("f"),
        spec("g")
    );
    assert!(text.ends_with(&expected), "{text}");
    assert_eq!(lost, ["tool_choice"]);
}
