//! The stage of the table: one gateway with a route for each kind, the upstreams behind it, a collector.
//!
//! Every kind has a route and targets of its own, so that nobody's failures, cooldowns or queues reach into
//! another row, and so that metrics by route are metrics by kind.

use crate::{
    kinds::{At, Kind},
    support::{Caller, Collector, Gateway, Request, ms},
};
use punctual_sim::{Cuts, Listen, Script, Sim};
use serde_json::Value;
use std::time::Duration;

/// The key that callers of the tests present.
pub const KEY: &str = "sk-caller-of-the-telemetry-tests";
/// Longer than anything that is waited for.
pub const LONG: Duration = Duration::from_secs(10);

pub struct Stage {
    pub sim: Sim,
    pub silent: Sim,
    pub collector: Collector,
    pub gateway: Gateway,
}

impl Stage {
    pub async fn set(kinds: &[Kind]) -> Self {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let silent = Listen::loopback().tls();
        let silent = Sim::start(silent.accept("silent-tls".parse().unwrap()))
            .await
            .unwrap();
        for kind in kinds {
            for (n, member) in kind.members.iter().enumerate() {
                sim.set(kind.target(n), script(member.script));
            }
        }
        let collector = Collector::start().await;
        let env = collector.env();
        let env: Vec<_> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let gateway = Gateway::start_with(&config(kinds, &sim, &silent), &env);
        Self {
            sim,
            silent,
            collector,
            gateway,
        }
    }

    /// What a path of the administrative listener says.
    pub async fn admin(&self, path: &str) -> String {
        let mut caller = Caller::connect(self.gateway.admin).await;
        let answer = caller.ask(&Request::get(path)).await;
        assert_eq!(answer.status, 200, "{path}");
        answer.text()
    }

    /// Waits until the status of the process is as wanted.
    pub async fn status(&self, what: &str, wanted: impl Fn(&Value) -> bool) {
        let said = async {
            while !wanted(&serde_json::from_str(&self.admin("/status").await).unwrap()) {
                tokio::time::sleep(ms(5)).await;
            }
        };
        let in_time = tokio::time::timeout(LONG, said).await.is_ok();
        assert!(in_time, "{what} never comes");
    }
}

fn config(kinds: &[Kind], sim: &Sim, silent: &Sim) -> String {
    let mut text = format!(
        "server:\n  listen: 127.0.0.1:0\n  admin: {{ listen: 127.0.0.1:0 }}\n  max_body_bytes: 64KiB\n  \
         receive_timeout: 900ms\n  caller_stall_timeout: 700ms\n  heartbeat_interval: 0\n  lame_duck: 0\n  \
         drain_timeout: 300ms\nkeys: {{ tests: {{ value: {KEY} }} }}\ntargets:\n"
    );
    let nowhere = nowhere();
    for kind in kinds {
        for (n, member) in kind.members.iter().enumerate() {
            let url = match member.at {
                At::Sim => sim.url(),
                At::SilentTls => silent.url(),
                At::Nowhere => nowhere.clone(),
            };
            let (name, keys) = (kind.target(n), member.keys);
            // a key of its own, or what benches one kind's credential would bench all
            text += &format!(
                "  {name}: {{ dialect: openai, base_url: \"{url}/v1\", api_key: sk-{name}, model: {name}, {keys} }}\n"
            );
        }
    }
    text += "routes:\n";
    for kind in kinds.iter().filter(|k| k.is_served()) {
        let plan = (0..kind.members.len()).fold(kind.plan.to_owned(), |plan, n| {
            plan.replace(&format!("${n}"), &kind.target(n))
        });
        text += &format!("  {}: {{ plan: {plan}, {} }}\n", kind.name, kind.route);
    }
    text
}

/// A port of this machine at which nobody listens.
fn nowhere() -> String {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", free.local_addr().unwrap())
}

fn script(text: &str) -> Script {
    let chunk = |choice: &str, usage: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,{choice}}}]{usage}}}\n\n"
        )
    };
    let delta =
        |text: &str| format!("\"delta\":{{\"content\":\"{text} \"}},\"finish_reason\":null");
    let usage = |n| format!(",\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":{n}}}");
    let (body, silence) = match text {
        // counts with every token and then falls silent, as some servers' `continuous_usage_stats`
        "raw-metered" => {
            let tokens = chunk(&delta("tok1"), &usage(1)) + &chunk(&delta("tok0"), &usage(2));
            (tokens, "stall-after=1")
        }
        // all there is to have, on a connection that stays open
        "raw-whole" => {
            let end = chunk("\"delta\":{},\"finish_reason\":\"stop\"", "");
            let all = chunk(&delta("tok0"), "") + &end + "data: [DONE]\n\n";
            (all, "stall-after=1")
        }
        _ => return text.parse().unwrap(),
    };
    Script::raw(200, "text/event-stream", &[], body, Cuts::Whole)
        .with(silence)
        .unwrap()
}
