//! The end of the process: who is still served, who is told what.

use crate::support::*;
use punctual_core::{LaneLimits, Outcome, Registry};
use punctual_server::Settings;
use std::sync::Arc;
use tokio::time::{Instant, sleep, timeout};

fn draining(lame_duck: u64, drain: u64) -> Setup {
    let settings = Settings {
        lame_duck: ms(lame_duck),
        drain_timeout: ms(drain),
        ..Settings::default()
    };
    Setup {
        settings,
        ..Setup::default()
    }
}

async fn ended(gate: Gate) {
    timeout(LONG, gate.running)
        .await
        .expect("the gateway ends")
        .unwrap();
}

/// Waits until it says that it is not ready.
async fn not_ready(gate: &Gate) {
    let says = async {
        while gate.caller().await.get("/readyz").await.status != 503 {
            sleep(ms(1)).await;
        }
    };
    timeout(LONG, says).await.expect("it drains");
}

#[tokio::test]
async fn a_lame_duck_is_not_ready_but_serves() {
    let gate = Gate::with(draining(400, 1000)).await;
    let mut kept = gate.caller().await;
    assert_eq!(kept.get("/readyz").await.status, 200);
    gate.trigger.drain();
    not_ready(&gate).await;
    let answer = kept.ask(&chat("chat", false, "")).await;
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .status,
        200
    );
    ended(gate).await;
}

#[tokio::test]
async fn draining_refuses_new_requests_and_lets_running_ones_finish() {
    let gate = Gate::with(draining(0, 3000)).await;
    gate.fake.script(
        "slow",
        vec![Step::Wait(ms(400)), Step::Head(vec![]), content("x")],
    );
    let mut running = gate.caller().await;
    running.send(&chat("sim/slow", false, "")).await;
    let mut idle = gate.caller().await;
    assert_eq!(idle.get("/healthz").await.status, 200);
    until("it runs", || gate.fake.sent() == 1).await;
    let start = Instant::now();
    gate.trigger.drain();
    assert!(idle.is_closed().await, "an idle connection is closed");
    let answer = gate.caller().await.ask(&chat("chat", false, "")).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "shutting_down")
    );
    assert_eq!(
        (answer.header("connection"), answer.header("retry-after")),
        (Some("close"), Some("1"))
    );
    let answer = running.answer().await;
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    let reports = gate.reports(2).await;
    assert_eq!(reports[0].outcome, Some(Outcome::Shutdown));
    assert_eq!(reports[1].outcome, Some(Outcome::Ok));
    ended(gate).await;
    assert!(
        start.elapsed() < ms(1500),
        "it does not wait for what has ended"
    );
}

#[tokio::test]
async fn what_outlasts_the_drain_is_told_so() {
    let gate = Gate::with(draining(0, 200)).await;
    gate.fake.script("silent", vec![Step::Hang]);
    gate.fake
        .script("stream", vec![Step::Head(vec![]), content("x"), Step::Hang]);
    let (mut unary, mut stream) = (gate.caller().await, gate.caller().await);
    unary.send(&chat("sim/silent", false, "")).await;
    stream.send(&chat("sim/stream", true, "")).await;
    stream.see("data:").await;
    until("both run", || gate.fake.sent() == 2).await;
    let start = Instant::now();
    gate.trigger.drain();
    let answer = unary.answer().await;
    about(start.elapsed(), ms(200));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "shutting_down")
    );
    let attempt = &answer.json()["error"]["attempts"][0];
    assert_eq!(attempt["code"], "shutting_down", "it was cut off by it");
    let answer = stream.answer().await;
    assert!(
        answer.complete && answer.body.contains("\"code\":\"shutting_down\""),
        "{}",
        answer.body
    );
    assert!(!answer.body.contains("[DONE]"));
    let reports = gate.reports(2).await;
    assert!(reports.iter().all(|r| r.outcome == Some(Outcome::Shutdown)));
    assert_eq!(gate.fake.closed().len(), 2);
    ended(gate).await;
}

#[tokio::test]
async fn a_second_signal_ends_it_now() {
    let gate = Gate::with(draining(10_000, 10_000)).await;
    gate.fake.script("silent", vec![Step::Hang]);
    let mut caller = gate.caller().await;
    caller.send(&chat("sim/silent", false, "")).await;
    until("it runs", || gate.fake.sent() == 1).await;
    gate.trigger.drain();
    not_ready(&gate).await;
    let start = Instant::now();
    gate.trigger.stop();
    assert_eq!(caller.answer().await.status, 503);
    about(start.elapsed(), ms(0));
    ended(gate).await;
    assert!(start.elapsed() < ms(1000));
}

#[tokio::test]
async fn an_upload_does_not_outlast_the_process() {
    let gate = Gate::with(draining(0, 100)).await;
    let mut caller = gate.caller().await;
    caller.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{").await;
    until("it is read", || gate.gateway.stats().memory_bytes > 0).await;
    gate.trigger.drain();
    let answer = caller.answer().await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "shutting_down")
    );
    assert_eq!(gate.report().await.outcome, Some(Outcome::Shutdown));
    ended(gate).await;
}

#[tokio::test]
async fn what_waits_in_a_queue_at_the_end_is_never_sent() {
    let registry = Arc::<Registry>::default();
    let setup = |max_concurrency| Setup {
        lane: LaneLimits {
            max_concurrency,
            ..LaneLimits::default()
        },
        registry: registry.clone(),
        ..draining(0, 100)
    };
    let gate = Gate::with(setup(1)).await;
    gate.fake.script("hang", vec![Step::Hang]);
    let mut callers = Vec::new();
    for n in 0..8 {
        let mut caller = gate.caller().await;
        caller.send(&chat("sim/hang", false, "")).await;
        callers.push(caller);
        let lane = &gate.gateway.current().engine.targets[0].lane;
        until("it waits", || lane.in_use() + lane.depth() == n + 1).await;
    }
    // those that wait keep the lane they joined, which no snapshot has any more
    let reloaded = snapshot(&setup(2), gate.fake.clone());
    gate.gateway.swap(reloaded);
    gate.trigger.drain();
    for caller in &mut callers {
        let answer = caller.answer().await;
        assert_eq!(answer.code(), "shutting_down");
        assert_eq!(answer.status, 503);
    }
    assert_eq!(gate.fake.sent(), 1, "a permit that returned went to nobody");
    for report in gate.reports(8).await {
        assert_eq!(report.outcome, Some(Outcome::Shutdown));
        assert_eq!(report.status, Some(503));
    }
    ended(gate).await;
}
