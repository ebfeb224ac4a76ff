//! The crates of the binary in this process, over an upstream that panics.

use crate::{
    counts,
    kinds::{Kind, panicked},
    play::Played,
    stage::LONG,
    support::{Caller, Collector, canary::Canary, ms},
    told::Told,
    verdict::Verdict,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use punctual_core::{
    Attempt, Call, Engine, Failure, Head, Health, Kind as Sort, Lane, LaneLimits, Limits, Piece,
    Pieces, Plan, Policy, Reserve, RetryBudget, Summary, Target, TargetId, Upstream,
};
use punctual_server::{
    Gateway, Hooks, Keys, Listeners, Route, Routes, Settings, Shutdown, Snapshot,
};
use punctual_telemetry::{Settings as TelemetrySettings, Telemetry};
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{net::TcpListener, time::Sleep};

/// Does what the script of a target says, and then panics.
struct Panicking(Vec<&'static str>);

/// An answer with one token, which panics a while later.
struct OneToken {
    head: Head,
    token: Option<Bytes>,
    pause: Pin<Box<Sleep>>,
}

impl Upstream for Panicking {
    type Pieces = OneToken;

    async fn send(
        &self,
        target: TargetId,
        _: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<OneToken, Box<Failure>> {
        attempt.progress.connected(false);
        attempt.progress.writing();
        // longer than the interval of heartbeats
        tokio::time::sleep(ms(500)).await;
        assert_ne!(
            self.0[usize::from(target.0)],
            panicked::BEFORE_A_HEAD,
            "scripted"
        );
        attempt.progress.headers();
        let head = Head {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            request_id: None,
            ..Head::default()
        };
        let token = r#"data: {"choices":[{"index":0,"delta":{"content":"tok0"}}]}"#;
        Ok(OneToken {
            head,
            token: Some(Bytes::from(format!("{token}\n\n"))),
            pause: Box::pin(tokio::time::sleep(ms(100))),
        })
    }
}

impl Pieces for OneToken {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        let Some(bytes) = self.token.take() else {
            // so that the head and the token are on their way
            ready!(self.pause.as_mut().poll(cx));
            panic!("scripted");
        };
        Poll::Ready(Some(Ok(Piece {
            bytes,
            kind: Sort::Content { text: true },
            end: None,
        })))
    }

    fn summary(&self) -> Summary {
        Summary::default()
    }
}

fn snapshot(kinds: &[Kind]) -> Snapshot<Panicking> {
    let target = |kind: &Kind| Target {
        name: kind.target(0).into(),
        limits: Limits::default(),
        reserve: Reserve::None,
        replay_timeouts: true,
        allow_empty: false,
        benchable: true,
        lane: Lane::new(LaneLimits::default()),
        max_queue_wait: None,
        health: Arc::new(Health::default()),
        credential: Arc::new(Health::default()),
        budget: Arc::new(RetryBudget::default()),
    };
    let mut routes = Routes::new();
    for (id, kind) in (0..).zip(kinds) {
        let heartbeat = kind.route.contains("heartbeat").then_some(ms(60));
        let policy = Policy {
            heartbeat,
            ..Policy::default()
        };
        let route = Route {
            name: kind.name.into(),
            plan: Arc::new(Plan::Target(TargetId(id))),
            policy: Arc::new(policy),
            deadline: None,
            owned_by: "tests".into(),
        };
        routes.add(kind.name, Arc::new(route), kind.name.into());
    }
    Snapshot {
        engine: Arc::new(Engine {
            targets: kinds.iter().map(target).collect(),
            upstream: Panicking(kinds.iter().map(|k| k.members[0].script).collect()),
        }),
        routes,
        keys: Keys::Open,
        admin_keys: Keys::Open,
        settings: Arc::new(Settings::default()),
    }
}

/// What was written to it, shared.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Plays the rows and judges them; complaints.
pub async fn play(kinds: &[Kind]) -> Vec<String> {
    let (collector, canary) = (Collector::start().await, Canary::start());
    let env = collector.env();
    let get = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
    let written = Written::default();
    let settings = TelemetrySettings::from_env(get).with_log_to(written.clone());
    let telemetry = Telemetry::start(settings).unwrap();
    let gateway = Gateway::new(snapshot(kinds), telemetry.observer(), Hooks::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (trigger, shutdown) = Shutdown::new();
    let listeners = Listeners {
        public: vec![listener],
        admin: None,
    };
    let callers = async {
        let mut played = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let (request, trace) = kind.request_of(kind.name, 0xbad + number);
            let mut caller = Caller::connect(addr).await;
            caller.send(&request).await;
            let answer = caller.answer(LONG).await;
            played.push(Played::answered(kind, trace, answer));
        }
        trigger.stop();
        played
    };
    let (played, ()) = tokio::join!(callers, gateway.run(listeners, shutdown));
    assert!(telemetry.flush(Duration::from_secs(5)).await, "flushed");
    let lines: Vec<_> = written
        .0
        .lock()
        .unwrap()
        .split(|b| *b == b'\n')
        .filter_map(|l| serde_json::from_slice(l).ok())
        .collect();
    let mut verdict = Verdict::about("/metrics of panics");
    let shown = counts::scraped(&telemetry.metrics_text());
    counts::compare(&shown, &counts::of_lines(&lines), &mut verdict);
    verdict.is(
        "requests in flight",
        counts::total(&shown, "punctual_requests_in_flight"),
        0.0,
    );
    let export = collector.metrics().pop().expect("metrics at the end");
    let mut complaints =
        Told::of(lines, collector.spans(), export, None).judge(&played, canary.worst());
    complaints.append(&mut verdict.complaints);
    complaints
}
