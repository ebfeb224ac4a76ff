//! The request's deadline and the connection's clocks.

use crate::support::*;
use punctual_core::{Limits, Outcome, Phase};
use punctual_server::{Key, Keys, Settings};
use std::sync::Arc;
use tokio::time::{Instant, sleep};

fn server_deadline(deadline: u64) -> Setup {
    let settings = Settings {
        request_deadline: Some(ms(deadline)),
        ..Setup::default().settings
    };
    Setup {
        settings,
        ..Setup::default()
    }
}

#[tokio::test]
async fn a_deadline_in_each_phase_is_504_with_that_phase() {
    let gate = Gate::open().await;
    gate.fake.script("silent", vec![Step::Hang]);
    gate.fake
        .script("headers", vec![Step::Head(vec![]), Step::Hang]);
    gate.fake.script(
        "preamble",
        vec![Step::Head(vec![]), event("{}", None), Step::Hang],
    );
    for (model, stream, phase) in [
        ("silent", false, "awaiting_headers"),
        ("silent", true, "awaiting_headers"),
        ("headers", false, "awaiting_content"),
        ("preamble", true, "awaiting_content"),
    ] {
        let start = Instant::now();
        let request = chat(
            &format!("sim/{model}"),
            stream,
            "x-request-deadline-ms: 200\r\n",
        );
        let answer = gate.caller().await.ask(&request).await;
        about(start.elapsed(), ms(200));
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (504, "request_deadline_exceeded")
        );
        assert_eq!(answer.header("x-should-retry"), Some("false"));
        let error = &answer.json()["error"];
        assert_eq!(
            (&error["type"], &error["phase"]),
            (&"timeout_error".into(), &phase.into()),
            "{model}"
        );
        assert_eq!(
            (&error["budget_ms"], &error["source"]),
            (&200.into(), &"header".into())
        );
        assert!(
            (199..=260).contains(&error["elapsed_ms"].as_u64().unwrap()),
            "{error}"
        );
        assert_eq!(
            (
                &error["attempts"][0]["target"],
                &error["attempts"][0]["sent"]
            ),
            (
                &"primary".into(),
                &if model == "silent" { "maybe" } else { "yes" }.into()
            )
        );
    }
    assert!(
        gate.reports(4)
            .await
            .iter()
            .all(|r| r.outcome == Some(Outcome::DeadlineExceeded))
    );
    assert_eq!(gate.fake.closed().len(), 4);
    gate.idle().await;
}

/// Everybody has the key `k`.
fn key_deadline(deadline: u64) -> Setup {
    let key = Arc::new(Key {
        deadline: Some(ms(deadline)),
        ..Key::default()
    });
    Setup {
        keys: Keys::Required(Arc::new(move |_: &str| Some(key.clone()))),
        ..Setup::default()
    }
}

#[tokio::test]
async fn a_deadline_during_the_upload_is_504_receiving_and_nothing_is_sent() {
    for (setup, source) in [(server_deadline(200), "server"), (key_deadline(200), "key")] {
        upload_too_slowly(setup, source).await;
    }
}

async fn upload_too_slowly(setup: Setup, source: &str) {
    let gate = Gate::with(setup).await;
    let mut caller = gate.caller().await;
    let start = Instant::now();
    caller.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n").await;
    let trickle = async {
        loop {
            caller.send(" ").await;
            sleep(ms(30)).await;
            if start.elapsed() > ms(180) {
                break;
            }
        }
        caller.answer().await
    };
    let answer = trickle.await;
    about(start.elapsed(), ms(200));
    let error = &answer.json()["error"];
    assert_eq!(
        (answer.status, &error["phase"], &error["source"]),
        (504, &"receiving".into(), &source.into())
    );
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(gate.fake.sent(), 0);
    assert_eq!(gate.report().await.phase, Phase::Receiving);
    gate.idle().await;
}

#[tokio::test]
async fn a_caller_only_shortens() {
    let slow = vec![Step::Wait(ms(400)), Step::Head(vec![]), content("x")];
    for (server, route, lines, source, figure) in [
        (
            Some(200),
            None,
            "x-request-deadline-ms: 5000\r\n",
            "server",
            200,
        ),
        (
            Some(5000),
            None,
            "x-request-deadline-ms: 200\r\n",
            "header",
            200,
        ),
        (Some(5000), Some(200), "", "route", 200),
        (
            None,
            None,
            "x-request-deadline-ms: 600\r\nx-request-timeout-ms: 200\r\n",
            "header",
            200,
        ),
        (None, None, "x-stainless-timeout: 0.2\r\n", "header", 150),
    ] {
        let settings = Settings {
            request_deadline: server.map(ms),
            ..Setup::default().settings
        };
        let setup = Setup {
            settings,
            route_deadline: route.map(ms),
            ..Setup::default()
        };
        let gate = Gate::with(setup).await;
        gate.fake.script("slow", slow.clone());
        let start = Instant::now();
        let answer = gate
            .caller()
            .await
            .ask(&chat("sim/slow", false, lines))
            .await;
        about(start.elapsed(), ms(figure));
        assert_eq!(
            (answer.status, &answer.json()["error"]["source"]),
            (504, &source.into()),
            "{lines}"
        );
    }
    let gate = Gate::open().await;
    gate.fake.script("slow", slow);
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("sim/slow", false, ""))
            .await
            .status,
        200
    );
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("sim/slow", true, "x-stainless-timeout: 0.3\r\n"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn what_sdks_announce_can_be_turned_off() {
    let settings = Settings {
        sdk_timeouts: false,
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let slow = vec![Step::Wait(ms(250)), Step::Head(vec![]), content("x")];
    gate.fake.script("slow", slow);
    let request = chat("sim/slow", false, "x-stainless-timeout: 0.1\r\n");
    assert_eq!(gate.caller().await.ask(&request).await.status, 200);
}

#[tokio::test]
async fn an_unusable_deadline_is_400_and_a_spent_one_504_at_once() {
    let gate = Gate::open().await;
    for bad in ["abc", "1e3", "inf", "", "1,2"] {
        let line = format!("x-request-deadline-ms: {bad}\r\n");
        let answer = gate.caller().await.ask(&chat("chat", false, &line)).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "invalid_request_deadline"),
            "{bad}"
        );
        let message = answer.json()["error"]["message"].to_string();
        assert!(message.contains("x-request-deadline-ms") && message.contains(bad));
    }
    for spent in [
        "x-request-deadline-ms: -5",
        "x-request-deadline-at: 1000000000000",
    ] {
        let answer = gate
            .caller()
            .await
            .ask(&chat("chat", false, &format!("{spent}\r\n")))
            .await;
        assert_eq!(
            (answer.status, &answer.json()["error"]["phase"]),
            (504, &"receiving".into()),
            "{spent}"
        );
    }
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn the_agent_proxy_mode_ignores_junk_counts_it_and_repeats_the_code() {
    let settings = Settings {
        compat: true,
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let answer = gate
        .caller()
        .await
        .ask(&chat("chat", false, "x-request-deadline-ms: abc\r\n"))
        .await;
    assert_eq!(
        (answer.status, gate.gateway.stats().unreadable_deadlines),
        (200, 1)
    );
    let answer = gate
        .caller()
        .await
        .ask(&chat("chat", false, "x-request-deadline-ms: -5\r\n"))
        .await;
    assert_eq!(answer.json()["error"]["type"], "request_deadline_exceeded");
}

#[tokio::test]
async fn a_members_own_timeout_says_which_clock_and_how_long() {
    let limits = Limits {
        unary: Some(ms(150)),
        ..Limits::default()
    };
    let gate = Gate::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    gate.fake.script("silent", vec![Step::Hang]);
    let answer = gate
        .caller()
        .await
        .ask(&chat("sim/silent", false, ""))
        .await;
    let error = &answer.json()["error"];
    assert_eq!(
        (
            answer.status,
            &error["code"],
            &error["timeout_type"],
            &error["limit_ms"]
        ),
        (504, &"timeout".into(), &"unary_timeout".into(), &150.into())
    );
}

fn quick() -> Setup {
    let settings = Settings {
        header_timeout: ms(200),
        receive_timeout: ms(200),
        idle_timeout: ms(500),
        ..Setup::default().settings
    };
    Setup {
        settings,
        ..Setup::default()
    }
}

#[tokio::test]
async fn a_socket_that_says_too_little_is_closed() {
    let gate = Gate::with(quick()).await;
    for bytes in [
        "",
        "P",
        "GET /healthz HTTP/1.1\r\nhost",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "PRI * HT",
    ] {
        let start = Instant::now();
        let mut caller = gate.caller().await;
        caller.send(bytes).await;
        caller.rest().await;
        let took = start.elapsed();
        assert!((ms(190)..ms(480)).contains(&took), "{bytes:?}: {took:?}");
    }
    let start = Instant::now();
    let mut drip = gate.caller().await;
    for byte in "GET /healthz HTTP/1.1\r\nx: y".chars() {
        if drip.socket.try_write(byte.to_string().as_bytes()).is_err() {
            break;
        }
        sleep(ms(20)).await;
    }
    assert!(
        drip.is_closed().await && start.elapsed() < ms(700),
        "progress does not help a head"
    );
    until("connections end", || gate.gateway.stats().connections == 0).await;
}

#[tokio::test]
async fn an_idle_connection_is_kept_for_its_own_time() {
    let gate = Gate::with(quick()).await;
    let mut caller = gate.caller().await;
    assert_eq!(caller.get("/healthz").await.status, 200);
    sleep(ms(350)).await;
    assert_eq!(
        caller.get("/healthz").await.status,
        200,
        "longer than a head may take"
    );
    let start = Instant::now();
    assert!(caller.is_closed().await);
    about(start.elapsed(), ms(500));
}

#[tokio::test]
async fn an_upload_without_progress_is_408() {
    let gate = Gate::with(quick()).await;
    let mut caller = gate.caller().await;
    let start = Instant::now();
    caller.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{").await;
    let answer = caller.answer().await;
    about(start.elapsed(), ms(200));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (408, "receive_timeout")
    );
    assert_eq!(gate.report().await.outcome, Some(Outcome::Rejected));
    gate.idle().await;
}

#[tokio::test]
async fn a_caller_that_takes_nothing_of_small_answers_is_closed_too() {
    let gate = Gate::with(quick()).await;
    let caller = gate.caller().await;
    socket2::SockRef::from(&caller.socket)
        .set_recv_buffer_size(4096)
        .unwrap();
    let request = b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    let start = Instant::now();
    while gate.gateway.stats().connections > 0 || start.elapsed() < ms(100) {
        let _ = caller.socket.try_write(&request);
        sleep(ms(1)).await;
        assert!(start.elapsed() < LONG, "it is still open");
    }
    assert!(start.elapsed() > ms(480), "{:?}", start.elapsed());
}
