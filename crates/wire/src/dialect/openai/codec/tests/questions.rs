use super::*;
use crate::middle::{
    Format, Message, Reasoning, Role, Sampling, Tool, ToolCall, ToolChoice, ToolResult,
};

fn messages(messages: Value) -> Vec<Message> {
    question(&json!({ "model": "m", "messages": messages })).messages
}

fn number(text: &str) -> Option<Json> {
    Json::parse(text)
}

#[test]
fn every_parameter_is_read_with_numbers_as_they_are_spelled() {
    let body = r#"{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false,"x":1},
        "max_tokens":5,"max_completion_tokens":10.0,"temperature":0.1234567890123456789,"top_p":1e400,"top_k":40,
        "frequency_penalty":-0.5,"presence_penalty":0,"seed":10000000000000000000000,"n":2,"stop":["a","b"],
        "logprobs":true,"top_logprobs":3,"logit_bias":{"50256":-100},"user":"u","safety_identifier":"u2",
        "service_tier":"flex","prompt_cache_key":"k","store":false,"metadata":{"a":"b"},"verbosity":"low",
        "parallel_tool_calls":false,"modalities":["text"],"prediction":null,"novel":{"x": 1}}"#;
    let read = (SURFACE.request)(&Bytes::from_static(body.as_bytes())).unwrap();
    let expected = Request {
        model: "m".into(),
        stream: true,
        include_usage: true,
        parallel_tools: Some(false),
        sampling: Sampling {
            max_tokens: number("10.0"),
            temperature: number("0.1234567890123456789"),
            top_p: number("1e400"),
            top_k: number("40"),
            frequency_penalty: number("-0.5"),
            presence_penalty: number("0"),
            seed: number("10000000000000000000000"),
            stop: vec!["a".into(), "b".into()],
            n: number("2"),
            logprobs: Some(true),
            top_logprobs: number("3"),
            logit_bias: number(r#"{"50256":-100}"#),
        },
        user: Some("u".into()),
        service_tier: Some("flex".into()),
        cache_key: Some("k".into()),
        store: Some(false),
        metadata: number(r#"{"a":"b"}"#),
        verbosity: Some("low".into()),
        extra: [
            ("stream_options.x", "1"),
            ("safety_identifier", "\"u2\""),
            ("modalities", "[\"text\"]"),
            ("novel", r#"{"x": 1}"#),
        ]
        .map(|(name, value)| (name.to_owned(), Json::parse(value).unwrap()))
        .into(),
        ..Request::default()
    };
    assert_eq!(read, expected);
    let read = question(
        &json!({ "model": "m", "messages": [], "stop": "a", "safety_identifier": "s", "max_tokens": 7 }),
    );
    assert_eq!(read.sampling.stop, ["a"]);
    let kept = ("safety_identifier".to_owned(), Json::of("s"));
    assert_eq!((read.user, read.extra), (None, vec![kept]));
    assert_eq!(read.sampling.max_tokens, number("7"));
}

#[test]
fn every_role_and_every_part_is_read() {
    let read = messages(json!([
        { "role": "system", "content": "s" },
        { "role": "developer", "content": [{ "type": "text", "text": "d", "cache_control": { "type": "ephemeral" } }] },
        { "role": "user", "name": "ann", "content": [
            { "type": "text", "text": "t" },
            { "type": "image_url", "image_url": { "url": "https://x/i.png", "detail": "low" } },
            { "type": "image_url", "image_url": "data:image/png;base64,AA==" },
            { "type": "input_audio", "input_audio": { "data": "UklG", "format": "wav" } },
            { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE" } },
            { "type": "file", "file": { "file_id": "file-1" } },
            { "type": "file", "file": { "file_data": "JVBE" } },
            { "type": "video_url", "video_url": { "url": "https://x/v.mp4" } },
            { "type": "novel", "x": 1 },
        ] },
    ]));
    let inline = |media_type: &str, data: &str| Source::Inline {
        media_type: media_type.into(),
        data: data.into(),
    };
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let image = |source, detail: Option<&str>| Part::Image {
        source,
        detail: detail.map(Into::into),
        cache: None,
    };
    assert_eq!(read[0], Message::text(Role::System, "s"));
    let cached = Part::Text {
        text: "d".into(),
        citations: None,
        cache: Json::parse(r#"{"type":"ephemeral"}"#),
    };
    assert_eq!(
        (read[1].role, &read[1].parts),
        (Role::Developer, &vec![cached])
    );
    let expected = vec![
        Part::text("t"),
        image(Source::Url("https://x/i.png".into()), Some("low")),
        image(inline("image/png", "AA=="), None),
        Part::Audio {
            data: "UklG".into(),
            format: "wav".into(),
        },
        file(inline("application/pdf", "JVBE"), Some("a.pdf")),
        file(Source::Id("file-1".into()), None),
        file(inline("", "JVBE"), None),
        file(Source::Url("https://x/v.mp4".into()), None),
        Part::Other {
            kind: "novel".into(),
            value: Json::parse(r#"{"type":"novel","x":1}"#).unwrap(),
        },
    ];
    assert_eq!(read[2].parts, expected);
    assert_eq!(read[2].name.as_deref(), Some("ann"));
}

#[test]
fn calls_and_their_results_are_read_in_the_new_form_and_in_the_old() {
    let read = messages(json!([
        { "role": "assistant", "content": "", "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{\"cut" }, "extra_content": { "google": { "thought_signature": "s" } } },
            { "id": "c2", "type": "custom", "custom": { "name": "g", "input": "x" } },
        ] },
        { "role": "tool", "tool_call_id": "c1", "content": "r", "cache_control": {} },
        { "role": "tool", "tool_call_id": "c2", "content": [{ "type": "text", "text": "r" }] },
        { "role": "assistant", "content": null, "function_call": { "name": "h", "arguments": "{}" } },
        { "role": "function", "name": "h", "content": "old" },
        { "role": "assistant", "refusal": "no", "audio": { "id": "a" } },
    ]));
    let call = |id: &str, name: &str, input: &str, signature: Option<&str>| {
        Part::ToolCall(ToolCall {
            id: id.into(),
            name: name.into(),
            input: input.into(),
            signature: signature.map(Into::into),
        })
    };
    let result = |id: &str, name: &str, text: &str, cache: Option<Json>| Message {
        role: Role::Tool,
        parts: vec![Part::ToolResult(ToolResult {
            id: id.into(),
            name: Some(name.into()),
            parts: vec![Part::text(text)],
            is_error: false,
            cache,
        })],
        name: None,
    };
    let calls = [
        call("c1", "f", "{\"cut", Some("s")),
        call("c2", "g", "x", None),
    ];
    assert_eq!(read[0].parts, calls, "an empty text beside calls is none");
    assert_eq!(read[1], result("c1", "f", "r", Json::parse("{}")));
    assert_eq!(read[2], result("c2", "g", "r", None));
    assert_eq!(read[3].parts, [call("call_0", "h", "{}", None)]);
    assert_eq!(read[4], result("call_0", "h", "old", None));
    let audio = Part::Other {
        kind: "audio".into(),
        value: Json::parse(r#"{"id":"a"}"#).unwrap(),
    };
    let refusal = Part::Refusal { text: "no".into() };
    assert_eq!(read[5].parts, [refusal, audio]);
}

#[test]
fn thoughts_come_back_with_what_proves_them() {
    let thought = |text: &str, signature: Option<&str>, opaque: Option<&str>| Part::Reasoning {
        text: text.into(),
        signature: signature.map(Into::into),
        opaque: opaque.map(Into::into),
        id: None,
    };
    for (said, expected) in [
        (
            json!({ "reasoning_content": "hm" }),
            vec![thought("hm", None, None)],
        ),
        (
            json!({ "reasoning": "hm", "reasoning_content": "" }),
            vec![thought("hm", None, None)],
        ),
        (
            json!({ "reasoning_content": "hm", "thinking_blocks": [
                { "type": "thinking", "thinking": "hm", "signature": "s" },
                { "type": "redacted_thinking", "data": "xx" },
            ] }),
            vec![
                thought("hm", Some("s"), None),
                thought("", None, Some("xx")),
            ],
        ),
        (
            // fragments of a stream that nobody put together
            json!({ "reasoning": "hm, so", "reasoning_details": [
                { "type": "reasoning.text", "text": "hm, ", "index": 0 },
                { "type": "reasoning.text", "text": "so", "index": 0 },
                { "type": "reasoning.text", "signature": "s", "index": 0 },
                { "type": "reasoning.text", "text": "and", "index": 1 },
            ] }),
            vec![
                thought("hm, so", Some("s"), None),
                thought("and", None, None),
            ],
        ),
        (
            json!({ "reasoning_content": "told", "reasoning_details": [{ "type": "reasoning.encrypted", "data": "xx", "index": 0 }] }),
            vec![thought("told", None, None), thought("", None, Some("xx"))],
        ),
    ] {
        let mut message = said.clone();
        message["role"] = "assistant".into();
        message["content"] = "so".into();
        let read = messages(json!([message]));
        let (last, thoughts) = read[0].parts.split_last().unwrap();
        assert_eq!(
            (thoughts, last),
            (expected.as_slice(), &Part::text("so")),
            "{said}"
        );
    }
}

#[test]
fn tools_choices_and_formats_are_read() {
    let read = question(&json!({ "model": "m", "messages": [],
        "tools": [
            { "type": "function", "function": { "name": "f", "description": "d", "parameters": { "type": "object" }, "strict": true }, "cache_control": {} },
            { "type": "custom", "custom": { "name": "c" } },
        ],
        "functions": [{ "name": "old" }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "n", "schema": { "z": 1, "a": 2 }, "strict": false } },
    }));
    let function =
        |name: &str, description: Option<&str>, parameters, strict, cache| Tool::Function {
            name: name.into(),
            description: description.map(Into::into),
            parameters,
            strict,
            cache,
        };
    let custom = Tool::Hosted {
        kind: "custom".into(),
        value: Json::parse(r#"{"custom":{"name":"c"},"type":"custom"}"#).unwrap(),
    };
    let parameters = Json::parse(r#"{"type":"object"}"#);
    assert_eq!(
        read.tools[1],
        function("f", Some("d"), parameters, Some(true), Json::parse("{}"))
    );
    let spelled = |tool: &Tool| match tool {
        Tool::Hosted { kind, value } => (kind.clone(), value.member("custom").map(str::to_owned)),
        _ => Default::default(),
    };
    assert_eq!(spelled(&read.tools[2]), spelled(&custom));
    // members are sorted on their way here
    assert_eq!(read.tools[0], function("old", None, None, None, None));
    let Some(Format::JsonSchema { name, strict, .. }) = read.format else {
        panic!()
    };
    assert_eq!((name.as_deref(), strict), (Some("n"), Some(false)));

    let choice = |value: Value| {
        let read = question(&json!({ "model": "m", "messages": [], "tool_choice": value }));
        (
            read.tool_choice,
            read.extra.first().map(|(name, _)| name.clone()),
        )
    };
    let f = || Some(ToolChoice::Function("f".into()));
    let kept = || Some("tool_choice".to_owned());
    for (value, expected) in [
        (json!("auto"), (Some(ToolChoice::Auto), None)),
        (json!("none"), (Some(ToolChoice::None), None)),
        (json!("required"), (Some(ToolChoice::Required), None)),
        (json!("any"), (Some(ToolChoice::Required), None)),
        (
            json!({ "type": "function", "function": { "name": "f" } }),
            (f(), None),
        ),
        (json!({ "name": "f" }), (f(), None)),
        (
            json!({ "type": "allowed_tools", "allowed_tools": {} }),
            (None, kept()),
        ),
        (json!("novel"), (None, kept())),
    ] {
        assert_eq!(choice(value.clone()), expected, "{value}");
    }
    let old = question(&json!({ "model": "m", "messages": [], "function_call": { "name": "f" } }));
    assert_eq!(old.tool_choice, f());
    for (format, kept) in [
        (json!({ "type": "text" }), false),
        (json!({ "type": "grammar" }), true),
    ] {
        let read = question(&json!({ "model": "m", "messages": [], "response_format": format }));
        assert_eq!((read.format, read.extra.len()), (None, usize::from(kept)));
    }
}

#[test]
fn thinking_is_asked_for_in_every_spelling() {
    let reasoning = |members: Value| {
        let mut body = members;
        body["model"] = "m".into();
        body["messages"] = json!([]);
        question(&body).reasoning.unwrap()
    };
    let base = Reasoning::default;
    let effort = |word: &str| Some(word.to_owned());
    for (members, expected) in [
        (
            json!({ "reasoning_effort": "low" }),
            Reasoning {
                effort: effort("low"),
                ..base()
            },
        ),
        (
            json!({ "reasoning": { "effort": "high", "exclude": true, "summary": "auto" } }),
            Reasoning {
                effort: effort("high"),
                include: Some(false),
                summary: effort("auto"),
                ..base()
            },
        ),
        (
            json!({ "reasoning": { "max_tokens": 2000, "enabled": true } }),
            Reasoning {
                budget: number("2000"),
                enabled: Some(true),
                ..base()
            },
        ),
        (
            json!({ "include_reasoning": true }),
            Reasoning {
                include: Some(true),
                ..base()
            },
        ),
        (
            json!({ "thinking": { "type": "enabled", "budget_tokens": 4096 } }),
            Reasoning {
                budget: number("4096"),
                enabled: Some(true),
                ..base()
            },
        ),
        (
            json!({ "thinking": { "type": "disabled" } }),
            Reasoning {
                enabled: Some(false),
                ..base()
            },
        ),
    ] {
        assert_eq!(reasoning(members.clone()), expected, "{members}");
    }
}

#[test]
fn what_stands_inside_reasoning_and_is_not_known_is_kept_by_its_path() {
    let request = question(&json!({ "model": "m", "messages": [],
        "reasoning": { "effort": "low", "of_tomorrow": 1, "gone": null },
        "thinking": { "type": "enabled", "budget_tokens": 2000, "display": "omitted", "new": true } }));
    let names: Vec<&str> = request
        .extra
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["reasoning.of_tomorrow", "thinking.new"]);
    assert_eq!(request.reasoning.unwrap().include, Some(false));
}

#[test]
fn what_is_not_read_inside_messages_and_tools_is_kept_by_name() {
    let read = question(&json!({
        "model": "m",
        "messages": [
            { "role": "user", "bar": 1, "content": [
                { "type": "text", "text": "a", "foo": 1 },
                { "type": "image_url", "image_url": { "url": "u", "zz": 1 }, "foo": 2 },
                { "type": "of_tomorrow", "x": 1 }
            ] },
            { "role": "assistant", "content": "b", "annotations": [{ "type": "url_citation" }],
              "tool_calls": [{ "id": "c", "type": "function", "yy": 1,
                "function": { "name": "f", "arguments": "{}", "zz": 1 } }] },
            { "role": "assistant", "content": "c", "audio": null, "annotations": [], "xx": null }
        ],
        "tools": [
            { "type": "function", "function": { "name": "f", "zz": 1 }, "yy": 1 },
            { "type": "custom", "custom": { "name": "g" }, "yy": 1 }
        ],
        "response_format": { "type": "json_schema", "json_schema": { "name": "n", "schema": {}, "x": 1 } }
    }));
    let names: Vec<_> = read.extra.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "messages[].bar",
        "messages[].content[].foo",
        "messages[].content[].image_url.zz",
        "messages[].annotations",
        "messages[].tool_calls[].yy",
        "messages[].tool_calls[].function.zz",
        "tools[].yy",
        "tools[].function.zz",
        "response_format.json_schema.x",
    ];
    for name in expected {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert_eq!(names.len(), expected.len(), "{names:?}");
}
