//! The simulator's events have no member that recorded ones lack.
//!
//! Recordings of real services lie beside the repository on some machines and are read in place; without
//! them nothing is compared, and a line says so.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod talk;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use punctual_sim::{Listen, Script, Sim};
use serde_json::Value;
use talk::{ask, body, frames};

const GEMINI: &str = "/v1beta/models/m:streamGenerateContent?alt=sse";

/// A path, a script, the recordings whose members are known, and members no recording here has.
struct Row(
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const ROWS: &[Row] = &[
    Row(
        GEMINI,
        "",
        &["31-gemini-stream.sse", "32-gemini-stream-thoughts.sse"],
        &[],
    ),
    Row(
        GEMINI,
        "reasoning,tool-call",
        &[
            "32-gemini-stream-thoughts.sse",
            "34-gemini-two-terminals.sse",
            "36-gemini-stream-missing-terminal-call.jsonl",
        ],
        &[
            "candidates.content.parts.functionCall.args",
            "candidates.content.parts.functionCall.args.city",
        ],
    ),
    Row("/api/chat", "", &["51-ollama-chat-ndjson.ndjson"], &[]),
    Row(
        "/api/generate",
        "",
        &["52-ollama-generate-ndjson.ndjson"],
        &[],
    ),
    Row(
        "/model/m/converse-stream",
        "tool-call",
        &["44-bedrock-converse-tool.eventstream"],
        &[],
    ),
    Row(
        "/model/m/invoke-with-response-stream",
        "tool-call",
        &["46-bedrock-invoke-stream-claude.eventstream"],
        &[],
    ),
    Row(
        "/openai/deployments/m/chat/completions",
        "",
        &["19-azure-chat-stream.sse", "21-azure-model-router.jsonl"],
        &[],
    ),
    Row(
        "/v1/messages",
        "",
        &["23-anthropic-messages-stream.sse"],
        &[],
    ),
];

/// The events of a body, each as JSON, whatever frames them.
fn events(bytes: &[u8], path: &str) -> Vec<Value> {
    if path.starts_with("/model/") {
        let all = frames::read(bytes).unwrap();
        let text = |frame: &frames::Frame| match frame.header(":event-type") {
            "chunk" => frame.carried(),
            _ => frame.payload.clone(),
        };
        return all
            .iter()
            .map(|frame| serde_json::from_str(&text(frame)).unwrap())
            .collect();
    }
    let text = String::from_utf8_lossy(bytes);
    let lines = text
        .lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The names of all members, with those around them.
fn members(value: &Value, around: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let name = format!("{around}{name}");
                members(value, &format!("{name}."), all);
                all.insert(name);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| members(value, around, all)),
        _ => {}
    }
}

fn all_members(events: &[Value]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    events.iter().for_each(|event| members(event, "", &mut all));
    all
}

#[tokio::test]
async fn every_member_is_one_that_the_service_sends() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if !folder.exists() {
        println!("no recordings beside the repository: nothing compared");
        return;
    }
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    for Row(path, script, files, more) in ROWS {
        sim.set("m", script.parse::<Script>().unwrap());
        let heard = ask(&sim, path, &body("m", true), Duration::from_millis(250)).await;
        let said = all_members(&events(&heard.bytes(), path));
        assert!(said.len() > 5, "{path}: {said:?}");
        let mut known: BTreeSet<String> = more.iter().map(|m| (*m).to_owned()).collect();
        for file in *files {
            let recorded = std::fs::read(folder.join(file)).unwrap();
            known.extend(all_members(&events(&recorded, path)));
        }
        let unknown: Vec<&String> = said.difference(&known).collect();
        assert!(unknown.is_empty(), "{path} {script}: {unknown:?}");
    }
}
