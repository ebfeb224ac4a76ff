//! One simulated upstream, one gateway in front of it, and the ways to ask that exist.

use crate::support::{Answer, Caller, Gateway, Request, ms};
use punctual_sim::{Cuts, Listen, Script, Seen, Sim};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Longer than anything that is waited for.
pub const LONG: Duration = Duration::from_secs(20);

/// A surface, and whether a stream is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Chat,
    ChatStream,
    Completion,
    CompletionStream,
    Embedding,
}

pub const SURFACES: [Asks; 5] = [
    Asks::Chat,
    Asks::ChatStream,
    Asks::Completion,
    Asks::CompletionStream,
    Asks::Embedding,
];
pub const STREAMS: [Asks; 2] = [Asks::ChatStream, Asks::CompletionStream];

impl Asks {
    pub const fn streams(self) -> bool {
        matches!(self, Self::ChatStream | Self::CompletionStream)
    }

    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat | Self::ChatStream => "/v1/chat/completions",
            Self::Completion | Self::CompletionStream => "/v1/completions",
            Self::Embedding => "/v1/embeddings",
        }
    }

    pub fn of(self, model: &str) -> Request {
        match self {
            Self::Chat | Self::ChatStream => Request::chat(model, self.streams()),
            Self::Completion | Self::CompletionStream => Request::completion(model, self.streams()),
            Self::Embedding => Request::embedding(model),
        }
    }
}

pub struct House {
    // dropped first: nothing is left that could call the upstream
    pub gateway: Gateway,
    pub sim: Sim,
}

impl House {
    /// `server` stands beside the listeners; `{sim}` in the rest is the upstream's address.
    pub async fn open(server: &str, rest: &str) -> Self {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let rest = rest.replace("{sim}", &sim.url());
        let gateway = Gateway::start(&format!(
            "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }}, {server} }}\n{rest}"
        ));
        Self { gateway, sim }
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

    /// The administrative listener's `/status`.
    pub async fn status(&self) -> Value {
        let mut admin = Caller::connect(self.gateway.admin).await;
        admin.ask(&Request::get("/status")).await.json()
    }

    /// Asks for the status until it is as wanted.
    pub async fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) {
        let started = Instant::now();
        loop {
            let now = self.status().await;
            if wanted(&now) {
                return;
            }
            assert!(started.elapsed() < LONG, "{what}: {now:#}");
            sleep(ms(2)).await;
        }
    }

    /// Resident memory of the gateway's process, in bytes.
    pub fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.gateway.pid());
        let status = std::fs::read_to_string(path).unwrap();
        let kib = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        let kib = kib.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<u64>().unwrap() << 10
    }
}

/// A stream of exactly these bytes.
pub fn stream(body: impl Into<Vec<u8>>, cuts: Cuts) -> Script {
    Script::raw(200, "text/event-stream", &[], body.into(), cuts)
}

/// One event of a chat completion with this in its only choice.
pub fn chunk(choice: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,{choice}}}]}}\n\n"
    )
}

/// One event of a chat completion with this delta.
pub fn delta(delta: &str) -> String {
    chunk(&format!("\"delta\":{{{delta}}},\"finish_reason\":null"))
}
