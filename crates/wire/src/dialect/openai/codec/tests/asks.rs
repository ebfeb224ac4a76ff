use super::*;
use crate::middle::{Format, Message, Reasoning, Role, Tool, ToolCall, ToolChoice, ToolResult};

const NATIVE: Options<'static> = Options {
    model: "gpt",
    num_ctx: None,
    stream_options: true,
    plain_content: false,
};
const PLAIN: Options<'static> = Options {
    model: "llama",
    num_ctx: None,
    stream_options: false,
    plain_content: true,
};

fn ask(request: &Request, options: &Options<'_>) -> (String, Vec<String>) {
    let mut lost = Lost::default();
    let body = (UPSTREAM.request)(request, options, &mut lost);
    let names = lost.names().map(str::to_owned).collect();
    (String::from_utf8(body.to_vec()).unwrap(), names)
}

fn talk(messages: Vec<Message>, options: &Options<'_>) -> (String, Vec<String>) {
    let (body, lost) = ask(
        &Request {
            messages,
            ..Request::default()
        },
        options,
    );
    let messages = crate::json::member(&body, "messages").unwrap().to_owned();
    (messages, lost)
}

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

fn call(id: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: "f".into(),
        input: "{\"cut".into(),
        signature: Some("sealed".into()),
    })
}

fn result(id: &str, parts: Vec<Part>) -> Part {
    Part::ToolResult(ToolResult {
        id: id.into(),
        name: None,
        parts,
        is_error: id == "bad",
        cache: None,
    })
}

fn image() -> Part {
    Part::Image {
        source: Source::of_url("data:image/png;base64,AA=="),
        detail: Some("low".into()),
        cache: Json::parse("{}"),
    }
}

fn everything() -> Request {
    question(&json!({
        "model": "m", "messages": [{ "role": "user", "content": "hi" }], "stream": true,
        "max_tokens": 5, "temperature": 0.5, "top_p": 1, "top_k": 40, "frequency_penalty": 0, "presence_penalty": 0,
        "seed": 1, "stop": "a", "n": 2, "logprobs": true, "top_logprobs": 3, "logit_bias": {},
        "reasoning_effort": "low", "user": "u", "service_tier": "flex", "prompt_cache_key": "k", "store": true,
        "metadata": {}, "verbosity": "low", "parallel_tool_calls": false, "tool_choice": "auto",
        "tools": [{ "type": "function", "function": { "name": "f" } }], "response_format": { "type": "json_object" },
        "modalities": ["text"], "novel": 1, "container": "c",
    }))
}

#[test]
fn a_native_server_gets_every_member_in_its_order() {
    let (body, lost) = ask(&everything(), &NATIVE);
    let expected = concat!(
        r#"{"model":"gpt","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"#,
        r#""max_completion_tokens":5,"temperature":0.5,"top_p":1,"frequency_penalty":0,"presence_penalty":0,"seed":1,"stop":["a"],"#,
        r#""n":2,"logprobs":true,"top_logprobs":3,"logit_bias":{},"reasoning_effort":"low","#,
        r#""tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"auto","parallel_tool_calls":false,"#,
        r#""response_format":{"type":"json_object"},"user":"u","service_tier":"flex","prompt_cache_key":"k","store":true,"#,
        r#""metadata":{},"verbosity":"low","modalities":["text"]}"#
    );
    assert_eq!(body, expected);
    assert_eq!(lost, ["top_k", "container", "novel"]);
}

#[test]
fn a_server_that_only_resembles_it_gets_what_it_knows() {
    let (body, lost) = ask(&everything(), &PLAIN);
    let expected = concat!(
        r#"{"model":"llama","messages":[{"role":"user","content":"hi"}],"stream":true,"#,
        r#""max_tokens":5,"temperature":0.5,"top_p":1,"top_k":40,"frequency_penalty":0,"presence_penalty":0,"seed":1,"stop":["a"],"#,
        r#""n":2,"logprobs":true,"top_logprobs":3,"logit_bias":{},"reasoning_effort":"low","#,
        r#""tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"auto","parallel_tool_calls":false,"#,
        r#""response_format":{"type":"json_object"},"user":"u","modalities":["text"]}"#
    );
    assert_eq!(body, expected);
    let newer = [
        "store",
        "metadata",
        "service_tier",
        "prompt_cache_key",
        "verbosity",
    ];
    assert_eq!(lost[..5], newer);
    assert_eq!(lost[5..], ["container", "novel"]);
}

#[test]
fn results_stand_right_behind_their_calls_and_what_is_no_text_follows_them() {
    let messages = vec![
        Message::text(Role::System, "s"),
        Message::text(Role::Developer, "d"),
        said(
            Role::Assistant,
            vec![
                Part::Reasoning {
                    text: "hm".into(),
                    signature: Some("sealed".into()),
                    opaque: Some("sealed".into()),
                    id: None,
                },
                call("a"),
                Part::text("so"),
                call("bad"),
            ],
        ),
        said(
            Role::Tool,
            vec![result("a", vec![Part::text("r"), image()])],
        ),
        said(Role::Tool, vec![result("bad", vec![])]),
        Message::text(Role::User, "go on"),
    ];
    let (body, lost) = talk(messages, &NATIVE);
    let expected = concat!(
        r#"[{"role":"system","content":"s"},{"role":"developer","content":"d"},"#,
        r#"{"role":"assistant","content":"so","reasoning_content":"hm","tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"f","arguments":"{\"cut"}},"#,
        r#"{"id":"bad","type":"function","function":{"name":"f","arguments":"{\"cut"}}]},"#,
        r#"{"role":"tool","content":"r","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"bad"},"#,
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},{"type":"text","text":"go on"}]}]"#
    );
    assert_eq!(body, expected);
    assert!(!body.contains("sealed"), "proofs of another maker");
    let last = vec![said(Role::Tool, vec![result("a", vec![image()])])];
    let shown = r#"[{"role":"tool","content":"","tool_call_id":"a"},{"role":"user","content":[{"type":"image_url""#;
    assert!(talk(last, &NATIVE).0.starts_with(shown));
    let redacted = "messages[].content[].redacted_thinking";
    assert_eq!(
        lost,
        [redacted, "messages[].content[].is_error", "cache_control"]
    );
}

#[test]
fn content_is_a_string_where_it_can_be_one() {
    let two = || vec![said(Role::User, vec![Part::text("a"), Part::text("b")])];
    let parts =
        r#"[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]"#;
    assert_eq!(talk(two(), &NATIVE).0, parts);
    assert_eq!(
        talk(two(), &PLAIN).0,
        "[{\"role\":\"user\",\"content\":\"a\\nb\"}]"
    );
    let calls = vec![said(Role::Assistant, vec![call("a")])];
    assert!(
        talk(calls, &NATIVE)
            .0
            .starts_with(r#"[{"role":"assistant","content":null,"tool_calls""#)
    );
    let refusal = || {
        vec![said(
            Role::Assistant,
            vec![Part::Refusal { text: "no".into() }],
        )]
    };
    let own = r#"[{"role":"assistant","content":null,"refusal":"no"}]"#;
    assert_eq!(talk(refusal(), &NATIVE).0, own);
    assert_eq!(
        talk(refusal(), &PLAIN).0,
        r#"[{"role":"assistant","content":"no"}]"#
    );
    let nothing = vec![said(Role::Assistant, vec![]), said(Role::User, vec![])];
    let empty = r#"[{"role":"assistant","content":""},{"role":"user","content":""}]"#;
    assert_eq!(talk(nothing, &NATIVE).0, empty);
}

#[test]
fn media_have_their_parts_and_what_has_none_is_named() {
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.into(),
        data: "AA==".into(),
    };
    let user = vec![
        Part::Audio {
            data: "UklG".into(),
            format: "wav".into(),
        },
        file(inline("application/pdf"), Some("a.pdf")),
        file(inline(""), None),
        file(inline("video/mp4"), None),
        file(Source::Id("file-1".into()), Some("x")),
        Part::Image {
            source: Source::Id("file-2".into()),
            detail: None,
            cache: None,
        },
        Part::Other {
            kind: "search_result".into(),
            value: Json::parse("{}").unwrap(),
        },
    ];
    let (body, lost) = talk(
        vec![said(Role::User, user), said(Role::Assistant, vec![image()])],
        &NATIVE,
    );
    let expected = concat!(
        r#"[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}},"#,
        r#"{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}},"#,
        r#"{"type":"file","file":{"filename":"file","file_data":"AA=="}},"#,
        r#"{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AA=="}},"#,
        r#"{"type":"file","file":{"file_id":"file-1"}}]},{"role":"assistant","content":""}]"#
    );
    assert_eq!(body, expected);
    assert_eq!(
        lost,
        [
            "messages[].content[].image_url",
            "messages[].content[].search_result"
        ]
    );
}

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
fn thinking_is_asked_for_by_effort() {
    let ask = |reasoning: Reasoning| {
        let request = Request {
            reasoning: Some(reasoning),
            ..Request::default()
        };
        let (body, lost) = ask(&request, &NATIVE);
        let effort = crate::json::member(&body, "reasoning_effort");
        (effort.map(|e| e.trim_matches('"').to_owned()), lost)
    };
    let base = Reasoning::default;
    let effort = |word: &str| Some(word.to_owned());
    for (reasoning, word, names) in [
        (
            Reasoning {
                effort: effort("xhigh"),
                ..base()
            },
            Some("xhigh"),
            vec![],
        ),
        (
            Reasoning {
                effort: effort("none"),
                ..base()
            },
            Some("none"),
            vec![],
        ),
        (
            Reasoning {
                budget: Json::parse("9000"),
                enabled: Some(true),
                ..base()
            },
            Some("medium"),
            vec![],
        ),
        (
            Reasoning {
                enabled: Some(true),
                ..base()
            },
            None,
            vec!["reasoning.enabled"],
        ),
        (
            Reasoning {
                enabled: Some(false),
                budget: Json::parse("9000"),
                ..base()
            },
            None,
            vec!["reasoning.enabled"],
        ),
        (
            Reasoning {
                effort: effort("low"),
                summary: effort("auto"),
                include: Some(false),
                encrypted: true,
                ..base()
            },
            Some("low"),
            vec![
                "reasoning.summary",
                "reasoning.exclude",
                "reasoning.encrypted_content",
            ],
        ),
    ] {
        let (said, lost) = ask(reasoning);
        assert_eq!(
            (said.as_deref(), lost),
            (word, names.into_iter().map(str::to_owned).collect())
        );
    }
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

#[test]
fn what_is_written_reads_as_what_was_meant() {
    let body = json!({
        "model": "m", "stream": true, "messages": [
            { "role": "system", "content": "s" },
            { "role": "user", "name": "ann", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
            { "role": "assistant", "content": "so", "reasoning_content": "hm", "tool_calls": [{ "id": "c", "function": { "name": "f", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "c", "content": "r" },
            { "role": "assistant", "content": null, "refusal": "no", "audio": { "id": "x" } },
        ],
        "max_completion_tokens": 5, "temperature": 0.5, "stop": ["a"], "seed": 1, "n": 2, "logprobs": true,
        "tools": [{ "type": "function", "function": { "name": "f", "parameters": {} } }, { "type": "custom", "custom": {} }],
        "tool_choice": "required", "reasoning_effort": "low", "user": "u", "store": true, "metadata": { "a": "b" },
        "response_format": { "type": "json_schema", "json_schema": { "name": "n", "schema": {} } },
        "stream_options": { "include_usage": true }, "modalities": ["text"],
    });
    let asked = question(&body);
    let mut lost = Lost::default();
    let options = Options {
        model: "m",
        ..NATIVE
    };
    let written = (UPSTREAM.request)(&asked, &options, &mut lost);
    assert_eq!((SURFACE.request)(&written).unwrap(), asked);
    assert!(lost.is_empty());
}
