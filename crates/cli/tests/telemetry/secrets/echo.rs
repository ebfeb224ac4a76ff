//! Upstreams that repeat what they were sent in each place where they have the word, and the configuration
//! that leads to them.

use super::{CALLER, COOKIE, HEADER, HOST, PATH, PROMPT, PROVIDER};
use punctual_sim::{Cuts, Script, Sim};

/// Names and their scripts.
pub fn scripts(host: &str) -> Vec<(&'static str, Script)> {
    let echo = format!(
        "key {PROVIDER} or {HEADER} is wrong for {PROMPT} at http://{host}/{PATH}/v1/chat/completions"
    );
    let body = format!(
        "{{\"error\":{{\"message\":\"{echo}\",\"type\":\"{PROVIDER}\",\"code\":\"{PROVIDER}\"}}}}"
    );
    let headers = [
        ("x-request-id", PROVIDER),
        ("openai-organization", PROVIDER),
        ("set-cookie", COOKIE),
        ("location", echo.as_str()),
    ];
    let answer = |status, kind, body: &str| {
        Script::raw(status, kind, &headers, body.to_owned(), Cuts::Whole)
    };
    let json = "application/json";
    let chunk = |text: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"{PROVIDER}\",\"model\":\"{PROVIDER}\",\"choices\":[{{\"index\":0,\"delta\":\
             {{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let whole = chunk("tok0", "null") + &chunk("", &format!("\"{PROVIDER}\"")) + "data: [DONE]\n\n";
    let broken = chunk("tok0", "null") + &format!("data: {body}\n\n");
    let html = format!("<html>{echo}</html>");
    vec![
        ("fine", Script::plain()),
        ("echoing-stream", answer(200, "text/event-stream", &whole)),
        ("broken-stream", answer(200, "text/event-stream", &broken)),
        (
            "error-first",
            answer(200, "text/event-stream", &format!("data: {body}\n\n")),
        ),
        ("not-json", answer(200, json, &html)),
        ("mistake", answer(400, json, &body)),
        ("unauthorized", answer(401, json, &body)),
        ("limited", answer(429, json, &body)),
        ("server-error", answer(500, "text/html", &html)),
        ("redirect", answer(302, "text/html", &html)),
        ("silent", "silent-headers".parse().unwrap()),
        ("cut", "rst=headers".parse().unwrap()),
    ]
}

pub fn config(names: &[&str], plain: &Sim, tls: &Sim, ca: &std::path::Path) -> String {
    let ca = ca.display();
    let common = format!("dialect: openai, api_key: {PROVIDER}, headers: {{ x-team: {HEADER} }}");
    let mut text = format!(
        "keys: {{ tests: {{ value: {CALLER} }} }}\nproviders:\n  \
         plain: {{ {common}, base_url: \"{}/{PATH}/v1\" }}\n  \
         tls: {{ {common}, base_url: \"{}/{PATH}/v1\", ca_file: \"{ca}\", http2: true }}\n  \
         strange: {{ {common}, base_url: \"{}/{PATH}/v1\" }}\n  \
         nowhere: {{ {common}, base_url: \"http://{HOST}:81/{PATH}/v1\" }}\n  \
         proxied: {{ {common}, base_url: \"{}/{PATH}/v1\", proxy: \"http://{HOST}:3128\" }}\n\
         targets:\n",
        plain.url(),
        tls.url(),
        tls.url(),
        plain.url(),
    );
    let mut routes = String::from("routes:\n");
    for name in names {
        for provider in ["plain", "tls"] {
            text += &format!(
                "  {name}-{provider}: {{ provider: {provider}, model: {name}, timeout: 300ms }}\n"
            );
            routes += &format!("  {name}-{provider}: {{ plan: {name}-{provider} }}\n");
        }
    }
    for provider in ["strange", "nowhere", "proxied"] {
        text += &format!("  {provider}: {{ provider: {provider}, model: fine }}\n");
        routes += &format!("  {provider}: {{ plan: {provider} }}\n");
    }
    routes += "  \"plain/*\": { plan: { pass: plain } }\n";
    text + &routes
}
