//! What the simulator's models do, each by a name that says it.
//!
//! Most are scripts that every dialect can play. What an SDK parses into a type of its user's is written out
//! here, because the simulator says only what it always says.

use punctual_sim::{Cuts, Script, Sim};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What each model does, whatever its dialect.
const SCRIPTED: [(&str, &str); 19] = [
    ("hello", "tokens=3"),
    ("tooling", "tool-call,tokens=0"),
    ("thinking", "reasoning=2,tokens=3"),
    ("thoughtful-tooling", "reasoning=2,tool-call,tokens=0"),
    ("short", "tokens=3,finish=length"),
    ("silent", "silent-headers"),
    ("silent-unbeaten", "silent-headers"),
    ("limited", "status=429,retry-after=30"),
    ("busy-once", "status=429,retry-after-ms=300,fail=1"),
    ("overloaded", "status=529"),
    ("broken", "status=500"),
    ("wrong", "status=400"),
    ("late", "first=2500ms,tokens=3"),
    ("beating", "first=300ms,tokens=2,gap=200ms"),
    ("breaks-off", "tokens=3,gap=20ms,truncated"),
    ("errs-inside", "tokens=5,error-after=3,error=overloaded"),
    ("errs-late", "delay=300ms,status=529"),
    ("held", "delay=60s"),
    ("endless", "forever,gap=20ms"),
];

/// Answers written out, and the dialect that can read them.
const WRITTEN: [(&str, &str); 5] = [
    ("openai", "weather"),
    ("openai", "weather-streamed"),
    ("openai", "beating-ids"),
    ("responses", "weather-response"),
    ("responses", "weather-response-streamed"),
];

const WEATHER: &str = r#"{"city":"Oslo","degrees":7}"#;

/// The models of targets of this dialect.
pub fn names(dialect: &str) -> impl Iterator<Item = &'static str> {
    let scripted = SCRIPTED.into_iter().map(|(name, _)| name);
    let written = WRITTEN.into_iter().filter(move |(of, _)| *of == dialect);
    scripted.chain(written.map(|(_, name)| name))
}

/// What a model's routes say of heartbeats.
pub fn heartbeat(model: &str) -> &'static str {
    match model {
        "beating" | "beating-ids" | "errs-late" => "heartbeat_interval: 50ms, ",
        "silent-unbeaten" => "heartbeat_interval: 0, ",
        _ => "",
    }
}

/// Teaches a simulator all of them.
pub fn set(sim: &Sim) {
    for (name, script) in SCRIPTED {
        sim.set(name, script.parse().unwrap());
    }
    let halves = [&WEATHER[..9], &WEATHER[9..]];
    let message = json!({ "role": "assistant", "content": WEATHER });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    let whole = json!({ "id": "chatcmpl-w", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice] });
    sim.set("weather", unary(&whole));
    sim.set("weather-streamed", streamed(&chat(&halves, false)));
    let ids = streamed(&chat(&["a", " b", " c"], true));
    sim.set("beating-ids", ids.with("gap=200ms").unwrap());
    sim.set("weather-response", unary(&response("completed", WEATHER)));
    sim.set("weather-response-streamed", streamed(&events(&halves)));
}

fn unary(body: &Value) -> Script {
    Script::raw(200, "application/json", &[], body.to_string(), Cuts::Whole)
}

fn streamed(body: &str) -> Script {
    Script::raw(200, "text/event-stream", &[], body.to_owned(), Cuts::Events)
}

/// A stream of chat completions of these texts, an event a piece; with `ids`, each event has one.
fn chat(texts: &[&str], ids: bool) -> String {
    let mut body = String::new();
    let last = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    let choices = texts
        .iter()
        .map(|text| json!({ "index": 0, "delta": { "content": text }, "finish_reason": null }));
    for (n, choice) in choices.chain([last]).enumerate() {
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] });
        let id = if ids {
            format!("id: {n}\n")
        } else {
            String::new()
        };
        let _ = write!(body, "{id}data: {chunk}\n\n");
    }
    body + "data: [DONE]\n\n"
}

fn response(status: &str, text: &str) -> Value {
    let output = match text {
        "" => json!([]),
        text => json!([message("completed", text)]),
    };
    json!({
        "id": "resp_weather", "object": "response", "created_at": 1, "status": status, "error": null,
        "incomplete_details": null, "model": "m", "output": output, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [], "usage": null,
    })
}

fn message(status: &str, text: &str) -> Value {
    let content = match text {
        "" => json!([]),
        text => json!([part(text)]),
    };
    json!({ "id": "msg_weather", "type": "message", "status": status, "role": "assistant", "content": content })
}

fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [] })
}

/// A stream of the Responses API of one message with these texts.
fn events(texts: &[&str]) -> String {
    let at = |mut event: Value| {
        for (name, value) in [
            ("item_id", json!("msg_weather")),
            ("output_index", json!(0)),
            ("content_index", json!(0)),
        ] {
            event[name] = value;
        }
        event
    };
    let whole = texts.concat();
    let mut all = vec![
        json!({ "type": "response.created", "response": response("in_progress", "") }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": message("in_progress", "") }),
        at(json!({ "type": "response.content_part.added", "part": part("") })),
    ];
    all.extend(texts.iter().map(|text| {
        at(json!({ "type": "response.output_text.delta", "delta": text, "logprobs": [] }))
    }));
    all.extend([
        at(json!({ "type": "response.output_text.done", "text": whole, "logprobs": [] })),
        at(json!({ "type": "response.content_part.done", "part": part(&whole) })),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": message("completed", &whole) }),
        json!({ "type": "response.completed", "response": response("completed", &whole) }),
    ]);
    let mut body = String::new();
    for (n, mut event) in all.into_iter().enumerate() {
        event["sequence_number"] = json!(n);
        let name = event["type"].as_str().unwrap_or_default().to_owned();
        let _ = write!(body, "event: {name}\ndata: {event}\n\n");
    }
    body
}
