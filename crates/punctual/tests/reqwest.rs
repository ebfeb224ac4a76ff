//! The rules as a middleware of reqwest, on real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use punctual::{Backoff, Execution, ForwardDeadline, reqwest::Punctual};
use punctual_sim::{Listen, Sim};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error};
use std::time::Duration;
use tokio::time::Instant;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn client(middleware: Punctual) -> ClientWithMiddleware {
    let quick = Backoff {
        initial: ms(1),
        multiplier: 1.0,
        max: ms(1),
    };
    let plain = reqwest::Client::builder().build().unwrap();
    ClientBuilder::new(plain)
        .with(middleware.backoff(quick))
        .build()
}

async fn ask(sim: &Sim, client: &ClientWithMiddleware, script: &str) -> Result<String, Error> {
    let body = format!(r#"{{"model":"sim:{script}","stream":true,"messages":[]}}"#);
    let url = format!("{}/v1/chat/completions", sim.url());
    let answer = client.post(url).body(body).send().await?;
    let status = answer.status();
    let text = answer.text().await?;
    Ok(format!("{status} {text}"))
}

#[tokio::test]
async fn what_another_attempt_can_mend_is_sent_again_and_the_last_answer_is_given() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let client = client(Punctual::new().retry(3));
    for (script, count, start) in [
        ("status=503,fail=1", 2, "200"),
        ("status=500", 3, "500"),
        ("status=400", 1, "400"),
        ("tokens=2", 1, "200"),
    ] {
        sim.reset();
        let answer = ask(&sim, &client, script).await.unwrap();
        assert!(answer.starts_with(start), "{script}: {answer}");
        assert_eq!(sim.report().len(), count, "{script}");
    }
}

#[tokio::test]
async fn a_limit_covers_silence_and_a_body_that_trickles() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let client = client(Punctual::new().limit(ms(400)).retry(3));
    for script in [
        "silent-headers",
        "trickle=50ms",
        "status=503,retry-after=60,delay=300ms",
    ] {
        let started = Instant::now();
        let came = ask(&sim, &client, script).await;
        assert!(
            started.elapsed() < ms(600),
            "{script}: {:?}",
            started.elapsed()
        );
        assert_eq!(
            came.is_ok(),
            script.starts_with("status"),
            "{script}: {came:?}"
        );
    }
    let over = |all: &[punctual_sim::Seen]| {
        all.iter()
            .all(|seen| seen.closed.is_some() || seen.finished.is_some())
    };
    sim.wait(Duration::from_secs(5), over).await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_run_binds_it_and_is_told() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let client = client(Punctual::new().tell(ForwardDeadline::UiPath));
    let run = |secs| Execution::within(Duration::from_secs(secs));
    run(60).scope(ask(&sim, &client, "tokens=1")).await.unwrap();
    let seen = sim.report().pop().unwrap();
    assert_eq!(
        seen.header("x-uipath-llmgateway-timeoutseconds"),
        Some("59")
    );
    let error = run(4)
        .scope(ask(&sim, &client, "tokens=1"))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains(punctual::EXECUTION_DEADLINE_EXCEEDED),
        "{error:?}"
    );
    assert_eq!(sim.report().len(), 1);
}
