//! Every answer of every dialect, through the real binary and through each surface that can ask for it.
//!
//! Where the surface is the dialect's own, the bytes are the upstream's; where it is not, a strict reader of the
//! caller's API must hear what the upstream said. The status, the error in the caller's words and the log line
//! follow the contract in both.

use super::{
    carried,
    dialects::Played,
    expected, heard, log, script,
    support::{Answer, Caller, Gateway, Request},
};
use punctual_sim::{Cuts, Listen, Sim};
use punctual_wire::{Surface, Via};
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write as _, sync::Arc};
use tokio::{sync::Semaphore, task::JoinSet};

/// How many play at once.
const AT_ONCE: usize = 16;
/// Bodies up to this size are also sent one byte at a time.
const SMALL: usize = 1100;

/// An answer through one surface, in one way of cutting.
#[derive(Clone)]
struct Take {
    played: Arc<Played>,
    surface: Surface,
    cuts: Cuts,
}

impl Take {
    fn name(&self) -> String {
        format!(
            "{} on {} cut {:?}",
            self.played.name(),
            self.surface,
            self.cuts
        )
    }

    fn relays(&self) -> bool {
        let via = Via::between(self.surface, self.played.api());
        via.is_some_and(Via::is_relay)
    }
}

/// What a caller remembers of one take.
struct Memory {
    take: Take,
    id: String,
    status: u16,
    bytes: usize,
}

/// Plays everything, then holds every log line to it; how many answers that were.
pub async fn all(what: Vec<Played>) -> usize {
    let takes = takes(what);
    let sim = Arc::new(Sim::start(Listen::loopback()).await.unwrap());
    // a failing case must not decide on the next one: each take has a target of its own
    let config = config(&sim.url(), &takes);
    let metadata = sim.url().replace("http://", "");
    let gateway = Gateway::start_with(&config, &[("GCE_METADATA_HOST", &metadata)]);
    let (doors, mut playing) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    for (n, take) in takes.into_iter().enumerate() {
        let (sim, addr, doors) = (sim.clone(), gateway.addr, doors.clone());
        playing.spawn(async move {
            let _door = doors.acquire().await.unwrap();
            sim.set(
                format!("m{n}"),
                script(&take.played.case, take.cuts.clone()),
            );
            let mut caller = Caller::connect(addr).await;
            let answer = caller.ask(&request(&take, n)).await;
            hears(&take, &answer);
            Memory {
                id: answer.header("x-request-id").unwrap().to_owned(),
                status: answer.status,
                bytes: answer.body.len(),
                take,
            }
        });
    }
    let mut memories = Vec::new();
    while let Some(memory) = playing.join_next().await {
        memories.push(memory.unwrap());
    }
    let lines = gateway.log(memories.len()).into_iter();
    let lines: HashMap<String, Value> = lines
        .map(|line| (line["request_id"].as_str().unwrap().to_owned(), line))
        .collect();
    for memory in &memories {
        logged(memory, &lines[&memory.id]);
    }
    memories.len()
}

fn takes(what: Vec<Played>) -> Vec<Take> {
    let mut takes = Vec::new();
    for played in what.into_iter().map(Arc::new).filter(|p| p.case.n == 1) {
        let mut cuts = vec![Cuts::Random(1), Cuts::Random(2), Cuts::Whole];
        if played.reads.len() > 1 {
            cuts.push(Cuts::At(played.reads.clone()));
        }
        if played.case.body.len() <= SMALL {
            cuts.push(Cuts::EveryByte);
        }
        for surface in played.surfaces() {
            takes.extend(cuts.iter().map(|cuts| Take {
                played: played.clone(),
                surface: *surface,
                cuts: cuts.clone(),
            }));
        }
    }
    takes
}

fn config(sim: &str, takes: &[Take]) -> String {
    let (mut providers, mut targets, mut routes) = (String::new(), String::new(), String::new());
    for (n, take) in takes.iter().enumerate() {
        let (mut dialect, mut more) = (take.played.dialect.as_str(), "");
        if dialect == "invoke" {
            (dialect, more) = ("bedrock", ", api: invoke");
        }
        let place = match dialect {
            "azure" => format!("base_url: \"{sim}\", api_key: k{n}"),
            "openrouter" => format!("base_url: \"{sim}/api/v1\", api_key: k{n}"),
            "gemini" => format!("base_url: \"{sim}/v1beta\", api_key: k{n}"),
            "vertex" => format!("base_url: \"{sim}/v1\", project: p{n}"),
            "bedrock" => format!("base_url: \"{sim}\", region: us-east-1, api_key: k{n}"),
            "ollama" => format!("base_url: \"{sim}\""),
            _ => format!("base_url: \"{sim}/v1\", api_key: k{n}"),
        };
        let _ = writeln!(providers, "  p{n}: {{ dialect: {dialect}, {place}{more} }}");
        let _ = writeln!(targets, "  t{n}: {{ provider: p{n}, model: m{n} }}");
        let _ = writeln!(routes, "  m{n}: {{ plan: t{n} }}");
    }
    format!("providers:\n{providers}targets:\n{targets}routes:\n{routes}")
}

fn request(take: &Take, n: usize) -> Request {
    let turns = json!([{ "role": "user", "content": "hi" }]);
    let (path, mut ask) = match take.surface {
        Surface::Chat => ("/v1/chat/completions", json!({ "messages": turns })),
        Surface::Responses => ("/v1/responses", json!({ "input": "hi" })),
        Surface::Messages => (
            "/v1/messages",
            json!({ "messages": turns, "max_tokens": 99 }),
        ),
        _ => ("/v1/completions", json!({ "prompt": "hi" })),
    };
    let stream = take.played.case.stream;
    ask["model"] = format!("m{n}").into();
    ask["stream"] = stream.into();
    if stream && take.surface == Surface::Chat {
        ask["stream_options"] = json!({ "include_usage": true });
    }
    Request::post(path, &ask.to_string())
}

/// Whether the caller's head is out before the outcome is known.
fn commits(played: &Played) -> bool {
    let case = &played.case;
    let family = matches!(played.dialect.as_str(), "openai" | "azure" | "openrouter");
    case.succeeds()
        || match family {
            true => expected::commits(case),
            false => case.stream && carried::has_begun(played),
        }
}

/// Checks everything that the caller's socket saw.
fn hears(take: &Take, answer: &Answer) {
    let (name, case) = (take.name(), &take.played.case);
    assert!(answer.complete, "{name}: the answer is framed to its end");
    let status = match commits(&take.played) {
        true => 200,
        false => expected::status(&case.class, case.status),
    };
    assert_eq!(answer.status, status, "{name}: {}", answer.text());
    let kind = answer.header("content-type").unwrap_or_default();
    let wanted = match case.stream && status == 200 {
        true => "text/event-stream",
        false => "application/json",
    };
    assert!(kind.starts_with(wanted), "{name}: {kind}");
    let surface = take.surface.as_str();
    match (status == 200, case.succeeds()) {
        (true, true) => answered(take, &name, answer),
        (true, false) if take.surface == Surface::Completions => {}
        (true, false) => {
            let error = heard::broken(surface, &answer.body);
            carried::names(case, take.surface, &name, &error);
        }
        (false, _) => {
            let error = heard::refused(surface, &answer.body);
            carried::names(case, take.surface, &name, &error);
        }
    }
}

fn answered(take: &Take, name: &str, answer: &Answer) {
    let case = &take.played.case;
    let plain = case.plain();
    let made = case.stream && plain.starts_with(b"{") && take.played.dialect != "ollama";
    if take.relays() && !made {
        let relayed = match case.stream {
            true => carried::relayed_by(&take.played, take.surface),
            false => plain,
        };
        assert!(
            answer.body == relayed,
            "{name}: the upstream's bytes are not the caller's:\n{}\nwanted:\n{}",
            answer.text(),
            String::from_utf8_lossy(&relayed)
        );
        return;
    }
    if take.surface == Surface::Completions {
        assert!(answer.done(), "{name}: {}", answer.text());
        return assert_eq!(
            answer.content(),
            super::foreign::said(&take.played).text,
            "{name}"
        );
    }
    let heard = match case.stream {
        true => heard::stream(take.surface.as_str(), &answer.body),
        false => heard::answer(take.surface.as_str(), &answer.body),
    };
    carried::says(&take.played, take.surface, name, &heard);
}

fn logged(memory: &Memory, line: &Value) {
    let (name, case) = (memory.take.name(), &memory.take.played.case);
    let committed = commits(&memory.take.played);
    assert_eq!(
        line["outcome"],
        expected::ends(case, committed),
        "{name}: {line}"
    );
    assert_eq!(line["status"], memory.status, "{name}: {line}");
    assert_eq!(
        line["surface"],
        memory.take.surface.as_str(),
        "{name}: {line}"
    );
    log::attempt(case, &name, line);
    if case.succeeds() {
        assert_eq!(line["delivered_bytes"], memory.bytes, "{name}: {line}");
    }
}
