//! What is understood of a caller's question.

use bytes::Bytes;

use crate::{
    BadBody,
    middle::{
        Format, Json, Message, Part, Reasoning, Request, Role, Source, Tool, ToolCall, ToolChoice,
        ToolResult,
    },
};

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
    assert_eq!(
        (request.user.as_deref(), request.extra.len()),
        (Some("b"), 0)
    );
}

#[test]
fn a_turn_of_the_model_is_one_message_and_its_results_follow_it() {
    let input = r#"[
        {"role":"user","content":"Weather?"},
        {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"e"},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me see.","annotations":[]}]},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
        {"type":"function_call","call_id":"c2","name":"g","arguments":"{\"x\":"},
        {"type":"function_call_output","call_id":"c2","output":"broken"},
        {"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"sun"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]},
        {"role":"assistant","content":"Sunny."},
        {"role":"assistant","content":"Really."}
    ]"#;
    let result = |id: &str, name: &str, parts| {
        Part::ToolResult(ToolResult {
            id: id.to_owned(),
            name: Some(name.to_owned()),
            parts,
            is_error: false,
            cache: None,
        })
    };
    let picture = Part::Image {
        source: Source::Inline {
            media_type: "image/png".to_owned(),
            data: "aGk=".to_owned(),
        },
        detail: None,
        cache: None,
    };
    let thought = Part::Reasoning {
        text: "a\n\nb".to_owned(),
        signature: None,
        opaque: Some("e".to_owned()),
        id: Some("rs_1".to_owned()),
    };
    let expected = [
        Message::text(Role::User, "Weather?"),
        message(
            Role::Assistant,
            vec![
                thought,
                Part::text("Let me see."),
                call("c1", "f", "{}"),
                call("c2", "g", "{\"x\":"),
            ],
        ),
        message(
            Role::Tool,
            vec![
                result("c2", "g", vec![Part::text("broken")]),
                result("c1", "f", vec![Part::text("sun"), picture]),
            ],
        ),
        Message::text(Role::Assistant, "Sunny."),
        Message::text(Role::Assistant, "Really."),
    ];
    assert_eq!(messages(input), expected);
}

#[test]
fn a_text_after_a_call_stays_with_it_so_that_the_result_can_follow() {
    let input = r#"[{"type":"function_call","call_id":"c","name":"f","arguments":""},{"role":"assistant","content":"wait"},{"type":"function_call_output","call_id":"c","output":""}]"#;
    let read = messages(input);
    let turn = vec![call("c", "f", ""), Part::text("wait")];
    assert_eq!(read.first(), Some(&message(Role::Assistant, turn)));
    assert_eq!(read.len(), 2);
}

#[test]
fn pictures_files_and_sound_are_found_where_they_are() {
    let input = r#"[{"role":"user","content":[
        {"type":"input_image","image_url":"https://a.example/x.png","detail":"low"},
        {"type":"input_image","file_id":"file_1","image_url":null},
        {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="},
        {"type":"input_file","file_data":"aGk="},
        {"type":"input_file","file_url":"https://a.example/a.pdf"},
        {"type":"input_file","file_id":"file_2"},
        {"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}},
        {"type":"input_hologram","x":1}]}]"#;
    let image = |source, detail: Option<&str>| Part::Image {
        source,
        detail: detail.map(str::to_owned),
        cache: None,
    };
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(str::to_owned),
        cache: None,
    };
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.to_owned(),
        data: "aGk=".to_owned(),
    };
    let expected = vec![
        image(
            Source::Url("https://a.example/x.png".to_owned()),
            Some("low"),
        ),
        image(Source::Id("file_1".to_owned()), None),
        file(inline("application/pdf"), Some("a.pdf")),
        file(inline(""), None),
        file(Source::Url("https://a.example/a.pdf".to_owned()), None),
        file(Source::Id("file_2".to_owned()), None),
        Part::Audio {
            data: "aGk=".to_owned(),
            format: "wav".to_owned(),
        },
        Part::Other {
            kind: "input_hologram".to_owned(),
            value: json(r#"{"type":"input_hologram","x":1}"#),
        },
    ];
    assert_eq!(messages(input), [message(Role::User, expected)]);
}

#[test]
fn items_that_only_this_api_has_stay_in_their_place() {
    let input = r#"[{"id":"msg_1"},{"type":"item_reference","id":"rs_1"},{"type":"web_search_call","id":"ws_1"}]"#;
    let kinds = |message: &Message| {
        let kind = |part: &Part| match part {
            Part::Other { kind, .. } => kind.clone(),
            other => format!("{other:?}"),
        };
        message.parts.iter().map(kind).collect::<Vec<_>>()
    };
    let read = messages(input);
    assert_eq!(
        read.iter().map(kinds).collect::<Vec<_>>(),
        [["item_reference", "item_reference", "web_search_call"]]
    );
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
fn a_fault_names_its_member_and_its_place_and_never_a_value() {
    for (body, param, column) in [
        (r#"{"model":"m","input":5}"#, "input", 22),
        (r#"{"model":5,"input":"x"}"#, "model", 10),
        (r#"{"input":"x"}"#, "model", 0),
        (
            r#"{"model":"m","input":"x","stream":"SECRET"}"#,
            "stream",
            35,
        ),
        (
            r#"{"model":"m","input":"x","temperature":"SECRET"}"#,
            "temperature",
            40,
        ),
        (r#"{"model":"m","input":"x","tools":{}}"#, "tools", 34),
        (
            r#"{"model":"m","input":"x","tools":[{"name":"SECRET"}]}"#,
            "tools[].type",
            35,
        ),
        (
            r#"{"model":"m","input":"x","tools":[{"type":"function"}]}"#,
            "tools[].name",
            35,
        ),
        (
            r#"{"model":"m","input":"x","tool_choice":"SECRET"}"#,
            "tool_choice",
            40,
        ),
        (
            r#"{"model":"m","input":"x","text":{"format":{"type":"SECRET"}}}"#,
            "text.format.type",
            43,
        ),
        (r#"{"model":"m","input":"x","metadata":[]}"#, "metadata", 37),
        (
            r#"{"model":"m","input":"x","include":["a",1]}"#,
            "include",
            41,
        ),
        (
            r#"{"model":"m","input":[{"x":"SECRET"}]}"#,
            "input[].type",
            23,
        ),
        (r#"{"model":"m","input":["SECRET"]}"#, "input[]", 23),
        (
            r#"{"model":"m","input":[{"role":"SECRET","content":""}]}"#,
            "input[].role",
            23,
        ),
        (
            r#"{"model":"m","input":[{"role":"user"}]}"#,
            "input[].content",
            23,
        ),
        (
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_text"}]}]}"#,
            "input[].content[].text",
            49,
        ),
        (
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_image"}]}]}"#,
            "input[].content[]",
            49,
        ),
        (
            r#"{"model":"m","input":[{"type":"function_call","name":"f","arguments":""}]}"#,
            "input[].call_id",
            23,
        ),
        (
            r#"{"model":"m","input":[{"type":"function_call_output","call_id":"c"}]}"#,
            "input[].output",
            23,
        ),
    ] {
        let fault = read(body).unwrap_err();
        assert_eq!(fault.param, Some(param), "{body}: {fault}");
        assert_eq!(fault.column, column, "{body}: {fault}");
        assert!(!fault.message.contains("SECRET"), "{fault}");
    }
}

#[test]
fn half_of_a_surrogate_pair_is_refused_in_so_many_words() {
    for body in [
        r#"{"model":"m","input":"SECRET \ud83d"}"#,
        r#"{"model":"m","input":[{"role":"user","content":"\ude00"}]}"#,
    ] {
        let fault = read(body).unwrap_err();
        assert!(fault.message.contains("surrogate"), "{fault}");
        assert!(!fault.message.contains("SECRET"), "{fault}");
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for body in [
        "",
        "null",
        "[]",
        "{",
        r#"{"model":"m","input":"x""#,
        "\u{feff}{}",
    ] {
        assert!(read(body).is_err(), "{body}");
    }
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
