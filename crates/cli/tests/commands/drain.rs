//! The end: SIGTERM drains, a second one ends at once, and nobody is left without a last word.

use crate::{
    stage::{PATIENCE, Stage, failed},
    support::{Caller, Collector, Request, ms},
};
use std::{fs::File, net::TcpListener, process::Command};
use tokio::time::Instant;

fn config(server: &str) -> String {
    format!(
        "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }}, {server} }}\n\
         providers: {{ sim: {{ dialect: openai, base_url: \"{{upstream}}/v1\", api_key: sk-test }} }}\n\
         routes: {{ \"*\": {{ plan: {{ pass: sim }} }} }}\n"
    )
}

fn start(server: &str) -> Stage {
    let stage = Stage::start(&config(server), &[], |_| {});
    stage.sim.set("slow", "tokens=5,gap=300ms".parse().unwrap());
    stage
        .sim
        .set("endless", "forever,gap=50ms".parse().unwrap());
    stage
}

/// A stream that has begun.
fn streaming(stage: &Stage, model: &str) -> Caller {
    let caller = stage.begin(&Request::chat(model, true));
    assert!(stage.saw(PATIENCE, |seen| {
        seen.iter()
            .any(|r| r.model == model && r.first_content.is_some())
    }));
    caller
}

fn terminate(stage: &Stage) {
    stage.gateway.signal("TERM");
    let said = stage
        .gateway
        .said()
        .find(PATIENCE, |l| l.contains("draining").then_some(()));
    assert!(said.is_some(), "{}", stage.story());
}

#[test]
fn as_a_lame_duck_it_is_not_ready_and_serves() {
    let stage = start("lame_duck: 20s");
    assert_eq!(stage.admin(&Request::get("/readyz")).status, 200);
    terminate(&stage);
    let ready = |_| stage.admin(&Request::get("/readyz")).status;
    assert!((0..100).map(ready).any(|status| status == 503));
    assert_eq!(stage.admin(&Request::get("/healthz")).status, 200);
    assert_eq!(stage.chat("m", false).status, 200);
}

#[test]
fn a_running_stream_finishes_new_requests_are_refused_and_the_process_ends_well() {
    let mut stage = start("lame_duck: 0s, drain_timeout: 20s");
    let mut running = streaming(&stage, "slow");
    terminate(&stage);
    let refused = (0..100)
        .map(|_| stage.chat("m", false))
        .find(|answer| answer.status != 200);
    let refused = refused.expect("new requests are refused");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (503, "shutting_down"),
        "{}",
        stage.story()
    );
    assert!(refused.header("retry-after").is_some());
    let answer = stage.block(running.answer(PATIENCE * 3));
    assert!(
        answer.complete && answer.done() && answer.content().ends_with("tok4 "),
        "{}",
        answer.text()
    );
    let status = stage
        .gateway
        .wait(PATIENCE * 3)
        .expect("it ends when the last request has");
    assert_eq!(status.code(), Some(0));
    let said = stage.gateway.said();
    let ended = said.find(PATIENCE, |l| l.ends_with("INFO ended").then_some(()));
    assert!(ended.is_some(), "{:?}", said.all());
}

#[test]
fn after_the_drain_a_stream_ends_with_one_error_and_nothing_invented() {
    let mut stage = start("lame_duck: 0s, drain_timeout: 300ms");
    let mut running = streaming(&stage, "endless");
    terminate(&stage);
    let answer = stage.block(running.answer(PATIENCE * 3));
    assert!(failed(&answer, "shutting_down"), "{}", answer.text());
    assert_eq!(answer.error_events().len(), 1);
    assert!(!answer.done() && answer.complete, "{}", answer.text());
    assert!(
        stage.saw(PATIENCE, |seen| seen.iter().all(|r| r.closed.is_some())),
        "{}",
        stage.story()
    );
    assert_eq!(
        stage.gateway.wait(PATIENCE * 3).and_then(|s| s.code()),
        Some(0)
    );
}

#[test]
fn what_a_caller_is_told_at_the_end_of_the_drain_is_on_record() {
    let stage = start("lame_duck: 0s, drain_timeout: 300ms");
    stage.sim.set("silent", "silent-headers".parse().unwrap());
    let mut waiting = stage.begin(&Request::chat("silent", false));
    assert!(stage.saw(PATIENCE, |seen| seen.iter().any(|r| r.received.is_some())));
    terminate(&stage);
    let answer = stage.block(waiting.answer(PATIENCE * 3));
    assert_eq!((answer.status, &*answer.code()), (503, "shutting_down"));
    let line = &stage.gateway.log(1)[0];
    assert_eq!(line["status"], 503, "{line}");
    assert_eq!(line["delivered_bytes"], answer.text().len(), "{line}");
    let attempt = &line["attempts"][0];
    assert_eq!(attempt["code"], "shutting_down", "{line}");
    assert_eq!(attempt["message"], line["message"], "{line}");
}

#[test]
fn the_second_signal_is_now() {
    let mut stage = start("lame_duck: 20s, drain_timeout: 20s");
    let mut running = streaming(&stage, "endless");
    terminate(&stage);
    let start = Instant::now();
    stage.gateway.signal("INT");
    let answer = stage.block(running.answer(PATIENCE * 3));
    assert!(failed(&answer, "shutting_down"), "{}", answer.text());
    assert_eq!(
        stage.gateway.wait(PATIENCE * 3).and_then(|s| s.code()),
        Some(0)
    );
    assert!(start.elapsed() < ms(3000), "{:?}", start.elapsed());
}

#[test]
fn telemetry_is_delivered_before_the_end() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let collector = runtime.block_on(Collector::start());
    let mut env = collector.env();
    // by itself nothing is sent for a minute
    env.iter_mut()
        .filter(|(n, _)| n.ends_with("DELAY"))
        .for_each(|(_, v)| *v = "60000".to_owned());
    let env: Vec<_> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let mut stage = Stage::start(&config("lame_duck: 0s"), &env, |_| {});
    assert_eq!(stage.chat("m", false).status, 200);
    assert!(collector.spans().is_empty());
    stage.gateway.signal("TERM");
    assert_eq!(
        stage.gateway.wait(PATIENCE * 4).and_then(|s| s.code()),
        Some(0)
    );
    assert!(collector.spans().iter().any(|s| s.name == "request.chat"));
    // the runtime must not wait for the collector's connections
    drop(collector);
    runtime.shutdown_background();
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_does_not_hold_the_process() {
    let mut stage = start("lame_duck: 0s");
    let pipe = stage.gateway.config.with_extension("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    std::fs::rename(&pipe, &stage.gateway.config).unwrap();
    // opens when the gateway does, which then waits for what is never written
    let _pipe = File::options()
        .write(true)
        .open(&stage.gateway.config)
        .unwrap();
    stage.gateway.signal("TERM");
    assert_eq!(
        stage.gateway.wait(PATIENCE * 3).and_then(|s| s.code()),
        Some(0)
    );
}

#[test]
fn a_signal_is_heard_while_telemetry_is_delivered() {
    // takes connections and says nothing
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    let env = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_BSP_SCHEDULE_DELAY", "60000"),
    ];
    let mut stage = Stage::start(&config("lame_duck: 0s"), &env, |_| {});
    assert_eq!(stage.chat("m", false).status, 200);
    stage.gateway.signal("TERM");
    let _delivering = collector.accept().unwrap();
    let start = Instant::now();
    stage.gateway.signal("TERM");
    assert_eq!(
        stage.gateway.wait(PATIENCE * 3).and_then(|s| s.code()),
        Some(0)
    );
    assert!(start.elapsed() < ms(2000), "{:?}", start.elapsed());
}
