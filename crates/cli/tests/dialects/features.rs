//! What each dialect has a place for, asked of the binary itself: a feature is put into a question, and either
//! it reaches the provider, or the answer names it as left out, or the question is refused. Nothing is lost
//! without a word.
//! What each of them has a place for is the page of `tests/features`.

use crate::{
    peers::{PEERS, Peer},
    stage::{Mark, Stage, at_once, beside},
    support::Request,
    voices::{VOICES, Voice},
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Features of a voice: what a reader calls them, and the members of a question that have them.
fn features(voice: Voice) -> Vec<(&'static str, Value)> {
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const PDF: &str = "JVBERi0xLjQKJUVPRgo=";
    const URL: &str = "https://example.com/a.png";
    let user = |part: Value| json!([{ "role": "user", "content": [part] }]);
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } },
        "required": ["a"], "additionalProperties": false });
    let call = json!({ "name": "f", "description": "d", "parameters": schema });
    let tools = match voice {
        Voice::Chat => json!([{ "type": "function", "function": call }]),
        Voice::Responses => {
            json!([{ "type": "function", "name": "f", "description": "d", "parameters": schema }])
        }
        Voice::Messages => json!([{ "name": "f", "description": "d", "input_schema": schema }]),
    };
    match voice {
        Voice::Chat => vec![
            (
                "system message",
                json!({ "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "hi" }] }),
            ),
            (
                "picture, inline",
                json!({ "messages": user(json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PNG}") } })) }),
            ),
            (
                "picture, by URL",
                json!({ "messages": user(json!({ "type": "image_url", "image_url": { "url": URL } })) }),
            ),
            (
                "file, inline",
                json!({ "messages": user(json!({ "type": "file", "file": { "file_data": format!("data:application/pdf;base64,{PDF}") } })) }),
            ),
            ("tools", json!({ "tools": tools })),
            (
                "`tool_choice`",
                json!({ "tools": tools, "tool_choice": "required" }),
            ),
            (
                "`parallel_tool_calls`",
                json!({ "tools": tools, "parallel_tool_calls": false }),
            ),
            (
                "calls and results of tools",
                json!({ "tools": tools, "messages": [
                    { "role": "user", "content": "hi" },
                    { "role": "assistant", "content": null, "tool_calls": [{ "id": "call_1", "type": "function", "function": { "name": "f", "arguments": "{\"a\":\"b\"}" } }] },
                    { "role": "tool", "tool_call_id": "call_1", "content": "done" },
                ] }),
            ),
            (
                "`response_format`: `json_schema`",
                json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "a", "schema": schema, "strict": true } } }),
            ),
            (
                "`response_format`: `json_object`",
                json!({ "response_format": { "type": "json_object" } }),
            ),
            ("`reasoning_effort`", json!({ "reasoning_effort": "low" })),
            ("`max_tokens`", json!({ "max_tokens": 17 })),
            ("`stop`", json!({ "stop": ["x"] })),
            ("`temperature`", json!({ "temperature": 0.5 })),
            ("`top_p`", json!({ "top_p": 0.5 })),
            ("`seed`", json!({ "seed": 7 })),
            ("`n`", json!({ "n": 2 })),
            ("`logprobs`", json!({ "logprobs": true, "top_logprobs": 2 })),
            ("`frequency_penalty`", json!({ "frequency_penalty": 0.5 })),
            ("`logit_bias`", json!({ "logit_bias": { "5": 1 } })),
        ],
        Voice::Responses => vec![
            ("`instructions`", json!({ "instructions": "s" })),
            (
                "picture, inline",
                json!({ "input": user(json!({ "type": "input_image", "image_url": format!("data:image/png;base64,{PNG}") })) }),
            ),
            (
                "picture, by URL",
                json!({ "input": user(json!({ "type": "input_image", "image_url": URL })) }),
            ),
            (
                "file, inline",
                json!({ "input": user(json!({ "type": "input_file", "file_data": format!("data:application/pdf;base64,{PDF}") })) }),
            ),
            ("tools", json!({ "tools": tools })),
            (
                "`tool_choice`",
                json!({ "tools": tools, "tool_choice": "required" }),
            ),
            (
                "`parallel_tool_calls`",
                json!({ "tools": tools, "parallel_tool_calls": false }),
            ),
            (
                "calls and results of tools",
                json!({ "tools": tools, "input": [
                    { "role": "user", "content": "hi" },
                    { "type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"a\":\"b\"}" },
                    { "type": "function_call_output", "call_id": "call_1", "output": "done" },
                ] }),
            ),
            (
                "`text.format`: `json_schema`",
                json!({ "text": { "format": { "type": "json_schema", "name": "a", "schema": schema, "strict": true } } }),
            ),
            (
                "`reasoning.effort`",
                json!({ "reasoning": { "effort": "low" } }),
            ),
            ("`max_output_tokens`", json!({ "max_output_tokens": 17 })),
            ("`temperature`", json!({ "temperature": 0.5 })),
            ("`top_p`", json!({ "top_p": 0.5 })),
            ("`background`", json!({ "background": true })),
            ("`truncation`: `auto`", json!({ "truncation": "auto" })),
            (
                "tools of the provider",
                json!({ "tools": [{ "type": "web_search" }] }),
            ),
        ],
        Voice::Messages => vec![
            ("`system`", json!({ "system": "s" })),
            (
                "picture, inline",
                json!({ "messages": user(json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": PNG } })) }),
            ),
            (
                "picture, by URL",
                json!({ "messages": user(json!({ "type": "image", "source": { "type": "url", "url": URL } })) }),
            ),
            (
                "document, inline",
                json!({ "messages": user(json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": PDF } })) }),
            ),
            ("tools", json!({ "tools": tools })),
            (
                "`tool_choice`",
                json!({ "tools": tools, "tool_choice": { "type": "any" } }),
            ),
            (
                "`disable_parallel_tool_use`",
                json!({ "tools": tools, "tool_choice": { "type": "auto", "disable_parallel_tool_use": true } }),
            ),
            (
                "calls and results of tools",
                json!({ "tools": tools, "messages": [
                    { "role": "user", "content": "hi" },
                    { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1", "name": "f", "input": { "a": "b" } }] },
                    { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": "done" }] },
                ] }),
            ),
            (
                "`thinking`",
                json!({ "max_tokens": 2048, "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
            ),
            ("`stop_sequences`", json!({ "stop_sequences": ["x"] })),
            ("`temperature`", json!({ "temperature": 0.5 })),
            ("`top_p`", json!({ "top_p": 0.5 })),
            ("`top_k`", json!({ "top_k": 5 })),
            (
                "`metadata.user_id`",
                json!({ "metadata": { "user_id": "u" } }),
            ),
        ],
    }
}

/// What became of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Passed,
    LeftOut,
    Refused,
    /// Neither there nor named.
    Lost,
}

fn name(peer: Peer) -> String {
    format!("{peer:?}").to_lowercase()
}

/// What the provider was asked, but for the model.
async fn upstream(stage: &Stage, peer: Peer, mark: &Mark) -> Vec<u8> {
    let model = peer.model(&name(peer));
    let of = |s: &punctual_sim::Seen| s.header("traceparent").is_some_and(|t| t.contains(&mark.0));
    let seen = stage.sim.report().into_iter().find(|s| of(s));
    let seen = seen.unwrap_or_else(|| panic!("{model} was not asked"));
    seen.body.to_vec()
}

async fn fate(stage: &Stage, voice: Voice, peer: Peer, feature: &Value) -> Fate {
    let base = voice.body(&name(peer), false);
    let mut with: Map<String, Value> = base.as_object().unwrap().clone();
    with.extend(feature.as_object().unwrap().clone());
    let ask = |body: Value| Request::post(voice.path(), &body.to_string());
    let plain = Mark::new();
    let answer = stage.ask(&plain.on(ask(base))).await;
    assert_eq!(answer.status, 200, "{peer:?}: {}", answer.text());
    assert_eq!(answer.header("x-punctual-dropped"), None, "{peer:?}");
    let mark = Mark::new();
    let answer = stage.ask(&mark.on(ask(Value::Object(with)))).await;
    if answer.status == 400 {
        let text = answer.text();
        assert!(text.contains("unsupported"), "{peer:?} {feature}: {text}");
        return Fate::Refused;
    }
    assert_eq!(answer.status, 200, "{peer:?} {feature}: {}", answer.text());
    if answer.header("x-punctual-dropped").is_some() {
        return Fate::LeftOut;
    }
    let without = upstream(stage, peer, &plain).await;
    match upstream(stage, peer, &mark).await == without {
        true => Fate::Lost,
        false => Fate::Passed,
    }
}

#[test]
fn nothing_is_lost_without_a_word_on_any_surface_in_front_of_any_dialect() {
    beside(async {
        let stage = Stage::open(|origin| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for peer in PEERS {
                let name = name(peer);
                targets += &peer.target(&name, origin, "");
                routes += &format!("  {name}: {{ plan: {name} }}\n");
            }
            format!("targets:\n{targets}routes:\n{routes}")
        });
        let stage = Arc::new(stage.await);
        let mut trials = Vec::new();
        for voice in VOICES {
            for (title, feature) in features(voice) {
                for peer in PEERS {
                    trials.push((voice, title, peer, feature.clone()));
                }
            }
        }
        let shared = stage.clone();
        let fates = at_once(8, trials, move |(voice, title, peer, feature)| {
            let stage = shared.clone();
            async move {
                (
                    voice,
                    title,
                    peer,
                    fate(&stage, voice, peer, &feature).await,
                )
            }
        })
        .await;
        let lost: Vec<_> = fates.iter().filter(|f| f.3 == Fate::Lost).collect();
        assert!(lost.is_empty(), "{lost:#?}");
    });
}
