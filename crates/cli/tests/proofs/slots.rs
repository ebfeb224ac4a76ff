//! Upstreams for runs that go on at the same time: each slot has its own, so that within a slot everything
//! that is seen belongs to the one request that runs there.

use crate::{
    gates::Mark,
    support::{gateway::scratch, ms},
};
use punctual_sim::{Conn, Listen, Script, Seen, Sim};
use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tokio::{task::JoinSet, time::Instant};

mod stall;
pub use stall::{STALLS, Stall, UPS, Up};

pub struct Slot {
    pub n: usize,
    /// Plain, both versions of HTTP.
    pub open: Sim,
    /// The same over TLS.
    pub sealed: Sim,
    /// Accepts and never reads.
    pub still: Sim,
    /// Reads a TLS hello and never answers.
    pub mute: Sim,
    /// What would be next.
    pub backup: Sim,
    ca: PathBuf,
}

impl Slot {
    pub async fn new(n: usize) -> Self {
        let accept = |script: &str| script.parse::<Script>().unwrap();
        let start = |listen: Listen| async { Sim::start(listen).await.unwrap() };
        let sealed = start(Listen::loopback().tls()).await;
        let mute = start(Listen::loopback().tls().accept(accept("silent-tls"))).await;
        let ca = scratch("ca").with_extension("pem");
        std::fs::write(&ca, format!("{}{}", sealed.ca_pem(), mute.ca_pem())).unwrap();
        Self {
            n,
            open: start(Listen::loopback()).await,
            sealed,
            still: start(Listen::loopback().accept(accept("silent-accept"))).await,
            mute,
            backup: start(Listen::loopback()).await,
            ca,
        }
    }

    fn sims(&self) -> [&Sim; 5] {
        [
            &self.open,
            &self.sealed,
            &self.still,
            &self.mute,
            &self.backup,
        ]
    }

    /// The simulator that a stall is played on.
    pub fn sim(&self, stall: Stall, up: Up) -> &Sim {
        match stall {
            Stall::Accept => &self.still,
            Stall::TlsHello => &self.mute,
            _ if up.is_tls() => &self.sealed,
            _ => &self.open,
        }
    }

    /// The route on which an upstream of this kind stops there.
    pub fn route(&self, stall: Stall, up: Up) -> String {
        format!("{}-{}-{}", stall.name(), up.name(), self.n)
    }

    /// Providers, targets and routes; `plan` says what is made of a target and the backup's name.
    fn config(&self, plan: &dyn Fn(&str, &str) -> String) -> [String; 3] {
        let (n, ca) = (self.n, &self.ca);
        let [mut providers, mut targets, mut routes] =
            [String::new(), String::new(), String::new()];
        targets += &format!(
            "  backup-{n}: {{ dialect: generic, base_url: \"{}/v1\", model: sim }}\n",
            self.backup.url()
        );
        routes += &format!("  good-{n}: {{ plan: backup-{n} }}\n");
        for up in UPS {
            for stall in STALLS {
                let url = self.sim(stall, up).url();
                let name = self.route(stall, up);
                let key = if up.dialect() == "openai" {
                    ", api_key: sk-proof"
                } else {
                    ""
                };
                let trust = if url.starts_with("https") {
                    format!(", ca_file: {ca:?}")
                } else {
                    String::new()
                };
                let lane = if stall == Stall::Queue {
                    ", max_concurrency: 1, max_queue: 1"
                } else {
                    ""
                };
                providers += &format!(
                    "  p-{name}: {{ dialect: {}, base_url: \"{url}/v1\"{key}{trust} }}\n",
                    up.dialect()
                );
                targets += &format!(
                    "  {name}: {{ provider: p-{name}, model: \"{}\", http2: {}{lane} }}\n",
                    stall.model(),
                    up.is_http2()
                );
                routes += &format!(
                    "  {name}: {{ plan: {} }}\n",
                    plan(&name, &format!("backup-{n}"))
                );
            }
        }
        [providers, targets, routes]
    }

    /// What the upstream saw of a request, once it is as wanted.
    pub async fn seen(&self, sim: &Sim, mark: &Mark, wanted: impl Fn(&Seen) -> bool) -> Seen {
        seen(sim, mark, wanted).await
    }

    /// The connection behind the first `after` ones, once it is as wanted.
    pub async fn conn(&self, sim: &Sim, after: usize, wanted: impl Fn(&Conn) -> bool) -> Conn {
        let mut found = None;
        let wait = sim.wait_connections(ms(10_000), |conns| {
            found = conns.get(after).filter(|c| wanted(c)).cloned();
            found.is_some()
        });
        let late = wait.await.is_err();
        assert!(!late, "not seen: {:#?}", sim.connections().get(after));
        found.unwrap()
    }

    /// Requests and connections so far on everything, and those of the backup alone.
    pub fn counts(&self) -> (usize, usize, usize) {
        let requests = self.sims().iter().map(|s| s.report().len()).sum();
        let conns = self.sims().iter().map(|s| s.connections().len()).sum();
        (requests, conns, self.backup.report().len())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.ca);
    }
}

/// Slots, and the configuration of all of them.
pub async fn slots(n: usize, plan: impl Fn(&str, &str) -> String) -> (Vec<Arc<Slot>>, String) {
    let mut slots = Vec::new();
    let mut parts = [
        String::from("providers:\n"),
        String::from("targets:\n"),
        String::from("routes:\n"),
    ];
    for n in 0..n {
        let slot = Slot::new(n).await;
        for (all, one) in parts.iter_mut().zip(slot.config(&plan)) {
            all.push_str(&one);
        }
        slots.push(Arc::new(slot));
    }
    (slots, parts.concat())
}

/// Runs all trials, one at a time in each slot.
pub async fn play<S, T, R, F, Fut>(slots: &[Arc<S>], trials: Vec<T>, run: F) -> Vec<R>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
    R: Send + 'static,
    F: Fn(Arc<S>, T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = R> + Send,
{
    let queue = Arc::new(Mutex::new(VecDeque::from(trials)));
    let run = Arc::new(run);
    let mut tasks = JoinSet::new();
    for slot in slots {
        let (slot, queue, run) = (slot.clone(), queue.clone(), run.clone());
        tasks.spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = queue.lock().unwrap().pop_front();
                let Some(trial) = next else { return done };
                done.push(run(slot.clone(), trial).await);
            }
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

/// Runs all trials, `n` at a time.
pub async fn at_once<T, R, F, Fut>(n: usize, trials: Vec<T>, run: F) -> Vec<R>
where
    T: Send + 'static,
    R: Send + 'static,
    F: Fn(T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = R> + Send,
{
    let places: Vec<_> = (0..n).map(Arc::new).collect();
    play(&places, trials, move |_, trial| run(trial)).await
}

/// How long after `due` something was; zero when it was before.
pub fn late(at: Instant, due: Instant) -> std::time::Duration {
    at.saturating_duration_since(due)
}

/// What a simulator saw of a request, once it is as wanted.
pub async fn seen(sim: &Sim, mark: &Mark, wanted: impl Fn(&Seen) -> bool) -> Seen {
    let mut found = None;
    let wait = sim.wait(ms(10_000), |seen| {
        let mine = seen.iter().rev().find(|s| mark.is_of(s));
        found = mine.filter(|s| wanted(s)).cloned();
        found.is_some()
    });
    let late = wait.await.is_err();
    let of_it: Vec<_> = sim.report().into_iter().filter(|s| mark.is_of(s)).collect();
    assert!(!late, "not seen: {of_it:#?}");
    found.unwrap()
}
