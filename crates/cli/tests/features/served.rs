//! What the binary serves of each dialect, asked on its sockets.

use super::{
    Row,
    support::{Caller, Gateway, Request},
};
use punctual_sim::{Listen, Sim};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Each dialect, and what a provider of it is told beside its address.
pub const DIALECTS: [(&str, &str); 13] = [
    ("openai", "api_key: k"),
    ("generic", "api_key: k"),
    ("azure", "api_key: k"),
    ("openrouter", "api_key: k"),
    ("responses", "api_key: k"),
    ("anthropic", "api_key: k"),
    ("gemini", "api_key: k"),
    ("vertex", "project: p"),
    ("bedrock", "api_key: k, region: us-east-1"),
    ("ollama", ""),
    ("images", "api_key: k"),
    ("vercel_images", "api_key: k"),
    ("typesafe", "api_key: k"),
];

/// A model of Bedrock that embeds.
const EMBEDS: &str = "amazon.titan-embed-text-v2";

fn surfaces() -> [(&'static str, &'static str, Value); 9] {
    let turns = json!([{ "role": "user", "content": "hi" }]);
    [
        (
            "chat completions",
            "/v1/chat/completions",
            json!({ "messages": turns }),
        ),
        ("responses", "/v1/responses", json!({ "input": "hi" })),
        (
            "messages",
            "/v1/messages",
            json!({ "messages": turns, "max_tokens": 9 }),
        ),
        ("completions", "/v1/completions", json!({ "prompt": "hi" })),
        ("embeddings", "/v1/embeddings", json!({ "input": "hi" })),
        (
            "images",
            "/v1/images/generations",
            json!({ "prompt": "hi" }),
        ),
        (
            "count tokens",
            "/v1/messages/count_tokens",
            json!({ "messages": turns }),
        ),
        ("`systemone`", "/v1/systemone", json!({ "question": "hi" })),
        ("passthrough", "/passthrough", json!({})),
    ]
}

/// A row for each surface.
pub async fn rows() -> Vec<Row> {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let (mut providers, mut targets, mut routes) = (String::new(), String::new(), String::new());
    for (dialect, more) in DIALECTS {
        let base = sim.url();
        let _ = writeln!(
            providers,
            "  p-{dialect}: {{ dialect: {dialect}, base_url: \"{base}/v1\", passthrough: true, {more} }}"
        );
        // what a name says of its model decides there
        for (name, model) in [(dialect.to_owned(), "m"), (format!("e-{dialect}"), EMBEDS)] {
            let _ = writeln!(
                targets,
                "  t-{name}: {{ provider: p-{dialect}, model: {model} }}"
            );
            let _ = writeln!(routes, "  r-{name}: {{ plan: t-{name} }}");
        }
    }
    let config = format!("providers:\n{providers}targets:\n{targets}routes:\n{routes}");
    let metadata = sim.url().replace("http://", "");
    let gateway = Gateway::start_with(&config, &[("GCE_METADATA_HOST", &metadata)]);
    let mut rows = Vec::new();
    for (name, path, ask) in surfaces() {
        let mut cells = Vec::new();
        for (dialect, _) in DIALECTS {
            cells.push(cell(&gateway, dialect, path, &ask).await);
        }
        rows.push((name.to_owned(), cells));
    }
    rows
}

async fn cell(gateway: &Gateway, dialect: &str, path: &str, ask: &Value) -> &'static str {
    let mut ask = ask.clone();
    ask["model"] = match path {
        "/v1/embeddings" => format!("r-e-{dialect}").into(),
        _ => format!("r-{dialect}").into(),
    };
    let path = match path {
        "/passthrough" => format!("/passthrough/t-{dialect}/chat/completions"),
        path => path.to_owned(),
    };
    let mut caller = Caller::connect(gateway.addr).await;
    let answer = caller.ask(&Request::post(&path, &ask.to_string())).await;
    let said = answer.text();
    match (answer.status, said.contains("unsupported")) {
        (400, true) => "–",
        (200, _) => "yes",
        other => panic!("{dialect} at {path}: {other:?}: {said}"),
    }
}
