//! Gateways under test: the same configuration plain and behind TLS, and what is read back from them.

use crate::{
    guest::Way,
    support::{Caller, Gateway, Request, gateway::scratch, ms},
};
use serde_json::Value;
use std::{collections::HashMap, path::PathBuf};
use tokio::time::{Instant, sleep};

/// Two gateways with one configuration.
pub struct Gates {
    pub plain: Gateway,
    pub tls: Gateway,
    /// What to trust of the second one.
    pub ca: String,
    files: Vec<PathBuf>,
}

impl Gates {
    /// `server` is what stands in the section beside the listeners, such as `request_deadline: 1s`.
    pub fn open(server: &str, rest: &str, env: &[(String, String)]) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let (cert, key) = (
            scratch("cert").with_extension("pem"),
            scratch("key").with_extension("pem"),
        );
        std::fs::write(&cert, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let tls = format!("tls: {{ cert_file: {cert:?}, key_file: {key:?} }}, {server}");
        Self {
            plain: gateway(server, rest, env),
            tls: gateway(&tls, rest, env),
            ca: made.cert.pem(),
            files: vec![cert, key],
        }
    }

    pub fn at(&self, way: Way) -> &Gateway {
        if way.is_tls() { &self.tls } else { &self.plain }
    }

    /// The log lines of both by trace id, once there are `n` of them.
    pub fn records(&self, plain: usize, tls: usize) -> Records {
        Records(
            records(&self.plain, plain)
                .into_iter()
                .chain(records(&self.tls, tls))
                .collect(),
        )
    }
}

impl Drop for Gates {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// One gateway alone.
pub fn gateway(server: &str, rest: &str, env: &[(String, String)]) -> Gateway {
    let text = format!(
        "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }}, {server} }}\n{rest}"
    );
    let env: Vec<_> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    Gateway::start_with(&text, &env)
}

/// Log lines by trace id.
pub struct Records(HashMap<String, Value>);

impl Records {
    pub fn all(&self) -> impl Iterator<Item = &Value> {
        self.0.values()
    }

    pub fn of(&self, mark: &Mark) -> &Value {
        self.0
            .get(&mark.0)
            .unwrap_or_else(|| panic!("no record of {}", mark.0))
    }
}

/// The log lines of a gateway by trace id, once there are `n`; a second line for one trace is a failure.
pub fn records(gateway: &Gateway, n: usize) -> HashMap<String, Value> {
    let mut out = HashMap::new();
    for line in gateway.log(n) {
        let trace = line["trace_id"].as_str().unwrap_or_default().to_owned();
        let twice = out.insert(trace.clone(), line);
        assert!(twice.is_none(), "two records of {trace}");
    }
    out
}

/// What one request is recognised by: its trace id, which goes upstream, into the log line and the spans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub String);

impl Mark {
    pub fn new() -> Self {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let n = NEXT.fetch_add(1, Relaxed);
        Self(format!("{:016x}{n:016x}", std::process::id()))
    }

    pub fn on(&self, request: Request) -> Request {
        request.with("traceparent", &format!("00-{}-00000000000000aa-01", self.0))
    }

    pub fn is_of(&self, seen: &punctual_sim::Seen) -> bool {
        seen.header("traceparent")
            .is_some_and(|t| t.contains(&self.0))
    }
}

/// The administrative listener's `/status`.
pub async fn status(gateway: &Gateway) -> Value {
    let answer = Caller::connect(gateway.admin)
        .await
        .ask(&Request::get("/status"))
        .await;
    answer.json()
}

/// One target of it.
pub fn target<'a>(status: &'a Value, name: &str) -> &'a Value {
    let targets = status["targets"].as_array().unwrap();
    targets
        .iter()
        .find(|t| t["name"] == name)
        .unwrap_or_else(|| panic!("no target {name} in {status:#}"))
}

/// Asks for the status until it is as wanted; how long that took.
pub async fn until(
    gateway: &Gateway,
    what: &str,
    wanted: impl Fn(&Value) -> bool,
) -> std::time::Duration {
    let started = Instant::now();
    let mut operator = Caller::connect(gateway.admin).await;
    loop {
        let now = operator.ask(&Request::get("/status")).await.json();
        if wanted(&now) {
            return started.elapsed();
        }
        assert!(started.elapsed() < ms(5_000), "{what}: {now:#}");
        sleep(ms(5)).await;
    }
}

/// A metric's value on the administrative listener, summed over its labels.
pub async fn metric(gateway: &Gateway, name: &str) -> f64 {
    let text = Caller::connect(gateway.admin)
        .await
        .ask(&Request::get("/metrics"))
        .await
        .text();
    let of = |l: &str| {
        let rest = l.strip_prefix(name)?;
        rest.starts_with(['{', ' '])
            .then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
    };
    text.lines().filter_map(of).sum()
}

/// Resident memory of the process, in bytes.
pub fn gateway_memory(gateway: &Gateway) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", gateway.pid())).unwrap();
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Its open files and its threads.
pub fn gateway_files(gateway: &Gateway) -> (usize, usize) {
    let count = |what: &str| {
        std::fs::read_dir(format!("/proc/{}/{what}", gateway.pid()))
            .unwrap()
            .count()
    };
    (count("fd"), count("task"))
}
