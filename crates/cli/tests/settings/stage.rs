//! The stage of one proof: a gateway, two simulated upstreams, and what a caller can do.
//!
//! Everything blocks and everything has a bound, so that a proof reads as a list of steps and its opposite
//! ends too. A request that gets no answer in time is an answer of status 0. What happened is noted down for
//! the message of a proof that fails.

use crate::support::{Answer, Caller, Gateway, Request, gateway::scratch, ms};
use punctual_sim::{Blackhole, Listen, Seen, Sim};
use std::{
    cell::RefCell,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    runtime::Runtime,
    time::{Instant, timeout},
};

/// How long an effect may take to be seen; everything configured in a proof is well below.
pub const PATIENCE: Duration = ms(1500);
/// How long something is watched that must not happen.
pub const WHILE: Duration = ms(400);
/// The key that `{hash}` is the hash of.
pub const HASHED: &str = "caller-key-that-is-hashed";

pub struct Stage {
    // dropped first: nothing is left that could call the upstreams
    pub gateway: Gateway,
    pub sim: Sim,
    /// A second upstream; also what stands where a proxy is configured.
    pub other: Sim,
    pub dir: PathBuf,
    /// An address nobody listens on, for `{free}`.
    pub free: SocketAddr,
    notes: RefCell<Vec<String>>,
    _hole: Option<Blackhole>,
    runtime: Runtime,
}

impl Stage {
    /// Starts a gateway on this text. Placeholders: `{upstream}` and `{other}` (base addresses), `{hole}`
    /// (an address where no connection comes up), `{tls}` (an upstream with TLS), `{mutual}` (the port of one
    /// that asks for a certificate), `{dir}`, `{free}`, `{hash}`, `{many}`.
    pub fn start(text: &str, env: &[(&str, &str)], files: fn(&Path)) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let dir = scratch("stage");
        std::fs::create_dir_all(&dir).unwrap();
        files(&dir);
        let listen = if text.contains("{tls}") {
            Listen::loopback().tls()
        } else {
            Listen::loopback()
        };
        let (sim, other) = runtime.block_on(async {
            (
                Sim::start(listen).await.unwrap(),
                Sim::start(Listen::loopback()).await.unwrap(),
            )
        });
        std::fs::write(dir.join("upstream-ca.pem"), sim.ca_pem()).unwrap();
        let hole = text
            .contains("{hole}")
            .then(|| runtime.block_on(Blackhole::open()).unwrap());
        let free = free_address();
        let mutual = std::fs::read_to_string(dir.join("mutual.port")).unwrap_or_default();
        let fill = |text: &str| {
            text.replace("{upstream}", &sim.url())
                .replace("{tls}", &sim.url())
                .replace("{other}", &other.url())
                .replace(
                    "{hole}",
                    &hole.as_ref().map(Blackhole::url).unwrap_or_default(),
                )
                .replace("{dir}", &dir.display().to_string())
                .replace("{mutual}", &mutual)
                .replace("{free}", &free.to_string())
                .replace("{hash}", &punctual_config::keys::hash(HASHED))
                .replace("{many}", &many_workers().to_string())
        };
        let env: Vec<(&str, String)> = env.iter().map(|(k, v)| (*k, fill(v))).collect();
        let env: Vec<(&str, &str)> = env.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let gateway = Gateway::start_with(&fill(text), &env);
        Self {
            gateway,
            sim,
            other,
            dir,
            free,
            notes: RefCell::default(),
            _hole: hole,
            runtime,
        }
    }

    /// Runs a future of the test.
    pub fn block<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub fn note(&self, what: String) {
        self.notes.borrow_mut().push(what);
    }

    /// What happened, for the message of a proof that fails.
    pub fn story(&self) -> String {
        let upstream: Vec<String> = self
            .sim
            .report()
            .iter()
            .map(|s| format!("upstream saw {} {} {}", s.method, s.path, s.model))
            .collect();
        let mut lines = self.notes.borrow().clone();
        lines.extend(upstream);
        lines.extend(self.gateway.said().all());
        lines.join("\n")
    }

    pub fn caller(&self) -> Caller {
        self.block(Caller::connect(self.gateway.addr))
    }

    /// Asks on a connection of its own.
    pub fn ask(&self, request: &Request) -> Answer {
        self.finish(&mut self.begin(request))
    }

    pub fn chat(&self, model: &str, stream: bool) -> Answer {
        self.ask(&Request::chat(model, stream))
    }

    /// Sends a request and goes on.
    pub fn begin(&self, request: &Request) -> Caller {
        let mut caller = self.caller();
        self.block(caller.send(request));
        caller
    }

    /// The answer on this connection.
    pub fn finish(&self, caller: &mut Caller) -> Answer {
        let start = Instant::now();
        let answer = self
            .block(async { timeout(PATIENCE, caller.answer(PATIENCE * 2)).await })
            .unwrap_or_else(|_| nothing(start));
        self.note(format!(
            "{} after {} ms: {}",
            answer.status,
            start.elapsed().as_millis(),
            answer.text().chars().take(400).collect::<String>()
        ));
        answer
    }

    /// The first bytes that come on this connection within the patience; `None` when it was closed, an
    /// empty text when nothing came.
    pub fn hear(&self, caller: &mut Caller) -> Option<String> {
        let read = self.block(async { timeout(PATIENCE, caller.read_some()).await });
        let heard = match read {
            Ok(Ok(bytes)) if bytes.is_empty() => None,
            Ok(Ok(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(Err(_)) => None,
            Err(_) => Some(String::new()),
        };
        self.note(format!("heard {heard:?}"));
        heard
    }

    /// Whether the upstream gets at least this many requests.
    pub fn arrived(&self, n: usize) -> bool {
        self.saw(PATIENCE, |seen| seen.len() >= n)
    }

    /// Whether the upstream gets this many requests, and for a while no more.
    pub fn arrived_only(&self, n: usize) -> bool {
        self.arrived(n) && !self.saw(WHILE, |seen| seen.len() > n)
    }

    /// Whether the upstream sees this.
    pub fn saw(&self, within: Duration, holds: impl FnMut(&[Seen]) -> bool) -> bool {
        self.block(self.sim.wait(within, holds)).is_ok()
    }

    /// A header of the first request that the upstream saw.
    pub fn forwarded(&self, name: &str) -> Option<String> {
        let seen = self.sim.report();
        seen.first()?.header(name).map(str::to_owned)
    }

    /// Asks the administrative listener.
    pub fn admin(&self, request: &Request) -> Answer {
        let mut caller = self.block(Caller::connect(self.gateway.admin));
        self.block(caller.send(request));
        self.finish(&mut caller)
    }

    /// Waits until this many requests are in queues.
    pub fn queued(&self, n: u64) -> bool {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let status = self.admin(&Request::get("/status")).json();
            let targets = status["targets"].as_array().cloned().unwrap_or_default();
            // targets that share a lane each say its depth
            if targets.iter().any(|t| t["queued"].as_u64() == Some(n)) {
                return true;
            }
        }
        false
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn nothing(start: Instant) -> Answer {
    Answer {
        status: 0,
        headers: Vec::new(),
        body: Vec::new(),
        head_at: start,
        ended_at: Instant::now(),
        pieces: Vec::new(),
        complete: false,
    }
}

/// More threads than a runtime would start by itself, those for blocking work included.
pub fn many_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 8
}

fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// The error of an answer, in its body or as the last event of its stream.
pub fn error(answer: &Answer) -> serde_json::Value {
    let body = serde_json::from_slice::<serde_json::Value>(&answer.body);
    body.ok()
        .and_then(|b| b.get("error").cloned())
        .or_else(|| answer.error_events().pop())
        .unwrap_or_default()
}

/// Whether the answer is the error of this code.
pub fn failed(answer: &Answer, code: &str) -> bool {
    error(answer)["code"] == code
}

/// Whether the answer says that this clock fired, at this length.
pub fn cut(answer: &Answer, clock: &str, limit_ms: u64) -> bool {
    let error = error(answer);
    error["timeout_type"] == clock && error["limit_ms"] == limit_ms
}

/// Whether the answer says that the request's deadline passed, and whose it was.
pub fn expired(answer: &Answer, source: &str) -> bool {
    let error = error(answer);
    answer.status == 504
        && error["code"] == "request_deadline_exceeded"
        && error["source"] == source
}
