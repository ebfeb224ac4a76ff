//! What an upstream of this API is asked.

use bytes::Bytes;

use crate::middle::{
    Format, Json, Lost, Message, Options, Part, Reasoning, Request, Role, Sampling, Source, Tool,
    ToolCall, ToolChoice, ToolResult,
};

/// The body for a target that calls the model `gpt`, and what was lost.
fn write(request: &Request) -> (String, Lost) {
    write_with(request, false)
}

fn write_with(request: &Request, plain_content: bool) -> (String, Lost) {
    let options = Options {
        model: "gpt",
        plain_content,
        ..Options::default()
    };
    let mut lost = Lost::default();
    let body = super::super::question::write(request, &options, &mut lost);
    (String::from_utf8(body.to_vec()).unwrap(), lost)
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn said(messages: Vec<Message>) -> Request {
    Request {
        model: "route".to_owned(),
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

fn call(id: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "f".to_owned(),
        input: input.to_owned(),
        signature: None,
    })
}

fn result(id: &str, parts: Vec<Part>) -> Part {
    Part::ToolResult(ToolResult {
        id: id.to_owned(),
        name: None,
        parts,
        is_error: false,
        cache: None,
    })
}

#[test]
fn a_conversation_becomes_items() {
    let (body, lost) = write(&said(vec![
        Message::text(Role::System, "Be brief"),
        Message::text(Role::User, "Hi"),
        message(
            Role::Assistant,
            vec![
                Part::text("a"),
                call("c1", "{\"x\": 1}"),
                call("c2", ""),
                Part::text("b"),
            ],
        ),
        message(
            Role::Tool,
            vec![
                result("c1", vec![Part::text("1"), Part::text("2")]),
                result("c2", vec![]),
            ],
        ),
        Message::text(Role::Developer, "More"),
        message(
            Role::Assistant,
            vec![Part::Refusal {
                text: "no".to_owned(),
            }],
        ),
    ]));
    let expected = r#"{"model":"gpt","instructions":"Be brief","input":[{"type":"message","role":"user","content":"Hi"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"x\": 1}"},{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},{"type":"function_call_output","call_id":"c1","output":"12"},{"type":"function_call_output","call_id":"c2","output":""},{"type":"message","role":"developer","content":"More"},{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]}"#;
    assert_eq!(body, expected);
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn every_parameter_is_written() {
    let request = Request {
        model: "route".to_owned(),
        stream: true,
        include_usage: true,
        messages: vec![Message::text(Role::User, "Hi")],
        tools: vec![Tool::Function {
            name: "f".to_owned(),
            description: Some("d".to_owned()),
            parameters: None,
            strict: None,
            cache: None,
        }],
        tool_choice: Some(ToolChoice::Function("f".to_owned())),
        parallel_tools: Some(false),
        format: Some(Format::JsonSchema {
            name: None,
            description: None,
            schema: json(r#"{"b":1,"a":2}"#),
            strict: Some(true),
        }),
        reasoning: Some(Reasoning {
            budget: Some(json("9000")),
            encrypted: true,
            ..Reasoning::default()
        }),
        sampling: Sampling {
            max_tokens: Some(json("100")),
            temperature: Some(json("0.10")),
            top_p: Some(json("1.0")),
            n: Some(json("1")),
            logprobs: Some(true),
            top_logprobs: Some(json("2")),
            ..Sampling::default()
        },
        user: Some("u".to_owned()),
        service_tier: Some("flex".to_owned()),
        cache_key: Some("k".to_owned()),
        store: Some(false),
        metadata: Some(json(r#"{"k":"v"}"#)),
        verbosity: Some("low".to_owned()),
        extra: vec![
            ("truncation".to_owned(), json("\"auto\"")),
            (
                "include".to_owned(),
                json(r#"["file_search_call.results"]"#),
            ),
        ],
    };
    let (body, lost) = write(&request);
    let expected = r#"{"model":"gpt","input":[{"type":"message","role":"user","content":"Hi"}],"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":{"type":"function","name":"f"},"parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"response","schema":{"b":1,"a":2},"strict":true},"verbosity":"low"},"reasoning":{"effort":"medium"},"max_output_tokens":100,"temperature":0.10,"top_p":1.0,"top_logprobs":2,"include":["reasoning.encrypted_content","message.output_text.logprobs","file_search_call.results"],"store":false,"metadata":{"k":"v"},"user":"u","service_tier":"flex","prompt_cache_key":"k","stream":true,"truncation":"auto"}"#;
    assert_eq!(body, expected);
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn what_the_api_does_not_have_is_named() {
    let some = || Some(json("2"));
    let request = Request {
        sampling: Sampling {
            top_k: some(),
            frequency_penalty: some(),
            presence_penalty: some(),
            seed: some(),
            stop: vec!["x".to_owned()],
            n: some(),
            logit_bias: Some(json("{}")),
            ..Sampling::default()
        },
        reasoning: Some(Reasoning {
            enabled: Some(false),
            ..Reasoning::default()
        }),
        extra: vec![("guardrails".to_owned(), json("1"))],
        ..said(vec![Message {
            name: Some("Ann".to_owned()),
            ..Message::text(Role::User, "Hi")
        }])
    };
    let (body, lost) = write(&request);
    let input = r#"{"model":"gpt","input":[{"type":"message","role":"user","content":"Hi"}]}"#;
    assert_eq!(body, input);
    let mut names: Vec<_> = lost.names().collect();
    names.sort_unstable();
    let expected = [
        "frequency_penalty",
        "guardrails",
        "logit_bias",
        "messages[].name",
        "n",
        "presence_penalty",
        "seed",
        "stop",
        "thinking",
        "top_k",
    ];
    assert_eq!(names, expected);
}

#[test]
fn thoughts_go_only_where_they_came_from() {
    let thought =
        |id: Option<&str>, opaque: Option<&str>, signature: Option<&str>| Part::Reasoning {
            text: "hm".to_owned(),
            signature: signature.map(str::to_owned),
            opaque: opaque.map(str::to_owned),
            id: id.map(str::to_owned),
        };
    let parts = vec![
        thought(Some("rs_1"), Some("e"), None),
        thought(None, Some("other"), None),
        thought(None, None, Some("signed")),
    ];
    let (body, lost) = write(&said(vec![message(Role::Assistant, parts)]));
    let expected = r#"{"model":"gpt","input":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e"}]}"#;
    assert_eq!(body, expected);
    assert!(lost.content.is_empty(), "{lost:?}");
    assert_eq!(lost.parameters, ["messages[].reasoning"]);
}

#[test]
fn pictures_and_files_are_sent_in_every_form() {
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.to_owned(),
        data: "aGk=".to_owned(),
    };
    let image = |source| Part::Image {
        source,
        detail: None,
        cache: Some(json("{}")),
    };
    let file = |source| Part::File {
        source,
        name: Some("a".to_owned()),
        cache: None,
    };
    let parts = vec![
        Part::text("see"),
        image(inline("image/png")),
        image(Source::Id("file_1".to_owned())),
        file(inline("application/pdf")),
        file(inline("")),
        file(Source::Url("https://a.example/a.pdf".to_owned())),
        Part::Audio {
            data: String::new(),
            format: String::new(),
        },
    ];
    let (body, lost) = write(&said(vec![
        message(Role::User, parts),
        message(
            Role::Tool,
            vec![result("c", vec![image(inline("image/png"))])],
        ),
    ]));
    let expected = r#"{"model":"gpt","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,aGk=","detail":"auto"},{"type":"input_image","file_id":"file_1","detail":"auto"},{"type":"input_file","filename":"a","file_data":"data:application/pdf;base64,aGk="},{"type":"input_file","filename":"a","file_data":"aGk="},{"type":"input_file","file_url":"https://a.example/a.pdf"}]},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,aGk=","detail":"auto"}]}]}"#;
    assert_eq!(body, expected);
    let names: Vec<_> = lost.names().collect();
    let expected = [
        "messages[].content[].input_audio",
        "messages[].content[].cache_control",
        "messages[].content[].file.filename",
    ];
    assert_eq!(names, expected);
}

#[test]
fn tools_of_other_providers_are_not_sent() {
    let hosted = |value: &str| Tool::Hosted {
        kind: json(value)
            .member("type")
            .and_then(crate::json::text)
            .unwrap()
            .into(),
        value: json(value),
    };
    let request = Request {
        tools: vec![
            hosted(r#"{"type":"web_search","search_context_size":"low"}"#),
            hosted(r#"{"type":"web_search_20250305","name":"web_search"}"#),
            hosted(r#"{"type":"custom","custom":{"name":"x"}}"#),
        ],
        ..said(vec![])
    };
    let (body, lost) = write(&request);
    let expected =
        r#"{"model":"gpt","input":[],"tools":[{"type":"web_search","search_context_size":"low"}]}"#;
    assert_eq!(body, expected);
    assert_eq!(lost.content, ["tools[].type"]);
}

#[test]
fn servers_that_know_only_strings_get_strings() {
    let messages = vec![
        message(Role::User, vec![Part::text("a"), Part::text("b")]),
        Message::text(Role::Assistant, "c"),
    ];
    let (body, _) = write_with(&said(messages.clone()), true);
    let plain = r#"{"model":"gpt","input":[{"type":"message","role":"user","content":"ab"},{"type":"message","role":"assistant","content":"c"}]}"#;
    assert_eq!(body, plain);
    let (body, _) = write(&said(messages));
    assert!(
        body.contains(r#"[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]"#)
    );
}

#[test]
fn effort_is_said_as_it_was_asked_for() {
    let effort = |reasoning: Reasoning| {
        let (body, lost) = write(&Request {
            reasoning: Some(reasoning),
            ..said(vec![])
        });
        let said = crate::json::member(&body, "reasoning").map(str::to_owned);
        (said.unwrap_or_default(), lost.is_empty())
    };
    let by_effort = Reasoning {
        effort: Some("none".to_owned()),
        ..Reasoning::default()
    };
    assert_eq!(effort(by_effort), (r#"{"effort":"none"}"#.to_owned(), true));
    let nothing = Reasoning {
        budget: Some(json("0")),
        ..Reasoning::default()
    };
    assert_eq!(effort(nothing), (String::new(), false));
    let shown = Reasoning {
        enabled: Some(true),
        include: Some(true),
        ..Reasoning::default()
    };
    assert_eq!(effort(shown), (r#"{"summary":"auto"}"#.to_owned(), true));
}

#[test]
fn what_was_read_is_written_again() {
    let body = r#"{"model":"gpt","instructions":"Be brief","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"https://a.example/x.png","detail":"low"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}]},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e"},{"type":"web_search_call","id":"ws_1","status":"completed"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b","annotations":[{"type":"url_citation","url":"u"}]},{"type":"refusal","refusal":"no"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{\"x\":"},{"type":"function_call_output","call_id":"c","output":"ok"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":true},{"type":"mcp","server_label":"s"}],"tool_choice":"required","parallel_tool_calls":true,"text":{"format":{"type":"json_object"}},"reasoning":{"effort":"low","summary":"concise"},"max_output_tokens":1e2,"include":["reasoning.encrypted_content"],"store":true,"stream":true,"previous_response_id":"resp_1","conversation":{"id":"conv_1"}}"#;
    let request = super::super::request::read(&Bytes::from_static(body.as_bytes())).unwrap();
    let (again, lost) = write(&request);
    assert_eq!(again, body);
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn a_choice_in_the_form_of_chat_completions_is_named_and_not_written() {
    for choice in [
        r#""Hello""#,
        r#"{"type":"custom","custom":{"name":"f"}}"#,
        r#"{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}"#,
    ] {
        let (body, lost) = write(&Request {
            extra: vec![("tool_choice".to_owned(), json(choice))],
            ..said(vec![])
        });
        assert_eq!(body, r#"{"model":"gpt","input":[]}"#, "{choice}");
        assert_eq!(lost.parameters, ["tool_choice"]);
    }
    let own = r#"{"type":"custom","name":"f"}"#;
    let (body, lost) = write(&Request {
        extra: vec![("tool_choice".to_owned(), json(own))],
        ..said(vec![])
    });
    assert!(body.contains(own) && lost.is_empty(), "{body} {lost:?}");
}

#[test]
fn who_asks_keeps_its_name_and_a_long_one_is_named() {
    let named = |user: Option<&str>, identifier: Option<&str>| {
        let identifier = identifier.map(|id| ("safety_identifier".to_owned(), Json::of(id)));
        let request = Request {
            user: user.map(str::to_owned),
            extra: identifier.into_iter().collect(),
            ..said(vec![Message::text(Role::User, "hi")])
        };
        let (body, lost) = write(&request);
        let members = ["user", "safety_identifier"].map(|name| {
            crate::json::member(&body, name).map(|value| value.trim_matches('"').to_owned())
        });
        let lost: Vec<_> = lost.names().map(str::to_owned).collect();
        (members, lost)
    };
    let (long, most) = ("n".repeat(65), "\u{e9}".repeat(64));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(named(None, Some("s")), ([None, some("s")], vec![]));
    assert_eq!(
        named(Some(&most), Some("s")),
        ([some(&most), some("s")], vec![])
    );
    let lost = ["user", "safety_identifier"].map(str::to_owned).to_vec();
    let (members, mut names) = named(Some(&long), Some(&long));
    names.sort_by_key(|name| name != "user");
    assert_eq!((members, names), ([None, None], lost));
}

#[test]
fn a_member_of_the_same_name_and_another_form_is_not_passed_on() {
    for (name, ours, theirs) in [
        (
            "context_management",
            r#"[{"type":"compaction"}]"#,
            r#"{"edits":[]}"#,
        ),
        ("prompt", r#"{"id":"p"}"#, r#""Once""#),
        ("truncation", r#""auto""#, r#"{"type":"last_messages"}"#),
    ] {
        let written = |value: &str| {
            let request = Request {
                extra: vec![(name.to_owned(), json(value))],
                ..said(vec![Message::text(Role::User, "hi")])
            };
            let (body, lost) = write(&request);
            let told = crate::json::member(&body, name).is_some();
            (told, lost.names().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(written(ours), (true, vec![]), "{name}");
        assert_eq!(written(theirs), (false, vec![name.to_owned()]), "{name}");
    }
}
