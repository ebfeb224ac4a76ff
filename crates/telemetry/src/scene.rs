//! Requests played through the real engine against an upstream in memory, for the tests of this crate.

use bytes::Bytes;
use punctual_core::*;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep};

mod script;
pub(crate) use script::{Act, Act::*, Script};

/// A request to play.
pub(crate) struct Scene {
    /// One target for each, named a, b, …, falling back in this order, each tried twice.
    pub(crate) targets: Vec<Vec<Act>>,
    pub(crate) stream: bool,
    pub(crate) deadline: Duration,
    /// When the caller leaves.
    pub(crate) leaves: Option<Duration>,
    /// A permit of the only lane is held for so long.
    pub(crate) held: Option<Duration>,
    pub(crate) trace: Trace,
}

impl Scene {
    pub(crate) fn of(targets: Vec<Vec<Act>>) -> Self {
        Self {
            targets,
            stream: true,
            deadline: Duration::from_secs(60),
            leaves: None,
            held: None,
            trace: Trace::root(),
        }
    }

    /// Plays it; the report as it was at the end.
    pub(crate) async fn play(self, observer: Arc<dyn Observer>) -> Report {
        let last = Arc::new(Last::default());
        let observers: Vec<Arc<dyn Observer>> = vec![observer, last.clone()];
        let (engine, call, record) = self.set(Arc::new(crate::Fan::new(observers)));
        let permit = self.held.and_then(|_| engine.targets[0].lane.try_admit());
        let holder = async {
            sleep(self.held.unwrap_or_default()).await;
            drop(permit);
        };
        let caller = async {
            match open(engine, call, record).await {
                Ok(mut opened) => {
                    opened.record.head_sent(http::StatusCode::OK);
                    read(Relay::answer(opened, Arc::new(Silent), Pace::default())).await;
                }
                Err(mut refused) => refused.record.head_sent(refused.failure.http_status()),
            }
        };
        let most = self.leaves.unwrap_or(Duration::from_secs(30));
        let _ = tokio::join!(holder, tokio::time::timeout(most, caller));
        let report = last.0.lock().unwrap().take();
        report.expect("exactly one end")
    }

    fn set(&self, observer: Arc<dyn Observer>) -> (Arc<Engine<Script>>, Call, Record) {
        let mut deadline = Deadline::starting(Instant::now());
        deadline.tighten(self.deadline, Source::Server);
        let mut record = Record::open(
            "id-1".into(),
            Surface::Chat,
            self.trace.clone(),
            deadline,
            observer,
        );
        record.identify(
            Some("fast".into()),
            Some("team".into()),
            self.stream,
            deadline,
        );
        record.received();
        let members = (0..self.targets.len()).map(|i| {
            Arc::new(Plan::Retry {
                of: Arc::new(Plan::Target(TargetId(i as u16))),
                rules: Retry {
                    max_attempts: 2.try_into().unwrap(),
                    backoff: Backoff {
                        initial: Duration::from_millis(1),
                        multiplier: 1.0,
                        max: Duration::from_millis(1),
                    },
                    on: CodeSet::ALL,
                },
            })
        });
        let plan = Arc::new(Plan::Fallback {
            of: members.collect(),
            also_on: CodeSet::NONE,
        });
        let scripts = self
            .targets
            .iter()
            .map(|acts| Mutex::new(acts.clone().into()));
        let engine = Engine {
            targets: (0..self.targets.len()).map(|i| self.target(i)).collect(),
            upstream: Script(scripts.collect()),
        };
        let call = Call {
            stream: self.stream,
            model: "the caller's words".into(),
            body: Bytes::from_static(b"{}"),
            ..Call::new(Surface::Chat, plan, deadline)
        };
        (Arc::new(engine), call, record)
    }

    fn target(&self, i: usize) -> Target {
        let max_concurrency = if self.held.is_some() { 1 } else { 8 };
        Target {
            name: char::from(b'a' + i as u8).to_string().into(),
            limits: Limits {
                first_token: Some(Duration::from_millis(40)),
                ..Limits::default()
            },
            reserve: Reserve::None,
            replay_timeouts: true,
            allow_empty: false,
            benchable: true,
            lane: Lane::new(LaneLimits {
                max_concurrency,
                ..LaneLimits::default()
            }),
            max_queue_wait: None,
            health: Arc::default(),
            credential: Arc::default(),
            budget: Arc::default(),
        }
    }
}

#[derive(Default)]
struct Last(Mutex<Option<Report>>);
impl Observer for Last {
    fn on(&self, report: &Report, event: &Event<'_>) {
        if matches!(event, Event::Finished) {
            assert!(self.0.lock().unwrap().replace(report.clone()).is_none());
        }
    }
}

struct Silent;
impl Voice for Silent {
    fn error_event(&self, _: &Failure, _: &Report, _: Option<u64>) -> Option<Bytes> {
        Some(Bytes::from_static(b"error"))
    }
    fn heartbeat(&self) -> Bytes {
        Bytes::new()
    }
    fn done(&self) -> Option<Bytes> {
        None
    }
}

async fn read<P: Pieces>(mut relay: Relay<P>) {
    let mut relay = Pin::new(&mut relay);
    while poll_fn(|cx| http_body::Body::poll_frame(relay.as_mut(), cx))
        .await
        .is_some()
    {}
}

/// Target a is rate limited, b answers a stream.
pub(crate) async fn served() -> Report {
    let scene = Scene::of(vec![
        vec![Refuses(2, Code::RateLimited, 429)],
        vec![Answers(3)],
    ]);
    scene.play(Arc::new(NoObserver)).await
}

/// The caller leaves while target a is silent.
pub(crate) async fn cancelled() -> Report {
    let mut scene = Scene::of(vec![vec![Hangs]]);
    scene.leaves = Some(Duration::from_millis(10));
    scene.play(Arc::new(NoObserver)).await
}

/// Refused at the front door.
pub(crate) async fn rejected() -> Report {
    let last = Arc::new(Last::default());
    reject(last.clone());
    let report = last.0.lock().unwrap().take();
    report.expect("exactly one end")
}

/// A request that is refused at the front door.
pub(crate) fn reject(observer: Arc<dyn Observer>) {
    let deadline = Deadline::starting(Instant::now());
    let mut record = Record::open(
        "id-2".into(),
        Surface::Chat,
        Trace::root(),
        deadline,
        observer,
    );
    record.head_sent(http::StatusCode::BAD_REQUEST);
    record.reject("invalid_request_deadline");
}
