use super::super::UPSTREAM;
use crate::middle::{
    Format, Message, Options, Part, Reasoning, Request, Role, Sampling, Source, Tool, ToolChoice,
    sample::{call, inline, json, message, picture, question, result, written},
};

fn write(request: &Request) -> (String, Vec<String>) {
    let options = Options {
        model: "tiny:1b",
        num_ctx: Some(16384),
        ..Options::default()
    };
    written(&UPSTREAM, request, &options)
}

const END: &str = r#","options":{"num_ctx":16384},"stream":false}"#;

#[test]
fn messages_have_one_text_and_pictures_beside_it() {
    let request = question(vec![
        Message::text(Role::Developer, "Be brief."),
        message(
            Role::User,
            vec![
                Part::text("See "),
                picture(inline("image/png")),
                Part::text("this"),
            ],
        ),
        message(
            Role::User,
            vec![picture(Source::Url("https://x.example/a.png".into()))],
        ),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"model":"tiny:1b","messages":[{"role":"system","content":"Be brief."},"#,
        r#"{"role":"user","content":"See this","images":["aGk="]},{"role":"user","content":""}]"#
    );
    assert_eq!(text, format!("{expected}{END}"));
    assert_eq!(lost, ["messages[].content[].image_url"]);
}

#[test]
fn calls_have_objects_and_results_name_their_tools() {
    let result = |id: &str, text: &str| result(id, vec![Part::text(text)]);
    let request = question(vec![
        message(
            Role::Assistant,
            vec![
                Part::reasoning("hm"),
                call("1", "f", r#"{"b":1.0,"a":2}"#),
                call("2", "g", ""),
            ],
        ),
        message(Role::Tool, vec![result("1", "one"), result("2", "two")]),
        message(Role::Assistant, vec![call("3", "h", "{\"x")]),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"model":"tiny:1b","messages":[{"role":"assistant","content":"","thinking":"hm","tool_calls":["#,
        r#"{"id":"1","function":{"name":"f","arguments":{"b":1.0,"a":2}}},{"id":"2","function":{"name":"g","arguments":{}}}]},"#,
        r#"{"role":"tool","content":"one","tool_name":"f","tool_call_id":"1"},"#,
        r#"{"role":"tool","content":"two","tool_name":"g","tool_call_id":"2"},"#,
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"3","function":{"name":"h","arguments":{}}}]}]"#
    );
    assert_eq!(text, format!("{expected}{END}"));
    assert_eq!(lost, ["messages[].tool_calls[].function.arguments"]);
}

#[test]
fn tools_are_declared_and_a_choice_that_cannot_be_told_is_named() {
    let mut request = question(vec![]);
    request.tools = vec![Tool::Function {
        name: "f".into(),
        description: Some("d".into()),
        parameters: Some(json(r#"{"type":"object","properties":{"z":{},"a":{}}}"#)),
        strict: None,
        cache: None,
    }];
    let tools = concat!(
        r#","tools":[{"type":"function","function":{"name":"f","description":"d","#,
        r#""parameters":{"type":"object","properties":{"z":{},"a":{}}}}}]"#
    );
    for (choice, told, named) in [
        (None, true, false),
        (Some(ToolChoice::Auto), true, false),
        (Some(ToolChoice::None), false, false),
        (Some(ToolChoice::Required), true, true),
        (Some(ToolChoice::Function("f".into())), true, true),
    ] {
        request.tool_choice = choice;
        let (text, lost) = write(&request);
        assert_eq!(
            (text.contains(tools), lost.contains(&"tool_choice".into())),
            (told, named)
        );
    }
}

#[test]
fn settings_stand_in_options_and_keep_their_spelling() {
    let number = |text: &str| Some(json(text));
    let mut request = question(vec![]);
    request.stream = true;
    request.sampling = Sampling {
        max_tokens: number("100"),
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
        name: None,
        description: None,
        schema: json(r#"{"type":"object"}"#),
        strict: None,
    });
    request.extra = vec![
        ("min_p".into(), json("0.05")),
        ("keep_alive".into(), json("\"5m\"")),
        ("top_a".into(), json("1")),
    ];
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"model":"tiny:1b","messages":[],"format":{"type":"object"},"options":{"num_ctx":16384,"num_predict":100,"#,
        r#""temperature":0.70000000000000001,"top_p":1e0,"top_k":40,"seed":7,"stop":["END"],"presence_penalty":-0.1,"#,
        r#""frequency_penalty":0.1,"min_p":0.05},"stream":true,"logprobs":true,"top_logprobs":3,"keep_alive":"5m"}"#
    );
    assert_eq!(text, expected);
    assert_eq!(lost, ["n", "logit_bias", "top_a"]);
    request.format = Some(Format::JsonObject);
    assert!(write(&request).0.contains(r#""format":"json""#));
}

#[test]
fn thinking_is_yes_no_or_a_level() {
    let effort = |effort: &str| Reasoning {
        effort: Some(effort.into()),
        ..Reasoning::default()
    };
    let switched = |on| Reasoning {
        enabled: Some(on),
        ..Reasoning::default()
    };
    let budget = Reasoning {
        budget: Some(json("9000")),
        ..switched(true)
    };
    for (asked, expected) in [
        (effort("none"), r#""think":false"#),
        (effort("minimal"), r#""think":"low""#),
        (effort("medium"), r#""think":"medium""#),
        (effort("xhigh"), r#""think":"high""#),
        (switched(true), r#""think":true"#),
        (switched(false), r#""think":false"#),
        (budget, r#""think":"medium""#),
    ] {
        let request = Request {
            reasoning: Some(asked),
            ..Request::default()
        };
        let (text, _) = write(&request);
        assert!(text.contains(expected), "{text}");
    }
    assert!(!write(&Request::default()).0.contains("think"));
}

#[test]
fn what_has_no_place_is_named() {
    let source = || Source::Id("f".into());
    let mut request = question(vec![Message {
        name: Some("ann".into()),
        ..message(
            Role::User,
            vec![
                Part::File {
                    source: source(),
                    name: None,
                    cache: None,
                },
                Part::Audio {
                    data: "aGk=".into(),
                    format: "wav".into(),
                },
                Part::Reasoning {
                    text: String::new(),
                    signature: Some("s".into()),
                    opaque: Some("x".into()),
                    id: None,
                },
                Part::Other {
                    kind: "video".into(),
                    value: json("{}"),
                },
            ],
        )
    }]);
    request.user = Some("u".into());
    request.service_tier = Some("default".into());
    request.cache_key = Some("k".into());
    request.store = Some(false);
    request.metadata = Some(json("{}"));
    request.verbosity = Some("low".into());
    request.parallel_tools = Some(false);
    let expected = [
        "messages[].content[].file",
        "messages[].content[].input_audio",
        "messages[].content[].video",
        "messages[].name",
        "messages[].content[].signature",
        "messages[].reasoning",
        "parallel_tool_calls",
        "user",
        "prompt_cache_key",
        "metadata",
        "verbosity",
    ];
    assert_eq!(write(&request).1, expected);
}
