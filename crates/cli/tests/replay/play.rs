//! One simulator and one gateway, and every case on a model, a target and a credential of its own, so that
//! the health of one says nothing about another.

use super::{
    expected::{self, first_content},
    log::{self, Memory},
    script,
    sse::blocks,
    support::{Answer, Caller, Gateway, Request, canary::Canary, ms},
    table::Case,
};
use punctual_sim::{Cuts, Listen, Script, Sim};
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet, time::Instant};

/// How many play at once.
const AT_ONCE: usize = 16;

/// One playing of a case.
pub struct Take {
    pub name: String,
    pub script: Script,
}

/// A case, and the takes of it that share a target.
pub struct Stage {
    case: Arc<Case>,
    takes: Vec<Take>,
}

impl Stage {
    pub fn new(case: &Arc<Case>, takes: impl IntoIterator<Item = Take>) -> Self {
        Self {
            case: case.clone(),
            takes: takes.into_iter().collect(),
        }
    }
}

/// What became of one take.
struct Played {
    case: Arc<Case>,
    memory: Memory,
    /// From the request to the head, and to the first byte of the body.
    head: Duration,
    body: Duration,
}

struct House {
    sim: Arc<Sim>,
    gateway: Gateway,
}

impl House {
    async fn open(stages: usize) -> Self {
        let sim = Arc::new(Sim::start(Listen::loopback()).await.unwrap());
        let (mut providers, mut targets, mut routes) =
            (String::new(), String::new(), String::new());
        for n in 0..stages {
            let _ = writeln!(
                providers,
                "  p{n}: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-{n} }}",
                sim.url()
            );
            let _ = writeln!(targets, "  t{n}: {{ provider: p{n}, model: m{n} }}");
            let _ = writeln!(routes, "  m{n}: {{ plan: t{n} }}");
        }
        let config = format!("providers:\n{providers}targets:\n{targets}routes:\n{routes}");
        Self {
            sim,
            gateway: Gateway::start(&config),
        }
    }

    /// Plays all stages and checks what each caller saw.
    async fn play(&self, stages: Vec<Stage>) -> Vec<Played> {
        let (doors, mut playing) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        for (n, stage) in stages.into_iter().enumerate() {
            let (sim, addr, doors) = (self.sim.clone(), self.gateway.addr, doors.clone());
            playing.spawn(async move {
                let _door = doors.acquire().await.unwrap();
                let mut caller = Caller::connect(addr).await;
                let (request, mut played) = (request(&stage.case, n), Vec::new());
                for take in stage.takes {
                    sim.set(format!("m{n}"), take.script);
                    let asked = Instant::now();
                    let answer = caller.ask(&request).await;
                    expected::check(&stage.case, &take.name, &answer);
                    played.push(remember(&stage.case, take.name, asked, &answer));
                }
                played
            });
        }
        let mut all = Vec::new();
        while let Some(played) = playing.join_next().await {
            all.extend(played.unwrap());
        }
        all
    }

    /// The log lines of all that was played, by request.
    fn lines(&self, n: usize) -> HashMap<String, Value> {
        let lines = self.gateway.log(n).into_iter();
        lines
            .map(|line| (line["request_id"].as_str().unwrap().to_owned(), line))
            .collect()
    }
}

fn remember(case: &Arc<Case>, name: String, asked: Instant, answer: &Answer) -> Played {
    Played {
        case: case.clone(),
        memory: Memory {
            name,
            request_id: answer.header("x-request-id").unwrap().to_owned(),
            status: answer.status,
            bytes: answer.body.len(),
        },
        head: answer.head_at - asked,
        body: answer.pieces.first().map_or(answer.ended_at, |(at, _)| *at) - asked,
    }
}

fn request(case: &Case, n: usize) -> Request {
    let (path, ask) = match case.surface.as_str() {
        "chat" => (
            "/v1/chat/completions",
            json!({ "messages": [{ "role": "user", "content": "hi" }] }),
        ),
        "completions" => ("/v1/completions", json!({ "prompt": "hi" })),
        "embeddings" => ("/v1/embeddings", json!({ "input": "hi" })),
        other => panic!("no request for {other}"),
    };
    let mut ask = ask;
    ask["model"] = format!("m{n}").into();
    if case.surface != "embeddings" {
        ask["stream"] = case.stream.into();
        ask["n"] = case.n.into();
    }
    Request::post(path, &ask.to_string())
}

/// Plays everything, then holds every log line to it; how many answers that were.
pub async fn all(stages: Vec<Stage>) -> usize {
    let house = House::open(stages.len()).await;
    let played = house.play(stages).await;
    let lines = house.lines(played.len());
    for take in &played {
        log::check(&take.case, &take.memory, &lines[&take.memory.request_id]);
    }
    played.len()
}

/// Plays every stream in three pieces, `GAP` apart: what comes before its first content, that event, the rest.
pub async fn timed(cases: Vec<Arc<Case>>) {
    const GAP: Duration = Duration::from_millis(200);
    let canary = Canary::start();
    let (mut stages, mut wanted) = (Vec::new(), HashMap::new());
    for case in cases
        .iter()
        .filter(|case| case.stream && !case.name.ends_with(".json"))
    {
        let events = blocks(&case.plain());
        let Some(first) = first_content(case, &events) else {
            continue;
        };
        let before: usize = events[..first].iter().map(|event| event.bytes.len()).sum();
        let pieces = [before, events[first].bytes.len()]
            .into_iter()
            .filter(|n| *n > 0);
        let script =
            script(case, Cuts::At(pieces.collect())).with(&format!("gap={}ms", GAP.as_millis()));
        wanted.insert(
            case.name.clone(),
            if before > 0 { GAP } else { Duration::ZERO },
        );
        stages.push(Stage::new(
            case,
            [Take {
                name: case.name.clone(),
                script: script.unwrap(),
            }],
        ));
    }
    let house = House::open(stages.len()).await;
    let played = house.play(stages).await;
    let lines = house.lines(played.len());
    let late = ms(50) + canary.p99();
    assert!(
        played.len() > 40,
        "only {} streams have content",
        played.len()
    );
    for take in &played {
        let name = &take.memory.name;
        let line = &lines[&take.memory.request_id];
        let told = Duration::from_secs_f64(line["first_content_ms"].as_f64().unwrap() / 1000.0);
        let due = wanted[name];
        // the pieces are paced by the simulator's timer, whose millisecond may have begun before the request's
        let within = |at: Duration| at + ms(2) >= due && at <= due + late;
        assert!(
            within(told),
            "{name}: first content told at {told:?}, due at {due:?} + {late:?}"
        );
        assert!(
            within(take.head) && within(take.body),
            "{name}: head at {:?}, body at {:?}, due at {due:?} + {late:?}",
            take.head,
            take.body
        );
    }
}
