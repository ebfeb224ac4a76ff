//! The real OpenAI SDKs against the real binary: what their users catch, retry, parse and abort.
//!
//! The scripts beside this file print a line a check. They need the SDKs, which `./scripts/test.sh` fetches
//! and names in `PUNCTUAL_SDKS`; without it nothing here is tested, and the tests say so.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod support;

use punctual_sim::{Cuts, Listen, Script, Sim};
use serde_json::json;
use std::{fmt::Write as _, path::Path, path::PathBuf, process::Command};
use support::{Gateway, run};

const KEY: &str = "pk-the-key-of-the-sdk-tests";

/// What each model of the simulator does.
const MODELS: [(&str, &str); 12] = [
    ("hello", "tokens=3"),
    ("tooling", "tool-call,tokens=0"),
    ("silent", "silent-headers"),
    ("silent-unbeaten", "silent-headers"),
    ("limited", "status=429,retry-after=30"),
    ("busy-once", "status=429,retry-after-ms=300,fail=1"),
    ("broken", "status=500"),
    ("wrong", "status=400"),
    ("late", "first=2500ms,tokens=3"),
    ("beating", "first=300ms,tokens=2,gap=200ms"),
    ("breaks-off", "tokens=3,truncated"),
    ("held", "delay=60s"),
];

#[test]
fn the_synchronous_client_of_python() {
    check("openai_sync.py");
}

#[test]
fn the_asynchronous_client_of_python() {
    check("openai_async.py");
}

#[test]
fn the_client_of_node() {
    check("openai_node.mjs");
}

/// Runs one script against a simulator and a gateway of its own.
#[expect(
    clippy::print_stdout,
    reason = "the script's lines, and that nothing ran"
)]
fn check(script: &str) {
    let Some(sdks) = std::env::var_os("PUNCTUAL_SDKS").map(PathBuf::from) else {
        println!(
            "{script}: skipped, PUNCTUAL_SDKS names no folder with the SDKs; ./scripts/test.sh fetches them"
        );
        return;
    };
    run(async {
        let sim = simulator().await;
        let gateway = Gateway::start(&config(&sim));
        let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdks")).join(script);
        let python = sdks.join("venv/bin/python").into_os_string();
        let is_python = script.extension().is_some_and(|e| e == "py");
        let done = Command::new(if is_python { python } else { "node".into() })
            .arg(&script)
            .env("PUNCTUAL_SDKS", &sdks)
            .env("PUNCTUAL_URL", gateway.url())
            .env("PUNCTUAL_KEY", KEY)
            .env("SIM_URL", sim.url())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        let (said, complained) = (
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr),
        );
        println!("{said}");
        assert!(
            done.status.success() && said.contains("checks held"),
            "{said}\n{complained}"
        );
    });
}

async fn simulator() -> Sim {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    for (model, script) in MODELS.into_iter().chain([("endless", "forever,gap=20ms")]) {
        sim.set(model, script.parse().unwrap());
    }
    let weather = r#"{"city":"Oslo","degrees":7}"#;
    let whole = json!({
        "id": "chatcmpl-w", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": weather }, "finish_reason": "stop" }],
    });
    sim.set(
        "weather",
        Script::raw(200, "application/json", &[], whole.to_string(), Cuts::Whole),
    );
    sim.set(
        "weather-streamed",
        streamed(&[&weather[..9], &weather[9..]], false),
    );
    sim.set(
        "beating-ids",
        streamed(&["a", " b", " c"], true)
            .with("gap=200ms")
            .unwrap(),
    );
    sim
}

/// A stream of these texts, an event a piece; with `ids`, each event has one.
fn streamed(texts: &[&str], ids: bool) -> Script {
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
    body.push_str("data: [DONE]\n\n");
    Script::raw(200, "text/event-stream", &[], body, Cuts::Events)
}

/// A route, a target and a credential for each model, and one route that the key may not use.
fn config(sim: &Sim) -> String {
    let more = ["endless", "weather", "weather-streamed", "beating-ids"];
    let models: Vec<&str> = MODELS.iter().map(|(model, _)| *model).chain(more).collect();
    let (mut providers, mut targets, mut routes) = (String::new(), String::new(), String::new());
    for model in &models {
        let beat = match *model {
            "beating" | "beating-ids" => "heartbeat_interval: 50ms, ",
            "silent-unbeaten" => "heartbeat_interval: 0, ",
            _ => "",
        };
        let url = sim.url();
        let _ = writeln!(
            providers,
            "  {model}: {{ dialect: openai, base_url: \"{url}/v1\", api_key: sk-{model} }}"
        );
        let _ = writeln!(
            targets,
            "  {model}: {{ provider: {model}, model: {model} }}"
        );
        let _ = writeln!(routes, "  {model}: {{ {beat}plan: {model} }}");
    }
    let allowed = models.join(", ");
    format!(
        "keys: {{ tests: {{ value: {KEY}, routes: [{allowed}] }} }}\nproviders:\n{providers}targets:\n{targets}\
         routes:\n{routes}  private: {{ plan: hello }}\n"
    )
}
