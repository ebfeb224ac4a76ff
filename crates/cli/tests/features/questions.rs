//! What becomes of a question's features.

use super::Row;
use bytes::Bytes;
use punctual_wire::{
    Api, Surface,
    middle::{Lost, Options},
    via::surface_codec,
};
use serde_json::{Value, json};

/// The APIs in which is asked, those that are asked alike together, and the dialects that speak them.
pub const ASKED: [(&[Api], &str); 7] = [
    (&[Api::Chat], "`openai`, `generic`, `azure`, `openrouter`"),
    (&[Api::Responses], "`responses`"),
    (&[Api::Messages], "`anthropic`"),
    (
        &[Api::VertexMessages, Api::InvokeMessages],
        "Claude on `vertex`, `bedrock` with `api: invoke`",
    ),
    (&[Api::Gemini], "`gemini`, `vertex`"),
    (&[Api::Converse], "`bedrock`"),
    (&[Api::Ollama], "`ollama`"),
];

/// A name, and what it adds to the question.
type Feature = (&'static str, Value);

fn said(content: Value) -> Value {
    json!({ "messages": [{ "role": "user", "content": content }] })
}

/// A part beside a text.
fn beside(part: Value) -> Value {
    said(json!([{ "type": "text", "text": "hi" }, part]))
}

fn tools() -> Value {
    let function = json!({
        "name": "now", "description": "The time.",
        "parameters": { "type": "object", "properties": { "zone": { "type": "string" } } }
    });
    json!([{ "type": "function", "function": function }])
}

fn features() -> Vec<Feature> {
    let call = |id: &str| {
        json!({
            "id": id, "type": "function", "function": { "name": "now", "arguments": "{\"zone\":\"UTC\"}" }
        })
    };
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let data = "data:image/png;base64,iVBORw0KGgo=";
    let turns = |role: &str| {
        json!({ "messages": [
            { "role": role, "content": "Be brief." }, { "role": "user", "content": "hi" }
        ] })
    };
    let with_tools = |more: Value| merged(&json!({ "tools": tools() }), &more);
    vec![
        ("text", said(json!("another text"))),
        ("system", turns("system")),
        ("developer role", turns("developer")),
        (
            "name of a speaker",
            json!({ "messages": [{ "role": "user", "name": "ada", "content": "hi" }] }),
        ),
        (
            "image by URL",
            beside(
                json!({ "type": "image_url", "image_url": { "url": "https://example.com/a.png" } }),
            ),
        ),
        (
            "image inline",
            beside(json!({ "type": "image_url", "image_url": { "url": data } })),
        ),
        (
            "image detail",
            beside(json!({ "type": "image_url", "image_url": { "url": data, "detail": "low" } })),
        ),
        (
            "file inline",
            beside(json!({ "type": "file", "file": {
            "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0=" } })),
        ),
        (
            "file by id",
            beside(json!({ "type": "file", "file": { "file_id": "file-1" } })),
        ),
        (
            "sound",
            beside(
                json!({ "type": "input_audio", "input_audio": { "data": "UklGRg==", "format": "wav" } }),
            ),
        ),
        ("tools", json!({ "tools": tools() })),
        ("strict tools", {
            let mut tools = tools();
            tools[0]["function"]["strict"] = true.into();
            json!({ "tools": tools })
        }),
        (
            "tool choice: required",
            with_tools(json!({ "tool_choice": "required" })),
        ),
        (
            "tool choice: none",
            with_tools(json!({ "tool_choice": "none" })),
        ),
        (
            "tool choice: one tool",
            with_tools(json!({
                "tool_choice": { "type": "function", "function": { "name": "now" } }
            })),
        ),
        (
            "parallel calls switched off",
            with_tools(json!({ "parallel_tool_calls": false })),
        ),
        (
            "calls and their results",
            json!({ "tools": tools(), "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": null, "tool_calls": [call("call_1"), call("call_2")] },
            { "role": "tool", "tool_call_id": "call_1", "content": "noon" },
            { "role": "tool", "tool_call_id": "call_2", "content": "noon" }
        ] }),
        ),
        (
            "JSON as the form",
            json!({ "response_format": { "type": "json_object" } }),
        ),
        (
            "structured output",
            json!({ "response_format": {
            "type": "json_schema", "json_schema": { "name": "n", "schema": schema } } }),
        ),
        ("reasoning effort", json!({ "reasoning_effort": "high" })),
        (
            "thoughts of an earlier turn",
            json!({ "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": "yes", "reasoning_content": "hm" },
            { "role": "user", "content": "hi" }
        ] }),
        ),
        (
            "signed thoughts of an earlier turn",
            json!({ "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": "yes", "reasoning_details": [
                { "type": "reasoning.text", "text": "hm", "signature": "c2lnbmVk", "index": 0 }] },
            { "role": "user", "content": "hi" }
        ] }),
        ),
        (
            "`max_completion_tokens`",
            json!({ "max_completion_tokens": 77 }),
        ),
        ("`stop`", json!({ "stop": ["END"] })),
        ("`temperature`", json!({ "temperature": 0.25 })),
        ("`top_p`", json!({ "top_p": 0.75 })),
        ("`top_k`", json!({ "top_k": 40 })),
        ("`frequency_penalty`", json!({ "frequency_penalty": 0.5 })),
        ("`presence_penalty`", json!({ "presence_penalty": 0.5 })),
        ("`seed`", json!({ "seed": 7 })),
        ("`n`", json!({ "n": 2 })),
        ("`logprobs`", json!({ "logprobs": true, "top_logprobs": 2 })),
        ("`logit_bias`", json!({ "logit_bias": { "50256": -100 } })),
        ("`user`", json!({ "user": "u-1" })),
        ("`metadata`", json!({ "metadata": { "run": "1" } })),
        ("`service_tier`", json!({ "service_tier": "priority" })),
        ("`prompt_cache_key`", json!({ "prompt_cache_key": "k" })),
        ("`store`", json!({ "store": true })),
        ("`verbosity`", json!({ "verbosity": "low" })),
        (
            "a tool of the provider",
            json!({ "web_search_options": {} }),
        ),
        ("anything unknown", json!({ "of_tomorrow": 1 })),
    ]
}

fn merged(base: &Value, more: &Value) -> Value {
    let mut out = base.clone();
    for (name, value) in more.as_object().unwrap() {
        out[name] = value.clone();
    }
    out
}

/// The question in the words of an API, and what it lost there.
fn written(api: Api, ask: &Value) -> (Bytes, Lost) {
    let surface = surface_codec(Surface::Chat).unwrap();
    let asked = (surface.request)(&Bytes::from(ask.to_string())).expect("a question");
    let options = Options {
        model: model(api),
        stream_options: true,
        ..Options::default()
    };
    let mut lost = Lost::default();
    let body = (api.codec().unwrap().request)(&asked, &options, &mut lost);
    serde_json::from_slice::<Value>(&body).expect("JSON");
    (body, lost)
}

/// One that can do what the API has.
fn model(api: Api) -> &'static str {
    match api {
        Api::Messages | Api::VertexMessages | Api::InvokeMessages => "claude-sonnet-4-5",
        Api::Gemini => "gemini-2.5-pro",
        Api::Converse => "anthropic.claude-sonnet-4-5-20250929-v1:0",
        Api::Ollama => "qwen3:8b",
        _ => "gpt-5",
    }
}

/// What of a feature is found in the question of any API that has it, where it does not change its words.
fn mark(name: &str) -> Option<&'static str> {
    Some(match name {
        "text" => "another text",
        "system" | "developer role" => "Be brief.",
        "name of a speaker" => "ada",
        "image by URL" => "https://example.com/a.png",
        "image inline" => "iVBORw0KGgo=",
        "image detail" => r#":"low""#,
        "file inline" => "JVBERi0=",
        "file by id" => "file-1",
        "sound" => "UklGRg==",
        "tools" | "tool choice: one tool" => r#""now""#,
        "strict tools" => r#""strict":true"#,
        "calls and their results" => "noon",
        "structured output" => "additionalProperties",
        "thoughts of an earlier turn" => r#""hm""#,
        "signed thoughts of an earlier turn" => "hm",
        "`max_completion_tokens`" => ":77",
        "`stop`" => r#""END""#,
        "`temperature`" => ":0.25",
        "`top_p`" => ":0.75",
        "`top_k`" => ":40",
        "`frequency_penalty`" | "`presence_penalty`" => ":0.5",
        "`seed`" => ":7",
        "`n`" => ":2",
        "`logit_bias`" => ":-100",
        "`user`" => r#""u-1""#,
        "`metadata`" => r#""run""#,
        "`service_tier`" => r#""priority""#,
        "`prompt_cache_key`" => r#""k""#,
        "`verbosity`" => r#""low""#,
        _ => return None,
    })
}

/// `without` is the question that lacks only the feature.
fn cell(api: Api, name: &str, without: &Value, with: &Value) -> &'static str {
    let (plain, nothing) = written(api, without);
    let (body, lost) = written(api, with);
    assert!(nothing.is_empty(), "{nothing:?}");
    let count = |body: &Bytes, mark: &str| String::from_utf8_lossy(body).matches(mark).count();
    if let Some(mark) = mark(name).filter(|_| plain != body) {
        let more = count(&body, mark) > count(&plain, mark);
        assert!(
            more,
            "{api:?} changes its question for {name} and does not say it: {body:?}"
        );
    }
    match (plain != body, lost.is_empty()) {
        (true, true) => "yes",
        (true, false) => "in part",
        (false, false) => "named",
        (false, true) => panic!("{api:?} loses it in silence: {with}"),
    }
}

/// What a feature that changes another one is compared with.
fn without(name: &str, feature: &Value) -> Value {
    let base = merged(
        &said(json!("hi")),
        &json!({ "model": "r", "stream": false }),
    );
    let beside_nothing = merged(&base, &said(json!([{ "type": "text", "text": "hi" }])));
    let mut out = merged(&base, feature);
    match name {
        "strict tools" => out["tools"] = tools(),
        "image detail" => {
            let url = &feature["messages"][0]["content"][1]["image_url"]["url"];
            out["messages"][0]["content"][1]["image_url"] = json!({ "url": url });
        }
        "name of a speaker" => out["messages"] = base["messages"].clone(),
        "thoughts of an earlier turn" | "signed thoughts of an earlier turn" => {
            let turn = json!({ "role": "assistant", "content": "yes" });
            out["messages"][1] = turn;
        }
        _ if feature.get("tools").is_some() && feature.as_object().unwrap().len() > 1 => {
            out = merged(&base, &json!({ "tools": tools() }));
        }
        _ if feature["messages"][0]["content"].is_array() => out = beside_nothing,
        _ => out = base,
    }
    out
}

pub fn rows() -> Vec<Row> {
    let all = features().into_iter().map(|(name, feature)| {
        let plain = without(name, &feature);
        let base = merged(
            &said(json!("hi")),
            &json!({ "model": "r", "stream": false }),
        );
        let with = merged(&base, &feature);
        let cells = ASKED.map(|(apis, _)| {
            let cells: Vec<_> = apis
                .iter()
                .map(|api| cell(*api, name, &plain, &with))
                .collect();
            assert!(
                cells.iter().all(|cell| *cell == cells[0]),
                "{apis:?}: {name}"
            );
            cells[0]
        });
        (name.to_owned(), cells.to_vec())
    });
    all.collect()
}
