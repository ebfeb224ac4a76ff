//! The scenes of the tour. Each is a question a user would ask, one request (or two), and the promise that
//! is checked against what both sockets saw.

use super::{
    caller::{Got, Manner, ask},
    timeline::Timeline,
};
use crate::screen::say;
use punctual_sim::{Seen, Sim};
use std::{net::SocketAddr, time::Duration};
use tokio::time::Instant;

/// The configuration of the tour; `{upstream}` is the simulator.
pub(super) const CONFIG: &str = r#"
server: { listen: 127.0.0.1:0 }
providers:
  sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-demo }
targets:
  silent-a: { provider: sim, model: silent-a, first_token_timeout: 500ms, unary_timeout: 500ms }
  silent-b: { provider: sim, model: silent-b, first_token_timeout: 500ms, unary_timeout: 500ms }
  silent-c: { provider: sim, model: silent-c }
  healthy: { provider: sim, model: healthy }
  generating: { provider: sim, model: generating }
  stalling: { provider: sim, model: stalling, stream_token_timeout: 500ms }
  busy: { provider: sim, model: busy, max_concurrency: 1 }
  limited: { provider: sim, model: limited }
routes:
  three-silent: { deadline: 1500ms, plan: { fallback: [ silent-a, silent-b, silent-c ] } }
  failover: { plan: { fallback: [ silent-a, healthy ] } }
  generating: { plan: generating }
  stalling: { plan: { fallback: [ stalling, healthy ] } }
  busy: { plan: busy }
  limited: { plan: { fallback: [ { retry: { of: limited } }, healthy ] } }
  hello: { plan: healthy }
"#;

/// What the simulator's models do.
pub(super) const MODELS: [(&str, &str); 8] = [
    ("silent-a", "silent-headers"),
    ("silent-b", "headers-then-silent"),
    ("silent-c", "silent-headers"),
    ("healthy", "tokens=3"),
    ("generating", "forever,gap=100ms"),
    ("stalling", "tokens=50,gap=50ms,stall-after=3"),
    ("busy", "delay=30s"),
    ("limited", "status=429,retry-after=30"),
];

/// Where a scene plays.
pub(super) struct Stage<'a> {
    pub(super) gateway: SocketAddr,
    pub(super) sim: &'a Sim,
}

/// One scene: its question, and what plays it.
pub(super) const TITLES: [&str; 6] = [
    "Three silent members, one deadline of 1.5 s: when does the caller know?",
    "The first member is silent for its 500 ms: who answers?",
    "The caller hangs up on a model that would generate for ever: how long does it go on?",
    "A stream stalls after three tokens: is it passed off as complete?",
    "A request with 500 ms to live waits behind one that takes 30 s: what does it cost?",
    "A member says 429 and asks for 30 s: does anybody sleep?",
];

/// Plays scene `n` and says whether its promise held.
pub(super) async fn play(stage: &Stage<'_>, n: usize) -> std::io::Result<bool> {
    stage.sim.reset();
    let stream = Manner {
        stream: true,
        ..Manner::default()
    };
    match n {
        0 => stage.one("three-silent", Manner::default(), deadline).await,
        1 => stage.one("failover", stream, failover).await,
        2 => {
            stage
                .one(
                    "generating",
                    Manner {
                        leaves_after: Some(Duration::from_millis(450)),
                        ..stream
                    },
                    hang_up,
                )
                .await
        }
        3 => stage.one("stalling", stream, stall).await,
        4 => stage.queue().await,
        _ => stage.one("limited", Manner::default(), limited).await,
    }
}

/// What a promise is judged by.
struct Sockets<'a> {
    got: &'a Got,
    seen: &'a [Seen],
    timeline: &'a Timeline,
}

impl Sockets<'_> {
    fn ended(&self) -> f64 {
        self.got
            .ended
            .map_or(f64::INFINITY, |at| self.timeline.ms(at))
    }

    fn status(&self) -> u16 {
        self.got.head.map_or(0, |(status, _)| status)
    }
}

impl Stage<'_> {
    async fn one(
        &self,
        model: &str,
        manner: Manner,
        promise: fn(&Sockets<'_>) -> (bool, String),
    ) -> std::io::Result<bool> {
        let started = Instant::now();
        let got = ask(self.gateway, model, manner).await?;
        Ok(self
            .show(started, &[("caller", started, &got)], promise)
            .await)
    }

    async fn show(
        &self,
        started: Instant,
        callers: &[(&str, Instant, &Got)],
        promise: fn(&Sockets<'_>) -> (bool, String),
    ) -> bool {
        let over = |seen: &[Seen]| {
            seen.iter()
                .all(|s| s.finished.is_some() || s.closed.is_some())
        };
        let seen = self
            .sim
            .wait(Duration::from_secs(2), over)
            .await
            .unwrap_or_else(|_| self.sim.report());
        let mut timeline = Timeline::new(started);
        for (name, sent, got) in callers {
            timeline.caller(name, *sent, got);
        }
        timeline.upstream(&seen);
        let Some((.., got)) = callers.last() else {
            return false;
        };
        let (held, words) = promise(&Sockets {
            got,
            seen: &seen,
            timeline: &timeline,
        });
        timeline.print();
        say(&format!("  {} {words}\n", if held { "✓" } else { "✗" }));
        held
    }

    /// Two callers: one holds the only slot, the other expires behind it.
    async fn queue(&self) -> std::io::Result<bool> {
        let started = Instant::now();
        let holder = Manner {
            leaves_after: Some(Duration::from_millis(1000)),
            ..Manner::default()
        };
        let waiter = Manner {
            deadline_ms: Some(500),
            ..Manner::default()
        };
        let second = async {
            let arrived = |seen: &[Seen]| !seen.is_empty();
            let _ = self.sim.wait(Duration::from_secs(2), arrived).await;
            (Instant::now(), ask(self.gateway, "busy", waiter).await)
        };
        let (first, (sent, second)) = tokio::join!(ask(self.gateway, "busy", holder), second);
        let (first, second) = (first?, second?);
        Ok(self
            .show(
                started,
                &[("first", started, &first), ("second", sent, &second)],
                queued,
            )
            .await)
    }
}

fn deadline(s: &Sockets<'_>) -> (bool, String) {
    let held = s.status() == 504 && (1490.0..1600.0).contains(&s.ended());
    (
        held,
        format!(
            "{} after {:.0} ms, having asked {} members; nothing runs on",
            s.status(),
            s.ended(),
            s.seen.len()
        ),
    )
}

fn failover(s: &Sockets<'_>) -> (bool, String) {
    let held =
        s.status() == 200 && (490.0..650.0).contains(&s.ended()) && s.got.find("[DONE]").is_some();
    (
        held,
        format!(
            "the second member's stream, whole, after {:.0} ms",
            s.ended()
        ),
    )
}

fn hang_up(s: &Sockets<'_>) -> (bool, String) {
    let left = s.ended();
    let closed = s
        .seen
        .first()
        .and_then(|u| u.closed)
        .map(|(at, _)| s.timeline.ms(at));
    let after = closed.map_or(f64::INFINITY, |at| at - left);
    (
        after < 60.0,
        format!("the upstream saw the close {after:.1} ms after the caller hung up"),
    )
}

fn stall(s: &Sockets<'_>) -> (bool, String) {
    let errors = s
        .got
        .lines
        .iter()
        .filter(|(line, _)| line.contains("\"error\""))
        .count();
    let held = errors == 1 && s.got.find("[DONE]").is_none() && s.seen.len() == 1;
    (
        held,
        format!(
            "{errors} error event at {:.0} ms, no [DONE], no second answer glued on",
            s.ended()
        ),
    )
}

fn queued(s: &Sockets<'_>) -> (bool, String) {
    let held = s.status() == 504 && s.seen.len() == 1;
    (
        held,
        format!(
            "{} in the queue; the upstream was asked {} time, by the first caller",
            s.status(),
            s.seen.len()
        ),
    )
}

fn limited(s: &Sockets<'_>) -> (bool, String) {
    let held = s.status() == 200 && s.ended() < 150.0;
    (
        held,
        format!(
            "{} after {:.0} ms from the next member; the first one cools for 30 s",
            s.status(),
            s.ended()
        ),
    )
}
