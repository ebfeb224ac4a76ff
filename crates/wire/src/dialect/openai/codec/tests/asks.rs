use super::*;
use crate::middle::{Format, Message, Reasoning, Role, Tool, ToolCall, ToolChoice, ToolResult};

mod messages;
mod thinking;
mod tools;

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

#[test]
fn a_name_of_the_user_that_openai_refuses_is_left_out_and_named() {
    let asked = |user: Option<&str>, identifier: &str, options| {
        let request = Request {
            user: user.map(Into::into),
            extra: vec![("safety_identifier".to_owned(), Json::of(identifier))],
            ..Request::default()
        };
        let (body, lost) = ask(&request, options);
        let told = ["user", "safety_identifier"]
            .map(|name| crate::json::member(&body, name).map(str::len));
        (told, lost)
    };
    let long = "n".repeat(65);
    let both = ["user", "safety_identifier"].map(str::to_owned).to_vec();
    assert_eq!(asked(Some("u"), "s", &NATIVE), ([Some(3); 2], vec![]));
    assert_eq!(asked(Some(&long), &long, &NATIVE), ([None; 2], both));
    assert_eq!(asked(None, &long, &PLAIN), ([Some(67), None], vec![]));
}
