//! What must never be told: credentials, prompts, and where upstreams are.
//!
//! Requests that go well and badly in every way that quotes something, with every library's log turned up.
//! The upstream repeats what it was sent in each place where it has the word.

use crate::{
    counts,
    stage::LONG,
    support::{Answer, Caller, Collector, Gateway, Request, gateway::scratch, ms, run},
};
use echo::{config, scripts};
use punctual_sim::{Listen, Seen, Sim};
use std::{collections::BTreeSet, fmt::Write};

mod echo;

const CALLER: &str = "sk-caller-canary-51d2a7";
const STRANGER: &str = "sk-stranger-canary-9be01c";
const PROVIDER: &str = "sk-provider-canary-84f6e3";
const HEADER: &str = "team-header-canary-3c9d55";
const COOKIE: &str = "cookie-canary-a02c6e";
const PROMPT: &str = "prompt-canary-77ab12";
const MODEL: &str = "model-canary-e1b94f";
/// A name that no resolver knows.
const HOST: &str = "host-canary.invalid";
/// Part of the upstream's path.
const PATH: &str = "path-canary-6d10";

/// Every library turned up, also by names that are finer than a filter of whole libraries would know.
const LOUD: &str = "trace,hyper=trace,hyper::proto=trace,hyper_util=trace,h2=trace,h2::codec=trace,\
                    rustls=trace,rustls::client=trace,tokio_rustls=trace,punctual=trace";

fn chat(model: &str, stream: bool) -> Request {
    let body = serde_json::json!({ "model": model, "stream": stream, "user": PROMPT,
        "messages": [{ "role": "user", "content": PROMPT }] });
    Request::post("/v1/chat/completions", &body.to_string())
        .with("authorization", &format!("Bearer {CALLER}"))
        .with("cookie", COOKIE)
}

/// What a caller was told beside an answer that is relayed as it came. Where an upstream's own words are
/// passed on, they may quote the caller to itself, but neither key nor host.
fn told(answer: &Answer) -> String {
    let ids = |(name, _): &&(String, String)| name != "x-upstream-request-id";
    let headers: Vec<_> = answer.headers.iter().filter(ids).collect();
    let body = match answer.status {
        200 => format!("{:?}", answer.error_events()),
        _ => answer.text(),
    };
    let body = if body.contains("key [redacted] or [redacted] is wrong") {
        body.replace(PROMPT, "").replace(PATH, "")
    } else {
        body
    };
    format!("{} {headers:?} {body}", answer.status)
}

/// Everything that is asked, some of it of nobody.
fn asked(names: &[&str]) -> Vec<Request> {
    let mut all = Vec::new();
    for name in names {
        for provider in ["plain", "tls"] {
            let model = format!("{name}-{provider}");
            all.extend([chat(&model, false), chat(&model, true)]);
        }
    }
    all.extend(["strange", "nowhere", "proxied"].map(|model| chat(model, false)));
    all.push(chat(&format!("plain/{MODEL}"), true));
    all.push(chat(&format!("nobody/{MODEL}"), true));
    let mut wrong_key = chat("fine-plain", false);
    wrong_key
        .headers
        .retain(|(name, _)| name != "authorization");
    all.push(wrong_key.with("authorization", &format!("Bearer {STRANGER}")));
    let mut not_json = chat("fine-plain", false);
    not_json.body = format!("{{\"model\": \"fine-plain\", \"messages\": {PROMPT} }}").into_bytes();
    all.push(not_json);
    all.push(chat("silent-tls", true).with("x-request-deadline-ms", "100"));
    all
}

/// The upstream had all of it, or there would be nothing to keep.
fn had_it_all(seen: &[Seen]) {
    let key = format!("Bearer {PROVIDER}");
    let ours = |s: &Seen| s.header("authorization") == Some(&key) && s.header("cookie").is_none();
    assert!(seen.iter().all(ours));
    let prompt = |s: &Seen| String::from_utf8_lossy(&s.body).contains(PROMPT);
    assert!(seen.iter().any(prompt) && seen.iter().any(|s| s.model == MODEL));
}

/// Where a secret is found, with what stands around it.
fn found<'a>(secret: &str, place: &str, text: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let (secret, place) = (secret.to_owned(), place.to_owned());
    let lines = text.lines().filter_map(move |line| {
        let at = line.find(&secret)?;
        let near: String = line
            .chars()
            .skip(at.saturating_sub(160))
            .take(320)
            .collect();
        Some(format!("{secret} in {place}: {near}"))
    });
    lines.take(3)
}

/// What operators can read while it runs.
async fn administered(gateway: &Gateway) -> (String, String) {
    let read = async |path: &str| {
        let mut caller = Caller::connect(gateway.admin).await;
        caller.ask(&Request::get(path)).await.text()
    };
    (read("/metrics").await, read("/status").await)
}

#[test]
fn nobody_is_told_a_credential_a_prompt_or_where_an_upstream_is() {
    run(async {
        let plain = Sim::start(Listen::loopback()).await.unwrap();
        let tls = Sim::start(Listen::loopback().tls()).await.unwrap();
        let mut names = Vec::new();
        for sim in [&plain, &tls] {
            let scripts = scripts(sim.url().split_once("//").unwrap().1);
            names = scripts.iter().map(|(name, _)| *name).collect();
            scripts
                .into_iter()
                .for_each(|(name, script)| sim.set(name, script));
        }
        let ca = scratch("secrets").with_extension("pem");
        std::fs::write(&ca, tls.ca_pem()).unwrap();
        let collector = Collector::start().await;
        let mut env = collector.env();
        env.push(("RUST_LOG".to_owned(), LOUD.to_owned()));
        let env: Vec<_> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let mut gateway = Gateway::start_with(&config(&names, &plain, &tls, &ca), &env);

        let asked = asked(&names);
        let mut answers = String::new();
        for request in &asked {
            let mut caller = Caller::connect(gateway.addr).await;
            caller.send(request).await;
            writeln!(answers, "{}", told(&caller.answer(LONG).await)).unwrap();
        }
        let mut leaver = Caller::connect(gateway.addr).await;
        leaver.send(&chat("silent-plain", true)).await;
        let third = |seen: &[Seen]| seen.iter().filter(|s| s.model == "silent").count() == 3;
        assert!(plain.wait(LONG, third).await.is_ok(), "the upstream has it");
        leaver.leave();
        let lines = gateway.log(asked.len() + 1);
        let outcomes: BTreeSet<_> = lines.iter().map(|l| l["outcome"].to_string()).collect();
        assert!(outcomes.len() > 5, "{outcomes:?}");
        let (metrics, status) = administered(&gateway).await;
        gateway.signal("TERM");
        while gateway.wait(ms(1)).is_none() {
            tokio::time::sleep(ms(10)).await;
        }
        std::fs::remove_file(&ca).unwrap();
        had_it_all(&plain.report());
        assert!(!tls.report().is_empty());

        let labels = counts::scraped(&metrics);
        assert!(
            labels.keys().all(|label| !label.contains(MODEL)),
            "a label from a request"
        );
        let said = gateway.said().all().join("\n");
        assert!(said.contains("TRACE"), "the log is turned up");
        assert!(collector.spans().len() > asked.len() * 3);
        let places = [
            ("answers", answers),
            ("standard output", gateway.requests().all().join("\n")),
            ("standard error", said),
            ("spans", format!("{:?}", collector.spans())),
            ("metrics", format!("{metrics} {:?}", collector.metrics())),
            ("status", status),
        ];
        let secrets = [
            CALLER, STRANGER, PROVIDER, HEADER, COOKIE, PROMPT, HOST, PATH,
        ]
        .map(str::to_owned);
        let hosts = [&plain, &tls].map(|sim| sim.addr().to_string());
        let named = format!("localhost:{}", tls.addr().port());
        let all = secrets.into_iter().chain(hosts).chain([named]);
        let pairs = all.flat_map(|secret| {
            places
                .iter()
                .map(move |(place, text)| (secret.clone(), *place, text))
        });
        let found: Vec<_> = pairs
            .flat_map(|(secret, place, text)| found(&secret, place, text))
            .collect();
        assert!(
            found.is_empty(),
            "{} found:\n{}",
            found.len(),
            found.join("\n")
        );
    });
}
