//! What is understood of a caller's question.

use bytes::Bytes;

use crate::{
    BadBody,
    middle::{
        Format, Json, Message, Part, Reasoning, Request, Role, Source, Tool, ToolCall, ToolChoice,
        ToolResult,
    },
};

mod faults;
mod turns;

fn read(body: &str) -> Result<Request, BadBody> {
    super::super::request::read(&Bytes::copy_from_slice(body.as_bytes()))
}

/// The messages of a question with this `input`.
fn messages(input: &str) -> Vec<Message> {
    read(&format!(r#"{{"model":"m","input":{input}}}"#))
        .unwrap()
        .messages
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

fn call(id: &str, name: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input: input.to_owned(),
        signature: None,
    })
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

#[test]
fn a_string_is_what_the_user_says_and_instructions_come_first() {
    let request = read(r#"{"input":"Hi","instructions":"Be brief","model":"m"}"#).unwrap();
    let expected = Request {
        model: "m".to_owned(),
        include_usage: true,
        messages: vec![
            Message::text(Role::System, "Be brief"),
            Message::text(Role::User, "Hi"),
        ],
        ..Request::default()
    };
    assert_eq!(request, expected);
}

#[test]
fn every_parameter_has_its_place_with_the_spelling_it_came_in() {
    let body = r#"{"model":"m","input":"x","stream":true,"max_output_tokens":100,"temperature":0.10,"top_p":1.0,"top_logprobs":3,"store":false,"metadata":{"k":"v"},"user":"u","service_tier":"flex","prompt_cache_key":"k","parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"n","schema":{"b":1,"a":2},"strict":true},"verbosity":"low"},"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content","message.output_text.logprobs"]}"#;
    let request = read(body).unwrap();
    let sampling = &request.sampling;
    let spelled = |json: &Option<Json>| json.as_ref().unwrap().as_str().to_owned();
    assert_eq!(spelled(&sampling.max_tokens), "100");
    assert_eq!(spelled(&sampling.temperature), "0.10");
    assert_eq!(spelled(&sampling.top_p), "1.0");
    assert_eq!(spelled(&sampling.top_logprobs), "3");
    assert_eq!(sampling.logprobs, Some(true));
    assert!(request.stream);
    assert_eq!(request.store, Some(false));
    assert_eq!(spelled(&request.metadata), r#"{"k":"v"}"#);
    assert_eq!(request.user.as_deref(), Some("u"));
    assert_eq!(request.service_tier.as_deref(), Some("flex"));
    assert_eq!(request.cache_key.as_deref(), Some("k"));
    assert_eq!(request.parallel_tools, Some(false));
    assert_eq!(request.verbosity.as_deref(), Some("low"));
    let format = Format::JsonSchema {
        name: Some("n".to_owned()),
        description: None,
        schema: json(r#"{"b":1,"a":2}"#),
        strict: Some(true),
    };
    assert_eq!(request.format, Some(format));
    let reasoning = Reasoning {
        effort: Some("high".to_owned()),
        summary: Some("auto".to_owned()),
        encrypted: true,
        ..Reasoning::default()
    };
    assert_eq!(request.reasoning, Some(reasoning));
    assert!(request.extra.is_empty(), "{:?}", request.extra);
}

#[test]
fn what_has_no_place_is_kept_by_name() {
    let body = r#"{"model":"m","input":"x","previous_response_id":"resp_1","background":true,"truncation":"auto","max_tool_calls":2,"conversation":null,"include":["file_search_call.results"],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[]},"text":{"format":{"type":"text"},"shape":1},"reasoning":{"mode":"x"},"seed":7}"#;
    let request = read(body).unwrap();
    let kept: Vec<_> = request
        .extra
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let expected = [
        ("previous_response_id", "\"resp_1\""),
        ("background", "true"),
        ("truncation", "\"auto\""),
        ("max_tool_calls", "2"),
        ("include", r#"["file_search_call.results"]"#),
        (
            "tool_choice",
            r#"{"type":"allowed_tools","mode":"auto","tools":[]}"#,
        ),
        ("text.shape", "1"),
        ("reasoning.mode", "\"x\""),
        ("seed", "7"),
    ];
    assert_eq!(kept, expected);
    assert_eq!(request.format, None);
    assert_eq!(request.reasoning, None);
}

#[test]
fn two_names_of_the_user_are_both_kept() {
    for body in [
        r#"{"model":"m","input":"x","user":"a","safety_identifier":"b"}"#,
        r#"{"model":"m","input":"x","safety_identifier":"b","user":"a"}"#,
    ] {
        let request = read(body).unwrap();
        assert_eq!(request.user.as_deref(), Some("a"), "{body}");
        let kept = ("safety_identifier".to_owned(), json("\"b\""));
        assert_eq!(request.extra, [kept], "{body}");
    }
    let request = read(r#"{"model":"m","input":"x","safety_identifier":"b"}"#).unwrap();
    let kept = ("safety_identifier".to_owned(), json("\"b\""));
    assert_eq!((request.user, request.extra), (None, vec![kept]));
}

#[test]
fn tools_are_functions_or_the_providers_own() {
    let body = r#"{"model":"m","input":"x","tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true},{"type":"function","name":"g"},{"type":"web_search","search_context_size":"low"}],"tool_choice":{"type":"function","name":"f"}}"#;
    let request = read(body).unwrap();
    let expected = [
        Tool::Function {
            name: "f".to_owned(),
            description: Some("d".to_owned()),
            parameters: Some(json(r#"{"type":"object"}"#)),
            strict: Some(true),
            cache: None,
        },
        Tool::Function {
            name: "g".to_owned(),
            description: None,
            parameters: None,
            strict: None,
            cache: None,
        },
        Tool::Hosted {
            kind: "web_search".to_owned(),
            value: json(r#"{"type":"web_search","search_context_size":"low"}"#),
        },
    ];
    assert_eq!(request.tools, expected);
    assert_eq!(
        request.tool_choice,
        Some(ToolChoice::Function("f".to_owned()))
    );
    for (word, choice) in [
        ("auto", ToolChoice::Auto),
        ("none", ToolChoice::None),
        ("required", ToolChoice::Required),
    ] {
        let body = format!(r#"{{"model":"m","input":"x","tool_choice":"{word}"}}"#);
        assert_eq!(read(&body).unwrap().tool_choice, Some(choice));
    }
}

#[test]
fn null_is_absent() {
    let body = r#"{"model":"m","input":"x","instructions":null,"tools":null,"temperature":null,"text":null,"reasoning":{"effort":null,"summary":null},"stream":null,"future":null}"#;
    assert_eq!(
        read(body).unwrap(),
        read(r#"{"model":"m","input":"x"}"#).unwrap()
    );
}

#[test]
fn a_question_may_be_elsewhere() {
    assert!(read(r#"{"model":"m","previous_response_id":"resp_1"}"#).is_ok());
    assert!(read(r#"{"model":"m","prompt":{"id":"p"}}"#).is_ok());
    let fault = read(r#"{"model":"m"}"#).unwrap_err();
    assert_eq!(fault.param, Some("input"));
}

#[test]
fn what_seals_a_thought_is_known_for_what_it_is() {
    let read = |sealed: &str| {
        let item =
            format!(r#"[{{"type":"reasoning","summary":[],"encrypted_content":"{sealed}"}}]"#);
        let parts = messages(&item).remove(0).parts;
        match parts.as_slice() {
            [
                Part::Reasoning {
                    signature,
                    opaque,
                    id,
                    ..
                },
            ] => [signature, opaque, id].map(Clone::clone),
            other => panic!("{other:?}"),
        }
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(read("signature:s"), [some("s"), None, None]);
    assert_eq!(read("hidden:h"), [None, some("h"), None]);
    assert_eq!(read("gAAAA"), [None, some("gAAAA"), some("")]);
}

#[test]
fn what_is_not_read_inside_items_and_tools_is_kept_by_name() {
    let request = read(
        r#"{"model":"m","input":[
            {"role":"user","content":[{"type":"input_text","text":"a","zz":1},{"type":"of_tomorrow","x":1}],"yy":1},
            {"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"b","annotations":[],"logprobs":[]}]},
            {"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}","namespace":"n","status":"completed"},
            {"type":"function_call_output","call_id":"c","output":"ok"},
            {"type":"web_search_call","id":"ws_1","x":1}
        ],"tools":[{"type":"function","name":"f","xx":1},{"type":"mcp","xx":1}]}"#,
    )
    .unwrap();
    let names: Vec<_> = request
        .extra
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let expected = [
        "input[].content[].zz",
        "input[].yy",
        "input[].phase",
        "input[].namespace",
        "tools[].xx",
    ];
    for name in expected {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert_eq!(names.len(), expected.len(), "{names:?}");
}
