//! The end of the run, from wherever a call is made.

use crate::support::*;
use punctual::{
    Client, EXECUTION_DEADLINE_EXCEEDED, Error, Execution, ForwardDeadline, Retry, openai,
};
use punctual_sim::Sim;
use std::time::Duration;
use tokio::time::Instant;

fn client(sim: &Sim, script: &str) -> openai::Chat {
    openai::Chat::new(format!("sim:{script}"))
        .base_url(format!("{}/v1", sim.url()))
        .key("k")
}

/// The process's end is one for all tests of this binary, so what needs it runs in a process of its own.
#[test]
fn the_end_of_the_process_reaches_every_thread_task_and_runtime() {
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me)
        .args([
            "--exact",
            "execution::in_its_own_process",
            "--include-ignored",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "sets the end of the whole process: the test above runs it in one of its own"]
fn in_its_own_process() {
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let (first, second) = (runtime(), runtime());
    let sim = first.block_on(sim());
    let plain = client(&sim, "tokens=1");
    first.block_on(plain.invoke(&hi())).unwrap();
    let connections = sim.connections().len();
    Execution::within(ms(4_900)).set();
    Execution::within(Duration::from_secs(900)).set();
    let refused = |error: Error, started: Instant| {
        assert_eq!(error.code(), EXECUTION_DEADLINE_EXCEEDED);
        assert!(started.elapsed() < ms(55), "{:?}", started.elapsed());
        assert!(error.records().is_empty());
    };
    for stream in [false, true] {
        let (retried, plain) = (Retry::new(plain.clone(), 3).node(), plain.node());
        for client in [retried, plain] {
            let now = Instant::now;
            let started = now();
            refused(
                first.block_on(ask(&client, &hi(), stream)).unwrap_err(),
                started,
            );
            let started = now();
            refused(
                second.block_on(ask(&client, &hi(), stream)).unwrap_err(),
                started,
            );
            let (task, started) = (client.clone(), now());
            let spawned = first.spawn(async move { ask(&task, &hi(), stream).await.unwrap_err() });
            refused(first.block_on(spawned).unwrap(), started);
            let blocking = client.blocking();
            let error = move || match stream {
                true => blocking.invoke_stream(&hi()).unwrap_err(),
                false => blocking.invoke(&hi()).unwrap_err(),
            };
            let started = now();
            refused(error(), started);
            let started = now();
            refused(std::thread::spawn(error).join().unwrap(), started);
        }
    }
    assert_eq!(
        sim.connections().len(),
        connections,
        "no connection was opened"
    );
    Execution::clear();
    first.block_on(plain.invoke(&hi())).unwrap();
}

#[tokio::test]
async fn what_is_held_refused_or_trickled_ends_by_the_deadline_with_its_code() {
    let sim = sim().await;
    for stream in [false, true] {
        for (script, status) in [
            ("silent-headers", None),
            ("status=503,retry-after=60", Some(503)),
            ("trickle=50ms", None),
        ] {
            let plan = Retry::new(client(&sim, script), 3).node();
            let call = hi().deadline(Execution::within(ms(500)).floor(ms(100)));
            let started = Instant::now();
            let error = ask(&plan, &call, stream).await.unwrap_err();
            let (at, took) = (format!("{script} {stream}: {error}"), started.elapsed());
            assert_eq!(error.code(), EXECUTION_DEADLINE_EXCEEDED, "{at}");
            assert!(took < ms(600), "{at} {took:?}");
            assert_eq!(
                error.last_upstream().and_then(|last| last.status),
                status,
                "{at}"
            );
        }
    }
    let over = |all: &[punctual_sim::Seen]| {
        all.iter()
            .all(|seen| seen.closed.is_some() || seen.finished.is_some())
    };
    sim.wait(PATIENCE, over).await.unwrap();
}

#[tokio::test]
async fn a_second_attempt_is_told_less_than_the_first() {
    let sim = sim().await;
    let told = client(&sim, "delay=1100ms,status=500").forward_deadline(ForwardDeadline::UiPath);
    let call = hi().deadline(Execution::within(Duration::from_secs(60)));
    Retry::new(told, 2).invoke(&call).await.unwrap_err();
    let seconds = |seen: &punctual_sim::Seen| -> u64 {
        let told = seen.header("x-uipath-llmgateway-timeoutseconds");
        told.unwrap().parse().unwrap()
    };
    let told: Vec<u64> = sim.report().iter().map(seconds).collect();
    assert!(
        told.len() == 2 && told[1] < told[0] && told[1] > 0,
        "{told:?}"
    );
}
