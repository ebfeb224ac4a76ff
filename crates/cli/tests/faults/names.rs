//! HDR-08: no header's name is made of a caller's words, neither in the answer nor on the way up.

use crate::{
    house::{Asks, House, SURFACES},
    support::Request,
};
use std::collections::BTreeSet;

const ANSWERS: [&str; 16] = [
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "openai-processing-ms",
    "retry-after",
    "server-timing",
    "transfer-encoding",
    "x-accel-buffering",
    "x-punctual-attempts",
    "x-punctual-target",
    "x-ratelimit-remaining-requests",
    "x-request-id",
    "x-should-retry",
    "x-upstream-request-id",
];
const REQUESTS: [&str; 11] = [
    "accept",
    "accept-encoding",
    "authorization",
    "content-length",
    "content-type",
    "host",
    "idempotency-key",
    "openai-beta",
    "traceparent",
    "tracestate",
    "user-agent",
];

/// Names of models as callers write them, those that nobody serves too.
const MODELS: [&str; 6] = [
    "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "acme/x-evil",
    "set-cookie",
    "x-evil\\r\\nx-worse: 1",
    "\u{6a21}\u{578b}[test] v2",
    "x-evil x-evil",
];

fn request(asks: Asks, model: &str) -> Request {
    let mut request = asks.of("MODEL");
    let body = String::from_utf8(request.body).unwrap();
    let extra = format!("{{\"user\":\"x-evil-user\",\"metadata\":{{\"x-evil-meta\":\"{model}\"}},");
    let body = body.replace("MODEL", model).replacen('{', &extra, 1);
    request.body = body.into_bytes();
    request
        .with("x-evil", "1")
        .with("x-evil-session", "x-evil")
        .with("idempotency-key", "x-evil-key")
        .with("baggage", "x-evil=1")
}

#[tokio::test]
async fn no_headers_name_is_made_of_a_callers_words() {
    let config = "providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }\nroutes: { \"*\": { plan: { pass: p } }, acme/x-evil: { plan: { pass: p } } }\n";
    let house = House::open("", config).await;
    let labels = "header=x-request-id:req-1,header=x-ratelimit-remaining-requests:1,header=openai-processing-ms:1";
    for (n, model) in MODELS.iter().enumerate() {
        let words = [labels.to_owned(), format!("status=400,{labels}")];
        house.sim.set(*model, words[n % 2].parse().unwrap());
    }
    let (mut told, mut served) = (BTreeSet::new(), 0);
    for model in MODELS {
        for asks in SURFACES {
            let answer = house.ask(&request(asks, model)).await;
            served += usize::from(answer.status == 200);
            told.extend(answer.headers.into_iter().map(|(name, _)| name));
        }
    }
    assert!(served >= SURFACES.len(), "{served}");
    let told: Vec<_> = told
        .iter()
        .filter(|n| !ANSWERS.contains(&n.as_str()))
        .collect();
    assert!(told.is_empty(), "answers carry {told:?}");
    let seen = house.sim.report();
    assert!(seen.len() >= served);
    let up: BTreeSet<_> = seen
        .iter()
        .flat_map(|s| &s.headers)
        .map(|(n, _)| n.as_str())
        .collect();
    let up: Vec<_> = up.iter().filter(|n| !REQUESTS.contains(n)).collect();
    assert!(up.is_empty(), "requests carry {up:?}");
}
