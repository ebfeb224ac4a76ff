//! Limits of the process and of one request, and answers given before the body was read.

use crate::support::*;
use punctual_core::Outcome;
use punctual_server::Settings;
use tokio::{io::AsyncWriteExt, time::Instant};

fn small() -> Setup {
    let settings = Settings {
        max_body_bytes: 100_000,
        max_in_flight: 1,
        max_connections: 4,
        max_memory_bytes: 128 << 10,
        ..Setup::default().settings
    };
    Setup {
        settings,
        ..Setup::default()
    }
}

fn upload(framing: &str) -> String {
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{framing}\r\n"
    )
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_413_before_a_byte_of_it() {
    let gate = Gate::with(small()).await;
    let mut caller = gate.caller().await;
    let answer = caller
        .ask(&upload(
            "expect: 100-continue\r\ncontent-length: 100001\r\n",
        ))
        .await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (413, "request_too_large")
    );
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(caller.is_closed().await);
    assert_eq!(gate.report().await.outcome, Some(Outcome::Rejected));
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_413_when_it_gets_there() {
    let gate = Gate::with(small()).await;
    let mut caller = gate.caller().await;
    caller.send(&upload("transfer-encoding: chunked\r\n")).await;
    let chunk = format!("{:x}\r\n{}\r\n", 60_000, " ".repeat(60_000));
    caller.send(&chunk).await;
    caller.send(&chunk).await;
    let answer = caller.answer().await;
    assert_eq!(
        (answer.status, answer.header("connection")),
        (413, Some("close"))
    );
    gate.idle().await;
}

#[tokio::test]
async fn a_body_that_is_framed_wrongly_is_the_callers_mistake() {
    let gate = Gate::open().await;
    for chunk in ["nonsense\r\n", "ffffffffffffffffff\r\n", "1\r\nxx\r\n"] {
        let mut caller = gate.caller().await;
        caller.send(&upload("transfer-encoding: chunked\r\n")).await;
        let answer = caller.ask(chunk).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "malformed_body"),
            "{chunk:?}"
        );
    }
    let reports = gate.reports(3).await;
    assert!(reports.iter().all(|r| r.outcome == Some(Outcome::Rejected)));
}

#[tokio::test]
async fn a_caller_that_goes_on_writing_can_still_read_the_answer() {
    let gate = Gate::with(small()).await;
    for _ in 0..20 {
        let mut caller = gate.caller().await;
        caller.send(&upload("content-length: 4000000\r\n")).await;
        tokio::time::sleep(ms(5)).await;
        let block = [b' '; 64 << 10];
        for _ in 0..20 {
            let written = caller.socket.write_all(&block).await;
            written.expect("the writer is not cut off");
            tokio::time::sleep(ms(1)).await;
        }
        assert_eq!(caller.answer().await.status, 413);
        assert!(caller.is_closed().await);
    }
}

#[tokio::test]
async fn a_body_that_was_read_keeps_the_connection() {
    let gate = Gate::with(small()).await;
    let mut caller = gate.caller().await;
    for _ in 0..3 {
        let answer = caller.post("/v1/chat/completions", "", "{").await;
        assert_eq!((answer.status, answer.header("connection")), (400, None));
    }
}

#[tokio::test]
async fn a_hundred_continue_is_asked_for_only_when_the_head_is_good() {
    let gate = Gate::with(small()).await;
    let mut caller = gate.caller().await;
    let body = "{\"model\":\"chat\",\"messages\":[]}";
    caller
        .send(&upload(&format!(
            "expect: 100-continue\r\ncontent-length: {}\r\n",
            body.len()
        )))
        .await;
    assert_eq!(caller.head().await.status, 100);
    assert_eq!(caller.ask(body).await.status, 200);
    let mut refused = gate.caller().await;
    let answer = refused
        .ask(&upload(
            "x-request-deadline-ms: abc\r\nexpect: 100-continue\r\ncontent-length: 5\r\n",
        ))
        .await;
    assert_eq!(answer.status, 400, "never 100");
}

#[tokio::test]
async fn a_full_gateway_says_503_at_once() {
    let gate = Gate::with(small()).await;
    gate.fake.script("hold", vec![Step::Hang]);
    let mut holder = gate.caller().await;
    holder.send(&chat("sim/hold", false, "")).await;
    until("it runs", || gate.fake.sent() == 1).await;
    let start = Instant::now();
    let answer = gate.caller().await.ask(&chat("chat", false, "")).await;
    assert!(start.elapsed() < SLACK);
    assert_eq!(
        (
            answer.status,
            answer.header("retry-after"),
            answer.header("x-should-retry")
        ),
        (503, Some("1"), None)
    );
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.error_type()),
        (
            Some(Outcome::Overloaded),
            Some("too_many_requests_in_flight")
        )
    );
    assert_eq!(gate.caller().await.get("/healthz").await.status, 200);
    holder.fin();
    gate.idle().await;
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn memory_is_bounded_by_what_arrives_not_by_what_is_declared() {
    let settings = Settings {
        max_in_flight: 9,
        max_memory_bytes: 64 << 10,
        ..small().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let mut first = gate.caller().await;
    first.send(&upload("content-length: 90000\r\n")).await;
    first.send("{").await;
    until("a step is taken", || {
        gate.gateway.stats().memory_bytes == 64 << 10
    })
    .await;
    let answer = gate.caller().await.ask(&chat("chat", false, "")).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "memory_exhausted")
    );
    first.fin();
    gate.idle().await;
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .status,
        200
    );
}

#[test]
fn a_large_body_is_passed_over_beside_the_workers_and_within_the_deadline() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, taken) = std::sync::mpsc::sync_channel::<()>(1);
    runtime.block_on(async {
        // as long as the one thread is taken, no large body gets its turn
        let thread = tokio::task::spawn_blocking(move || taken.recv());
        let gate = Gate::open().await;
        let large = format!(
            "{{\"model\":\"chat\",\"messages\":[\"{}\"]}}",
            "x".repeat(1 << 20)
        );
        let mut caller = gate.caller().await;
        let start = Instant::now();
        let line = "x-request-deadline-ms: 300\r\n";
        let answer = caller.post("/v1/chat/completions", line, &large).await;
        // the caller itself writes for a while
        let took = start.elapsed();
        assert!((ms(298)..ms(600)).contains(&took), "{took:?}");
        assert_eq!(answer.code(), "request_deadline_exceeded");
        assert_eq!(answer.json()["error"]["phase"], "receiving");
        let small = gate.caller().await.ask(&chat("chat", false, "")).await;
        assert_eq!(small.status, 200);
        let report = gate.reports(2).await.swap_remove(0);
        about(report.receive, ms(300));
        free.send(()).unwrap();
        thread.await.unwrap().unwrap();
        let answer = caller.post("/v1/chat/completions", "", &large).await;
        assert_eq!(answer.status, 200);
        gate.idle().await;
    });
}

#[tokio::test]
async fn a_body_counts_until_nothing_can_need_it_any_more() {
    let gate = Gate::with(small()).await;
    let late = vec![Step::Hang];
    gate.fake.script("silent", late);
    gate.fake
        .script("stream", vec![Step::Head(vec![]), content("x"), Step::Hang]);
    let mut caller = gate.caller().await;
    caller.send(&chat("sim/silent", false, "")).await;
    until("it runs", || gate.fake.sent() == 1).await;
    assert_eq!(gate.gateway.stats().memory_bytes, 64 << 10);
    caller.fin();
    gate.idle().await;
    let mut caller = gate.caller().await;
    caller.send(&chat("sim/stream", true, "")).await;
    caller.see("data:").await;
    let stats = gate.gateway.stats();
    assert_eq!(
        (stats.memory_bytes, stats.in_flight),
        (0, 1),
        "dropped at the commit"
    );
}

#[tokio::test]
async fn a_connection_over_the_cap_is_told_so() {
    let gate = Gate::with(small()).await;
    let mut kept = Vec::new();
    for _ in 0..4 {
        let mut caller = gate.caller().await;
        assert_eq!(caller.get("/healthz").await.status, 200);
        kept.push(caller);
    }
    let answer = gate.caller().await.get("/healthz").await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "too_many_connections")
    );
    kept.clear();
    until("they are gone", || gate.gateway.stats().connections == 0).await;
    assert_eq!(gate.caller().await.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_head_is_bounded_in_lines_and_bytes() {
    let gate = Gate::open().await;
    let lines: String = (0..101).map(|i| format!("x-{i}: 1\r\n")).collect();
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, &lines))
            .await
            .status,
        431
    );
    let long = format!("x-long: {}\r\n", "x".repeat(66_000));
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, &long))
            .await
            .status,
        431
    );
    let fits = format!("x-long: {}\r\n", "x".repeat(60_000));
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, &fits))
            .await
            .status,
        200
    );
}
