//! Deadlines, callers that leave, and heartbeats: the same on every surface in front of every dialect.

use crate::{
    peers::{PEERS, Peer},
    stage::{Mark, Stage, alone, at_once, late},
    support::{Answer, Caller, canary::percentile, ms},
    voices::{VOICES, Voice, is_stream},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const BUDGET: Duration = ms(400);

/// Where a request stands when something ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Unary,
    BeforeContent,
    AfterContent,
}

const STANDS: [Stands; 3] = [Stands::Unary, Stands::BeforeContent, Stands::AfterContent];

impl Stands {
    const fn script(self) -> &'static str {
        match self {
            Self::Unary => "silent-headers",
            Self::BeforeContent => "preamble-then-silent",
            Self::AfterContent => "tokens=5,stall-after=3",
        }
    }

    const fn phase(self) -> &'static str {
        match self {
            Self::Unary => "awaiting_headers",
            Self::BeforeContent => "awaiting_content",
            Self::AfterContent => "streaming",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    n: usize,
    peer: Peer,
    voice: Voice,
    stands: Stands,
}

impl Trial {
    fn all(times: usize) -> Vec<Self> {
        let mut all = Vec::new();
        for peer in PEERS {
            for voice in VOICES {
                for stands in STANDS.into_iter().flat_map(|s| vec![s; times]) {
                    let n = all.len();
                    all.push(Self {
                        n,
                        peer,
                        voice,
                        stands,
                    });
                }
            }
        }
        all
    }

    fn what(&self) -> String {
        format!("{:?} / {:?} / {:?}", self.peer, self.voice, self.stands)
    }

    fn name(&self) -> String {
        format!("t{}", self.n)
    }

    fn model(&self) -> String {
        self.peer.model(&self.name())
    }

    async fn stage(all: &[Self]) -> Arc<Stage> {
        let config = |origin: &str| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for t in all {
                let name = t.name();
                targets += &t.peer.target(&name, origin, "");
                routes += &format!("  {name}: {{ plan: {name} }}\n");
            }
            format!("targets:\n{targets}routes:\n{routes}")
        };
        let stage = Stage::open(config).await;
        for t in all {
            stage.plays(&t.model(), t.stands.script());
        }
        Arc::new(stage)
    }
}

#[test]
fn a_deadline_ends_every_surface_in_front_of_every_dialect_in_time() {
    alone(async {
        let trials = Trial::all(1);
        let stage = Trial::stage(&trials).await;
        let shared = stage.clone();
        at_once(8, trials, move |t| expires(shared.clone(), t)).await;
    });
}

async fn expires(stage: Arc<Stage>, t: Trial) {
    let (what, mark) = (t.what(), Mark::new());
    let request = t.voice.asks(&t.name(), t.stands != Stands::Unary);
    let request = request.with("x-request-deadline-ms", "400");
    let mut caller = Caller::connect(stage.gateway.addr).await;
    let started = Instant::now();
    let answer = caller.ask(&mark.on(request)).await;
    stage.at(&what, answer.ended_at - started, BUDGET);
    let text = answer.text();
    let error = match t.stands {
        Stands::AfterContent => {
            assert_eq!(answer.status, 200, "{what}: {text}");
            assert!(t.voice.text(&answer).starts_with("tok0"), "{what}: {text}");
            t.voice.last_error(&what, &answer)
        }
        _ => {
            assert_eq!(answer.status, 504, "{what}: {text}");
            assert_eq!(answer.header("x-should-retry"), Some("false"), "{what}");
            t.voice.error(&what, &answer)
        }
    };
    assert_eq!(error["code"], "request_deadline_exceeded", "{what}: {text}");
    assert_eq!(error["type"], "timeout_error", "{what}: {text}");
    assert_eq!(error["phase"], t.stands.phase(), "{what}: {text}");
    assert_eq!(error["budget_ms"], 400, "{what}: {text}");
    assert_eq!(error["source"], "header", "{what}: {text}");
    let seen = stage.seen(&t.model(), |s| s.closed.is_some()).await;
    let closed = late(seen.closed.unwrap().0, started + BUDGET);
    stage.within(&format!("{what}: closed"), closed, ms(10));
    let record = stage.record(&mark);
    assert_eq!(record["outcome"], "deadline_exceeded", "{what}: {record:#}");
}

#[test]
fn a_caller_that_leaves_closes_the_upstream_of_every_dialect() {
    alone(async {
        let trials = Trial::all(3);
        let stage = Trial::stage(&trials).await;
        let shared = stage.clone();
        let mut closed = at_once(4, trials, move |t| leaves(shared.clone(), t)).await;
        let p99 = percentile(&mut closed, 99);
        println!("closed after leaving: {} runs, p99 {p99:.1?}", closed.len());
        stage.within("p99 of upstream closes", p99, ms(10));
    });
}

/// How long after the caller left its upstream was closed.
async fn leaves(stage: Arc<Stage>, t: Trial) -> Duration {
    let (what, mark) = (t.what(), Mark::new());
    let mut caller = Caller::connect(stage.gateway.addr).await;
    let request = t.voice.asks(&t.name(), t.stands != Stands::Unary);
    caller.send(&mark.on(request)).await;
    match t.stands {
        Stands::Unary => drop(stage.seen(&t.model(), |s| s.received.is_some()).await),
        Stands::BeforeContent => drop(stage.seen(&t.model(), |s| s.headers_sent.is_some()).await),
        Stands::AfterContent => caller.hear(b"tok0", ms(10_000)).await,
    }
    let left = caller.leave();
    let seen = stage.seen(&t.model(), |s| s.closed.is_some()).await;
    assert_eq!(stage.asked(&t.model()).len(), 1, "{what}");
    let record = stage.record(&mark);
    assert_eq!(record["outcome"], "cancelled", "{what}: {record:#}");
    assert_eq!(record["reason"], "gone", "{what}: {record:#}");
    late(seen.closed.unwrap().0, left)
}

/// What comes behind heartbeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Answer,
    Failover,
    Failure,
}

#[test]
fn heartbeats_are_each_surfaces_own_and_failover_goes_on_behind_them() {
    alone(async {
        let mut trials = Vec::new();
        for peer in PEERS {
            for voice in VOICES {
                for behind in [Behind::Answer, Behind::Failover, Behind::Failure] {
                    trials.push((format!("h{}", trials.len()), peer, voice, behind));
                }
            }
        }
        let config = |origin: &str| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for (name, peer, _, behind) in &trials {
                let clock = match behind {
                    Behind::Answer => "",
                    _ => ", first_token_timeout: 500ms",
                };
                targets += &peer.target(name, origin, clock);
                let plan = match behind {
                    Behind::Failover => format!("[ {name}, good ]"),
                    _ => name.clone(),
                };
                routes += &format!("  {name}: {{ heartbeat_interval: 100ms, plan: {plan} }}\n");
            }
            let good = Peer::Generic.target("good", origin, "");
            format!("targets:\n{good}{targets}routes:\n{routes}")
        };
        let stage = Arc::new(Stage::open(config).await);
        stage.plays("good", "tokens=4");
        for (name, peer, _, behind) in &trials {
            let script = match behind {
                Behind::Answer => "first=500ms,tokens=4",
                _ => "preamble-then-silent",
            };
            stage.plays(&peer.model(name), script);
        }
        let shared = stage.clone();
        at_once(12, trials, move |(name, peer, voice, behind)| {
            let stage = shared.clone();
            async move {
                let what = format!("{peer:?} / {voice:?} / {behind:?}");
                let mark = Mark::new();
                let answer = stage.ask(&mark.on(voice.asks(&name, true))).await;
                beats(&what, voice, behind, &answer);
                let record = stage.record(&mark);
                let beats = record["heartbeats"].as_u64().unwrap();
                assert!(beats >= 3, "{what}: {record:#}");
                assert_eq!(record["status"], 200, "{what}: {record:#}");
            }
        })
        .await;
    });
}

fn beats(what: &str, voice: Voice, behind: Behind, answer: &Answer) {
    let text = answer.text();
    assert!(answer.status == 200 && is_stream(answer), "{what}: {text}");
    let (beat, foreign) = match voice {
        Voice::Messages => ("event: ping\ndata: {\"type\": \"ping\"}\n\n", ": waiting"),
        _ => (": waiting\n", "ping"),
    };
    let before = text.split("tok0").next().unwrap();
    assert!(before.matches(beat).count() >= 3, "{what}: {text}");
    assert!(!text.contains(foreign), "{what}: {text}");
    // with a blank line behind it the Python SDK takes it for an event
    assert!(!text.contains(": waiting\n\n"), "{what}: {text}");
    if behind == Behind::Failure {
        let error = voice.last_error(what, answer);
        assert_eq!(error["code"], "timeout", "{what}: {text}");
        assert_eq!(error["status"], json!(504), "{what}: {text}");
        return;
    }
    assert_eq!(voice.text(answer).trim(), "tok0 tok1 tok2 tok3", "{what}");
    assert!(voice.ended(answer) && answer.complete, "{what}: {text}");
}
