//! One simulated upstream, one gateway in front of it, and what is read back from both.

use crate::support::{Answer, Caller, Gateway, Request, canary::Canary, ms, run};
use punctual_sim::{Listen, Seen, Sim};
use serde_json::Value;
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};

static ALONE: RwLock<()> = RwLock::new(());

/// Runs a test that measures milliseconds, while no other of this binary runs.
pub fn alone<F: Future>(test: F) -> F::Output {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    run(test)
}

/// Runs a test that measures none.
pub fn beside<F: Future>(test: F) -> F::Output {
    let _beside = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    run(test)
}

pub struct Stage {
    // dropped first: nothing is left that could call the upstream
    pub gateway: Gateway,
    pub sim: Sim,
    canary: Canary,
}

impl Stage {
    pub async fn open(rest: impl FnOnce(&str) -> String) -> Self {
        Self::open_with(rest, &[]).await
    }

    /// `rest` is made of the simulator's address.
    pub async fn open_with(rest: impl FnOnce(&str) -> String, env: &[(&str, &str)]) -> Self {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let rest = rest(&sim.url());
        Self::around(sim, &rest, env)
    }

    /// With a simulator that is there already, as its address may stand in the environment.
    pub fn around(sim: Sim, config: &str, env: &[(&str, &str)]) -> Self {
        Self {
            gateway: Gateway::start_with(config, env),
            sim,
            canary: Canary::start(),
        }
    }

    /// What this model is answered.
    pub fn plays(&self, model: &str, script: &str) {
        let script = script.parse().unwrap_or_else(|e| panic!("{script}: {e}"));
        self.sim.set(model, script);
    }

    /// Asks on a connection of its own.
    pub async fn ask(&self, request: &Request) -> Answer {
        Caller::connect(self.gateway.addr).await.ask(request).await
    }

    /// What this model was asked.
    pub fn asked(&self, model: &str) -> Vec<Seen> {
        let all = self.sim.report().into_iter();
        all.filter(|seen| seen.model == model).collect()
    }

    /// The last that this model was asked, once it is as wanted.
    pub async fn seen(&self, model: &str, wanted: impl Fn(&Seen) -> bool) -> Seen {
        let mut found = None;
        let wait = self.sim.wait(ms(10_000), |seen| {
            let mine = seen.iter().rev().find(|s| s.model == model);
            found = mine.filter(|s| wanted(s)).cloned();
            found.is_some()
        });
        let late = wait.await.is_err();
        assert!(!late, "{model}: {:#?}", self.asked(model));
        found.unwrap()
    }

    /// The log lines by trace id, once there are `n`.
    pub fn records(&self, n: usize) -> HashMap<String, Value> {
        let mut out = HashMap::new();
        for line in self.gateway.log(n) {
            let trace = line["trace_id"].as_str().unwrap_or_default().to_owned();
            let twice = out.insert(trace.clone(), line);
            assert!(twice.is_none(), "two records of {trace}");
        }
        out
    }

    /// The log line of one request.
    pub fn record(&self, mark: &Mark) -> Value {
        let found = self.gateway.requests().find(ms(10_000), |line| {
            let line: Value = serde_json::from_str(line).ok()?;
            (line["trace_id"] == mark.0.as_str()).then_some(line)
        });
        found.unwrap_or_else(|| panic!("no record of {}", mark.0))
    }

    /// 50 ms and the most that a bare timer was late by.
    pub fn slack(&self) -> Duration {
        ms(50) + self.canary.worst()
    }

    /// Fails when `took` is not between `figure` and `figure` + slack. A timer may be a millisecond early.
    pub fn at(&self, what: &str, took: Duration, figure: Duration) {
        let most = figure + self.slack();
        let least = figure.saturating_sub(ms(2));
        assert!(
            took >= least && took <= most,
            "{what}: took {took:?}, expected {figure:?} to {most:?}"
        );
    }

    /// Fails when `took` is over `figure` + slack.
    pub fn within(&self, what: &str, took: Duration, figure: Duration) {
        let most = figure + self.slack();
        assert!(took <= most, "{what}: took {took:?}, at most {most:?}");
    }
}

/// What one request is recognised by: its trace id, which goes upstream and into the log line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub String);

impl Mark {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let n = NEXT.fetch_add(1, Relaxed);
        Self(format!("{:016x}{n:016x}", std::process::id()))
    }

    pub fn on(&self, request: Request) -> Request {
        request.with("traceparent", &format!("00-{}-00000000000000aa-01", self.0))
    }
}

/// Runs all trials, `n` at the same time; the results in no order.
pub async fn at_once<T, R, F, Fut>(n: usize, trials: Vec<T>, run: F) -> Vec<R>
where
    T: Send + 'static,
    R: Send + 'static,
    F: Fn(T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = R> + Send,
{
    let (run, trials) = (Arc::new(run), Arc::new(Mutex::new(VecDeque::from(trials))));
    let mut tasks = JoinSet::new();
    for _ in 0..n {
        let (run, trials) = (run.clone(), trials.clone());
        tasks.spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = trials.lock().unwrap().pop_front();
                match next {
                    Some(trial) => done.push(run(trial).await),
                    None => return done,
                }
            }
        });
    }
    let mut all = Vec::new();
    while let Some(done) = tasks.join_next().await {
        all.extend(done.unwrap_or_else(|e| std::panic::resume_unwind(e.into_panic())));
    }
    all
}

/// How long after `due` something was; zero when it was before.
pub fn late(at: Instant, due: Instant) -> Duration {
    at.saturating_duration_since(due)
}
