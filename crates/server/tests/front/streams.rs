//! Streams: what is relayed, heartbeats, failures after the head, readers that stop.

use crate::support::*;
use bytes::Bytes;
use punctual_core::{Code, End, Outcome, Policy, Reason};
use tokio::time::{Instant, sleep};

fn beating(every: u64) -> Setup {
    let policy = Policy {
        heartbeat: Some(ms(every)),
        ..Policy::default()
    };
    Setup {
        policy,
        ..Setup::default()
    }
}

fn ending() -> Vec<Step> {
    vec![
        event("{\"finish_reason\":\"stop\"}", Some(End::Stop)),
        done(),
    ]
}

#[tokio::test]
async fn a_stream_is_relayed_event_by_event() {
    let gate = Gate::open().await;
    let mut script = vec![
        Step::Head(vec![]),
        content("one"),
        Step::Wait(ms(150)),
        content("two"),
    ];
    script.extend(ending());
    gate.fake.script("s", script);
    let mut caller = gate.caller().await;
    let start = Instant::now();
    caller.send(&chat("sim/s", true, "")).await;
    caller.see("one").await;
    assert!(start.elapsed() < ms(140), "not held back");
    let answer = caller.answer().await;
    assert_eq!(
        answer.body,
        "data: {\"c\":\"one\"}\n\ndata: {\"c\":\"two\"}\n\ndata: {\"finish_reason\":\"stop\"}\n\ndata: [DONE]\n\n"
    );
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache"),
        ("x-accel-buffering", "no"),
        ("x-punctual-target", "primary"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(answer.complete);
    assert_eq!(gate.report().await.outcome, Some(Outcome::Ok));
    gate.idle().await;
}

#[tokio::test]
async fn a_missing_end_marker_is_added() {
    let gate = Gate::open().await;
    gate.fake.script(
        "s",
        vec![
            Step::Head(vec![]),
            content("x"),
            event("{}", Some(End::Stop)),
        ],
    );
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    assert!(
        answer.body.ends_with("data: {}\n\ndata: [DONE]\n\n"),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_heartbeat_is_one_line_and_the_answer_follows() {
    let gate = Gate::with(beating(80)).await;
    let mut script = vec![Step::Wait(ms(200)), Step::Head(vec![]), content("late")];
    script.extend(ending());
    gate.fake.script("s", script);
    let answer = gate
        .caller()
        .await
        .ask(&chat("sim/s", true, "x-request-id: r1\r\n"))
        .await;
    let body = answer
        .body
        .strip_prefix(": waiting\n: waiting\n")
        .expect("two heartbeats, no blank line");
    assert!(body.starts_with("data: {\"c\":\"late\"}"), "{body}");
    assert_eq!(
        (answer.status, answer.header("x-request-id")),
        (200, Some("r1"))
    );
    assert_eq!(
        answer.header("x-punctual-target"),
        None,
        "nobody knows it yet"
    );
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status, report.heartbeats),
        (Some(Outcome::Ok), Some(200), 2)
    );
}

#[tokio::test]
async fn heartbeats_keep_within_what_the_caller_can_bear() {
    let gate = Gate::with(beating(20_000)).await;
    gate.fake.script("s", vec![Step::Hang]);
    for lines in [
        "x-stainless-read-timeout: 0.3\r\n",
        "x-litellm-stream-timeout: 0.3\r\n",
    ] {
        let mut caller = gate.caller().await;
        let start = Instant::now();
        caller.send(&chat("sim/s", true, lines)).await;
        caller.see(": waiting\n").await;
        about(start.elapsed(), ms(150));
    }
}

#[tokio::test]
async fn no_caller_can_make_heartbeats_a_flood() {
    let gate = Gate::with(beating(20_000)).await;
    gate.fake.script("s", vec![Step::Hang]);
    let lines = "x-stainless-read-timeout: 0.0000001\r\nx-request-deadline-ms: 400\r\n";
    let answer = gate.caller().await.ask(&chat("sim/s", true, lines)).await;
    assert!(
        (2..=8).contains(&answer.body.matches(": waiting").count()),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_failure_behind_a_heartbeat_is_one_event() {
    let gate = Gate::with(beating(60)).await;
    let mut limited = failure(Code::RateLimited, 429);
    limited.retry_after = Some(ms(6_500));
    gate.fake
        .script("s", vec![Step::Wait(ms(100)), Step::Fail(limited)]);
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    let event = answer
        .body
        .strip_prefix(": waiting\ndata: ")
        .and_then(|b| b.strip_suffix("\n\n"));
    let error: serde_json::Value = serde_json::from_str(event.expect("one event")).unwrap();
    let error = &error["error"];
    assert_eq!(
        (&error["code"], &error["status"], &error["retry_after"]),
        (&"rate_limited".into(), &429.into(), &7.into())
    );
    assert_eq!(error["attempts"][0]["target"], "primary");
    assert!(!answer.body.contains("[DONE]"));
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Failed), Some(200))
    );
}

#[tokio::test]
async fn a_callers_mistake_behind_a_heartbeat_keeps_the_providers_words() {
    let gate = Gate::with(beating(60)).await;
    let mut refusal = failure(Code::InvalidRequest, 400);
    refusal.body = Some(Bytes::from_static(
        b"{\n \"error\": {\"message\":\"theirs\",\"type\":\"t\",\"code\":\"c\",\"param\":\"p\"}\n}",
    ));
    gate.fake
        .script("s", vec![Step::Wait(ms(100)), Step::Fail(refusal)]);
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    let json = answer
        .body
        .trim_start_matches(": waiting\ndata: ")
        .trim_end();
    let error: serde_json::Value = serde_json::from_str(json).unwrap();
    let error = &error["error"];
    assert_eq!(
        (
            &error["message"],
            &error["code"],
            &error["param"],
            &error["status"]
        ),
        (&"theirs".into(), &"c".into(), &"p".into(), &400.into())
    );
}

#[tokio::test]
async fn a_deadline_in_a_stream_is_one_error_event_and_no_end_marker() {
    for (setup, script, phase) in [
        (
            Setup::default(),
            vec![Step::Head(vec![]), content("x"), Step::Hang],
            "streaming",
        ),
        (beating(60), vec![Step::Hang], "awaiting_headers"),
    ] {
        let gate = Gate::with(setup).await;
        gate.fake.script("s", script);
        let start = Instant::now();
        let answer = gate
            .caller()
            .await
            .ask(&chat("sim/s", true, "x-request-deadline-ms: 200\r\n"))
            .await;
        about(start.elapsed(), ms(200));
        assert!(answer.complete && !answer.body.contains("[DONE]"));
        assert_eq!(answer.body.matches("\"error\"").count(), 1);
        assert!(
            answer.body.contains(&format!("\"phase\":\"{phase}\"")),
            "{}",
            answer.body
        );
        assert!(answer.body.contains("\"status\":504") && answer.body.ends_with("\n\n"));
        assert_eq!(gate.report().await.outcome, Some(Outcome::DeadlineExceeded));
        gate.idle().await;
    }
}

#[tokio::test]
async fn a_cut_after_content_is_truncated_and_says_so() {
    let gate = Gate::open().await;
    gate.fake
        .script("s", vec![Step::Head(vec![]), content("x")]);
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    assert!(answer.body.contains("\"code\":\"truncated\"") && !answer.body.contains("[DONE]"));
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Truncated), Some(200))
    );
}

#[tokio::test]
async fn a_panic_in_a_stream_closes_the_record() {
    let gate = Gate::open().await;
    gate.fake.script(
        "s",
        vec![
            Step::Head(vec![]),
            content("x"),
            Step::Wait(ms(50)),
            Step::Panic,
        ],
    );
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    assert!(!answer.complete);
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.error_type()),
        (Some(Outcome::Failed), Some("internal"))
    );
    gate.idle().await;
}

#[tokio::test]
async fn a_panic_behind_a_heartbeat_is_one_failed_outcome_and_leaves_nothing() {
    let gate = Gate::with(beating(50)).await;
    gate.fake
        .script("s", vec![Step::Wait(ms(120)), Step::Panic]);
    let answer = gate.caller().await.ask(&chat("sim/s", true, "")).await;
    assert!(!answer.complete, "nobody takes it for an answer");
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status, report.error_type()),
        (Some(Outcome::Failed), Some(200), Some("internal"))
    );
    gate.idle().await;
    let next = gate.caller().await.ask(&chat("sim/t", true, "")).await;
    assert!(next.complete, "the gateway goes on");
}

/// Five megabytes, and then a silence.
fn flood() -> Vec<Step> {
    let big = "x".repeat(1 << 20);
    let mut script = vec![Step::Head(vec![])];
    script.extend((0..5).map(|_| content(&big)));
    script.push(Step::Hang);
    script
}

#[tokio::test]
async fn a_reader_that_stops_is_ended_by_the_deadline() {
    let gate = Gate::open().await;
    gate.fake.script("s", flood());
    let mut caller = gate.caller().await;
    socket2::SockRef::from(&caller.socket)
        .set_recv_buffer_size(4096)
        .unwrap();
    let start = Instant::now();
    caller
        .send(&chat("sim/s", true, "x-request-deadline-ms: 300\r\n"))
        .await;
    until("the exchange closes", || !gate.fake.closed().is_empty()).await;
    about(
        gate.fake.closed()[0].saturating_duration_since(start),
        ms(300),
    );
    assert_eq!(gate.report().await.outcome, Some(Outcome::DeadlineExceeded));
    until("its connection goes too", || {
        gate.gateway.stats().connections == 0
    })
    .await;
    gate.idle().await;
}

#[tokio::test]
async fn a_reader_that_stops_is_ended_by_its_stall() {
    let policy = Policy {
        caller_stall: Some(ms(300)),
        ..Policy::default()
    };
    let gate = Gate::with(Setup {
        policy,
        ..Setup::default()
    })
    .await;
    gate.fake.script("s", flood());
    let mut caller = gate.caller().await;
    socket2::SockRef::from(&caller.socket)
        .set_recv_buffer_size(4096)
        .unwrap();
    caller.send(&chat("sim/s", true, "")).await;
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.reason),
        (Some(Outcome::Cancelled), Some(Reason::Stalled))
    );
    until("its connection goes too", || {
        gate.gateway.stats().connections == 0
    })
    .await;
    gate.idle().await;
}

#[tokio::test]
async fn a_slow_reader_that_goes_on_gets_every_byte() {
    let gate = Gate::open().await;
    let mut script = flood();
    script.pop();
    script.extend(ending());
    gate.fake.script("s", script);
    let mut caller = gate.caller().await;
    caller.send(&chat("sim/s", true, "")).await;
    sleep(ms(300)).await;
    let answer = caller.answer().await;
    assert!(answer.complete && answer.body.len() > 5 << 20 && answer.body.ends_with("[DONE]\n\n"));
}
