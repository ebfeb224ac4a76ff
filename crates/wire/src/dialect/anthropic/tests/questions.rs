//! Questions: messages and their blocks, read, and written for a provider.

use serde_json::json;

use super::{read, write};
use crate::middle::{Json, Message, Part, Request, Role, Source, ToolCall, ToolResult};

/// A question that uses what both sides have.
const WHOLE: &str = r#"{"model":"claude-sonnet-4-5","max_tokens":2048,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"EqkE"},{"type":"text","text":"so","citations":[{"type":"char_location","cited_text":"x"}]},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1.50,"a":[]}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"42"},{"type":"image","source":{"type":"url","url":"https://x/y.png"}}],"is_error":true},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi=="},"title":"t"},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain \u00e9"}},{"type":"document","source":{"type":"file","file_id":"file_1"}},{"type":"container_upload","file_id":"file_2"},{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}},"strict":true},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"metadata":{"user_id":"u"},"stop_sequences":["END"],"temperature":1.0,"top_p":0.95,"service_tier":"standard_only","container":"c1","stream":true}"#;

#[test]
fn a_question_comes_back_as_it_was() {
    let request = read(WHOLE);
    let (written, lost) = write(&request, "");
    assert_eq!(
        written,
        serde_json::from_str::<serde_json::Value>(WHOLE).unwrap()
    );
    assert_eq!(lost, [""; 0]);
    let mut lost = crate::middle::Lost::default();
    let spelled = (super::UPSTREAM.request)(&request, &Default::default(), &mut lost);
    assert_eq!(
        spelled,
        WHOLE.replace("\\u00e9", "\u{e9}"),
        "members in order, numbers as spelled"
    );
}

#[test]
fn results_of_tools_have_messages_of_their_own() {
    let request = read(WHOLE);
    let roles: Vec<_> = request
        .messages
        .iter()
        .map(|message| message.role)
        .collect();
    assert_eq!(
        roles,
        [
            Role::System,
            Role::User,
            Role::Assistant,
            Role::Tool,
            Role::User
        ]
    );
    let Part::ToolResult(result) = &request.messages[3].parts[0] else {
        panic!("{:?}", request.messages[3]);
    };
    assert_eq!(result.name.as_deref(), Some("f"), "found by the id");
    assert!(result.is_error);
    assert_eq!(result.text(), "42");
    let Part::ToolCall(call) = &request.messages[2].parts[3] else {
        panic!("{:?}", request.messages[2]);
    };
    assert_eq!(call.input, r#"{"b":1.50,"a":[]}"#, "as it was spelled");
}

#[test]
fn documents_of_text_and_of_blocks_are_read() {
    let body = |source: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"document","source":{source},"title":"t","context":"c","citations":{{"enabled":true}},"cache_control":{{"a":1}}}}]}}]}}"#
        )
    };
    let request = read(&body(
        r#"{"type":"text","media_type":"text/plain","data":"hé"}"#,
    ));
    let file = Part::File {
        source: Source::Inline {
            media_type: "text/plain".into(),
            data: "aMOp".into(),
        },
        name: Some("t".into()),
        cache: Json::parse(r#"{"a":1}"#),
    };
    assert_eq!(request.messages[0].parts, [file]);
    let extra: Vec<_> = request
        .extra
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let expected = [
        "messages[].content[].citations",
        "messages[].content[].context",
    ];
    assert_eq!(extra, expected, "what nobody else can say is kept by name");

    let blocks = r#"{"type":"content","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"u"}}]}"#;
    let request = read(&body(blocks));
    let parts = &request.messages[0].parts;
    assert_eq!(parts[..2], [Part::text("t"), Part::text("a")]);
    assert!(matches!(&parts[2], Part::Image { cache: Some(_), .. }));
    let plain = read(&body(r#"{"type":"content","content":"a"}"#));
    assert_eq!(plain.messages[0].parts.len(), 2);
}

#[test]
fn what_has_no_place_is_kept_by_its_name_once() {
    let body = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x","y":1},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{},"caller":{"type":"direct"}},{"type":"tool_use","id":"2","name":"f","input":{},"caller":{"type":"code_execution_20250825","tool_id":"s"}}]}],"tools":[{"name":"a","input_schema":{},"input_examples":[{}]},{"name":"b","type":"custom","input_schema":{},"input_examples":[{}],"defer_loading":null}],"mcp_servers":[],"context_management":{"edits":[]},"betas":null,"thinking":{"type":"adaptive","new":1},"output_config":{"task_budget":{"type":"tokens"}},"metadata":{"user_id":"u","x":2}}"#;
    let request = read(body);
    let names: Vec<_> = request
        .extra
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "messages[].y",
            "messages[].content[].caller",
            "tools[].input_examples",
            "thinking.new",
            "output_config.task_budget",
            "metadata.x",
            "mcp_servers",
            "context_management",
        ]
    );
    let (written, lost) = write(&request, "claude-opus-4-8");
    assert_eq!(written["mcp_servers"], json!([]));
    assert_eq!(written["context_management"], json!({"edits": []}));
    assert_eq!(
        lost,
        [
            "messages[].y",
            "messages[].content[].caller",
            "tools[].input_examples",
            "thinking.new",
            "output_config.task_budget",
            "metadata.x",
        ]
    );
}

fn of(messages: Vec<Message>) -> Request {
    Request {
        model: "m".into(),
        messages,
        ..Request::default()
    }
}

fn call(id: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: "f".into(),
        input: input.into(),
        signature: None,
    })
}

fn result(id: &str, text: &str) -> Part {
    Part::ToolResult(ToolResult {
        id: id.into(),
        name: None,
        parts: vec![Part::text(text)],
        is_error: false,
        cache: None,
    })
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

#[test]
fn turns_alternate_and_results_stand_first() {
    let request = of(vec![
        Message::text(Role::System, "a"),
        Message::text(Role::User, "one"),
        Message::text(Role::User, "two"),
        Message::text(Role::Developer, "b"),
        message(
            Role::Assistant,
            vec![
                Part::text("so"),
                call("functions.f:0", ""),
                call("c2", "{}"),
            ],
        ),
        Message::text(Role::User, "wait"),
        message(Role::Tool, vec![result("functions.f:0", "1")]),
        message(Role::Tool, vec![result("c2", "")]),
        Message::text(Role::User, "go on"),
    ]);
    let (written, lost) = write(&request, "");
    assert_eq!(lost, ["messages[].role"]);
    assert_eq!(
        written,
        json!({
            "model": "m",
            "max_tokens": 4096,
            "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "so"},
                    {"type": "tool_use", "id": "functions_f_0", "name": "f", "input": {}},
                    {"type": "tool_use", "id": "c2", "name": "f", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "functions_f_0", "content": "1"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": ""},
                    {"type": "text", "text": "wait"},
                    {"type": "text", "text": "go on"},
                ]},
            ],
        })
    );
}

#[test]
fn instructions_alone_are_a_turn() {
    let (written, lost) = write(&of(vec![Message::text(Role::System, "do")]), "");
    assert_eq!(
        written["messages"],
        json!([{"role": "user", "content": "do"}])
    );
    assert_eq!(written.get("system"), None);
    assert_eq!(lost, ["messages[].role"]);
}

#[test]
fn broken_input_and_foreign_parts_are_named() {
    let opaque = |text: &str, signature: Option<&str>, opaque: Option<&str>| Part::Reasoning {
        text: text.into(),
        signature: signature.map(Into::into),
        opaque: opaque.map(Into::into),
        id: None,
    };
    let inline = |media_type: &str, data: &str| Part::File {
        source: Source::Inline {
            media_type: media_type.into(),
            data: data.into(),
        },
        name: None,
        cache: None,
    };
    let request = of(vec![
        message(
            Role::User,
            vec![
                Part::text(""),
                inline("", "JVBERi0x"),
                inline("image/jpg", "x"),
                inline("text/csv", "YSxi"),
                inline("text/csv", "not base64"),
                inline("audio/wav", "x"),
                Part::Audio {
                    data: "x".into(),
                    format: "wav".into(),
                },
                Part::Image {
                    source: Source::Id("file-openai".into()),
                    detail: Some("low".into()),
                    cache: None,
                },
                Part::Other {
                    kind: "video_url".into(),
                    value: Json::of(&1),
                },
            ],
        ),
        message(
            Role::Assistant,
            vec![
                Part::reasoning("unsigned"),
                opaque("", None, Some("gAAAAABopenai")),
                Part::Reasoning {
                    text: "summary".into(),
                    signature: None,
                    opaque: Some("Exai".into()),
                    id: Some(String::new()),
                },
                opaque("t", Some("Esig"), None),
                opaque("summary", None, Some("Esig2")),
                opaque("", None, Some("Ered")),
                Part::Refusal { text: "no".into() },
                call("1", r#"{"cut":"#),
                call("2", "[1]"),
            ],
        ),
    ]);
    let (written, lost) = write(&request, "");
    assert_eq!(
        written["messages"],
        json!([
            {"role": "user", "content": [
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0x"}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "x"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a,b"}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "t", "signature": "Esig"},
                {"type": "redacted_thinking", "data": "Esig2"},
                {"type": "redacted_thinking", "data": "Ered"},
                {"type": "text", "text": "no"},
                {"type": "tool_use", "id": "1", "name": "f", "input": {}},
                {"type": "tool_use", "id": "2", "name": "f", "input": {}},
            ]},
        ])
    );
    assert_eq!(
        lost,
        [
            "messages[].content[].file",
            "messages[].content[].input_audio",
            "messages[].content[].image",
            "messages[].content[].video_url",
            "messages[].tool_calls[].function.arguments",
            "messages[].content[].image_url.detail",
            "messages[].reasoning",
        ]
    );
}

#[test]
fn instructions_that_are_moved_to_the_front_are_named() {
    let said = |roles: &[Role]| {
        let messages = roles.iter().map(|role| Message::text(*role, "x")).collect();
        let request = Request {
            model: "m".into(),
            messages,
            ..Request::default()
        };
        write(&request, "m").1
    };
    assert_eq!(said(&[Role::System, Role::User]), [""; 0]);
    assert_eq!(said(&[Role::User, Role::Developer]), ["messages[].role"]);
}
