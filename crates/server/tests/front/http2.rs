//! The same over HTTP/2: streams, resets, windows that stay shut.

use crate::support::*;
use bytes::Bytes;
use h2::{RecvStream, SendStream, client::SendRequest};
use http::{Request, Response};
use punctual_core::{End, Limits, Outcome, Phase, Policy, Reason};
use punctual_server::Settings;
use std::future::poll_fn;
use tokio::{
    net::TcpStream,
    task::JoinHandle,
    time::{Instant, timeout},
};

struct Http2 {
    send: SendRequest<Bytes>,
    connection: JoinHandle<()>,
}

struct Asked {
    response: h2::client::ResponseFuture,
    body: SendStream<Bytes>,
}

impl Http2 {
    async fn connect(gate: &Gate, window: u32) -> Self {
        let socket = TcpStream::connect(gate.address).await.unwrap();
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(window);
        let (send, connection) = builder.handshake(socket).await.unwrap();
        #[expect(clippy::disallowed_methods, reason = "the caller's side")]
        let connection = tokio::spawn(async move {
            let _ = connection.await;
        });
        Self { send, connection }
    }

    async fn ask(&mut self, model: &str, stream: bool, line: Option<(&str, &str)>) -> Asked {
        let mut send = self.send.clone().ready().await.unwrap();
        let mut request = Request::post("http://localhost/v1/chat/completions")
            .header("content-type", "application/json");
        if let Some((name, value)) = line {
            request = request.header(name, value);
        }
        let (response, mut body) = send.send_request(request.body(()).unwrap(), false).unwrap();
        let json = format!("{{\"model\":\"{model}\",\"stream\":{stream},\"messages\":[]}}");
        body.send_data(json.into(), true).unwrap();
        Asked { response, body }
    }
}

async fn head(asked: Asked) -> Response<RecvStream> {
    timeout(LONG, asked.response)
        .await
        .expect("an answer")
        .unwrap()
}

async fn text(response: Response<RecvStream>) -> String {
    let mut body = response.into_body();
    let mut all = Vec::new();
    while let Some(data) = timeout(LONG, body.data()).await.expect("the end") {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        all.extend_from_slice(&data);
    }
    String::from_utf8(all).unwrap()
}

const WINDOW: u32 = 65_535;

#[tokio::test]
async fn requests_are_answered_side_by_side() {
    let gate = Gate::open().await;
    gate.fake.script(
        "slow",
        vec![Step::Wait(ms(200)), Step::Head(vec![]), content("slow")],
    );
    let mut caller = Http2::connect(&gate, WINDOW).await;
    let slow = caller.ask("sim/slow", false, None).await;
    let quick = head(caller.ask("chat", true, None).await).await;
    assert_eq!(quick.headers()["x-punctual-target"], "primary");
    assert!(!quick.headers().contains_key("connection"));
    assert!(text(quick).await.ends_with("[DONE]\n\n"));
    assert_eq!(text(head(slow).await).await, "data: {\"c\":\"slow\"}\n\n");
    assert_eq!(gate.reports(2).await[0].outcome, Some(Outcome::Ok));
    gate.idle().await;
}

#[tokio::test]
async fn a_reset_and_a_lost_connection_both_end_the_request() {
    for (script, stream, phase) in [
        (vec![Step::Hang], false, Phase::AwaitingHeaders),
        (
            vec![Step::Head(vec![]), content("x"), Step::Hang],
            true,
            Phase::Streaming,
        ),
    ] {
        for lost in [false, true] {
            let gate = Gate::open().await;
            gate.fake.script("s", script.clone());
            let mut caller = Http2::connect(&gate, WINDOW).await;
            let mut asked = caller.ask("sim/s", stream, None).await;
            until("it hangs", || gate.fake.hanging() == 1).await;
            let left = Instant::now();
            if lost {
                caller.connection.abort();
            } else {
                asked.body.send_reset(h2::Reason::CANCEL);
            }
            until("the exchange closes", || !gate.fake.closed().is_empty()).await;
            assert!(
                gate.fake.closed()[0].saturating_duration_since(left) < SLACK,
                "{phase:?} {lost}"
            );
            let report = gate.report().await;
            assert_eq!(
                (report.outcome, report.reason, report.phase),
                (Some(Outcome::Cancelled), Some(Reason::Gone), phase)
            );
            gate.idle().await;
        }
    }
}

#[tokio::test]
async fn a_window_that_stays_shut_does_not_hold_the_upstream() {
    for window in [0, 1024] {
        for (deadline, outcome) in [
            (Some("300"), Outcome::DeadlineExceeded),
            (None, Outcome::Cancelled),
        ] {
            let policy = Policy {
                caller_stall: Some(ms(400)),
                ..Policy::default()
            };
            let gate = Gate::with(Setup {
                policy,
                ..Setup::default()
            })
            .await;
            let big = "x".repeat(1 << 20);
            gate.fake.script(
                "s",
                vec![Step::Head(vec![]), content(&big), content(&big), Step::Hang],
            );
            let mut caller = Http2::connect(&gate, window).await;
            let start = Instant::now();
            let asked = caller
                .ask(
                    "sim/s",
                    true,
                    deadline.map(|d| ("x-request-deadline-ms", d)),
                )
                .await;
            let response = head(asked).await;
            until("the exchange closes", || !gate.fake.closed().is_empty()).await;
            let late = gate.fake.closed()[0].saturating_duration_since(start);
            let figure = if deadline.is_some() { ms(300) } else { ms(400) };
            assert!(late < figure * 2 + SLACK, "{window} {outcome:?}: {late:?}");
            assert_eq!(gate.report().await.outcome, Some(outcome));
            until("its connection goes too", || {
                gate.gateway.stats().connections == 0
            })
            .await;
            gate.idle().await;
            drop(response);
        }
    }
}

#[tokio::test]
async fn a_window_that_is_shut_behind_a_heartbeat_is_not_charged_to_the_provider() {
    let policy = Policy {
        heartbeat: Some(ms(50)),
        ..Policy::default()
    };
    let limits = Limits {
        first_token: Some(ms(400)),
        ..Limits::default()
    };
    let gate = Gate::with(Setup {
        policy,
        limits,
        ..Setup::default()
    })
    .await;
    // it goes on by one step whenever it is asked
    let script = vec![
        Step::Wait(ms(150)),
        Step::Head(vec![]),
        Step::Wait(ms(100)),
        content("x"),
        event("{\"finish_reason\":\"stop\"}", Some(End::Stop)),
        done(),
    ];
    gate.fake.script("s", script);
    // smaller than a heartbeat
    let mut caller = Http2::connect(&gate, 8).await;
    let asked = caller.ask("sim/s", true, None).await;
    let response = head(asked).await;
    tokio::time::sleep(ms(800)).await;
    let told = text(response).await;
    assert!(
        told.contains("{\"c\":\"x\"}") && told.ends_with("data: [DONE]\n\n"),
        "{told}"
    );
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.attempts.len()),
        (Some(Outcome::Ok), 1)
    );
    gate.idle().await;
}

#[tokio::test]
async fn one_expired_stream_leaves_its_neighbours_alone() {
    let gate = Gate::open().await;
    let mut script = vec![Step::Head(vec![]), content("x")];
    for _ in 0..30 {
        script.extend([Step::Wait(ms(60)), content("more")]);
    }
    script.extend([event("{}", Some(punctual_core::End::Stop)), done()]);
    gate.fake.script("long", script);
    gate.fake
        .script("silent", vec![Step::Head(vec![]), content("x"), Step::Hang]);
    let mut caller = Http2::connect(&gate, WINDOW).await;
    let long = caller.ask("sim/long", true, None).await;
    let short = caller
        .ask("sim/silent", true, Some(("x-request-deadline-ms", "200")))
        .await;
    let cut = text(head(short).await).await;
    assert!(cut.contains("request_deadline_exceeded"), "{cut}");
    assert!(text(head(long).await).await.ends_with("[DONE]\n\n"));
}

#[tokio::test]
async fn an_answer_before_the_body_was_read_arrives() {
    let settings = Settings {
        max_body_bytes: 1000,
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let caller = Http2::connect(&gate, WINDOW).await;
    let mut send = caller.send.clone().ready().await.unwrap();
    let request = Request::post("http://localhost/v1/chat/completions")
        .header("content-type", "application/json")
        .header("content-length", "5000");
    let (response, _body) = send.send_request(request.body(()).unwrap(), false).unwrap();
    let response = timeout(LONG, response).await.unwrap().unwrap();
    assert_eq!(response.status(), 413);
    let mut again = caller.send.clone().ready().await.unwrap();
    let next = Request::get("http://localhost/healthz").body(()).unwrap();
    let (response, _) = again.send_request(next, true).unwrap();
    assert_eq!(
        response.await.unwrap().status(),
        200,
        "the connection lives on"
    );
}

#[tokio::test]
async fn a_caller_that_writes_all_before_it_reads_gets_the_early_answer() {
    let gate = Gate::open().await;
    let caller = Http2::connect(&gate, WINDOW).await;
    let mut send = caller.send.clone().ready().await.unwrap();
    let request =
        Request::post("http://localhost/v1/chat/completions").header("content-type", "text/plain");
    let (response, mut body) = send.send_request(request.body(()).unwrap(), false).unwrap();
    let mut left = 3 << 20;
    while left > 0 {
        body.reserve_capacity(left);
        let granted = timeout(LONG, poll_fn(|cx| body.poll_capacity(cx))).await;
        let granted = granted.expect("a window").expect("the stream is open");
        let piece = granted.unwrap().min(left);
        left -= piece;
        body.send_data(vec![b'x'; piece].into(), left == 0).unwrap();
    }
    let response = timeout(LONG, response).await.unwrap().unwrap();
    assert_eq!(response.status(), 415);
    assert!(text(response).await.contains("unsupported_media_type"));
    gate.idle().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let settings = Settings {
        header_timeout: ms(100),
        idle_timeout: ms(300),
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let mut caller = Http2::connect(&gate, WINDOW).await;
    assert_eq!(
        head(caller.ask("chat", false, None).await).await.status(),
        200
    );
    let start = Instant::now();
    timeout(LONG, caller.connection)
        .await
        .expect("closed")
        .unwrap();
    assert!(
        (ms(280)..ms(700)).contains(&start.elapsed()),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_connection_that_is_written_to_is_not_idle() {
    let settings = Settings {
        idle_timeout: ms(300),
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let big = "x".repeat(1 << 20);
    let whole = format!("data: {{\"c\":\"{big}\"}}\n\n").len();
    gate.fake
        .script("big", vec![Step::Head(vec![]), content(&big)]);
    let mut caller = Http2::connect(&gate, WINDOW).await;
    let mut body = head(caller.ask("sim/big", false, None).await)
        .await
        .into_body();
    let start = Instant::now();
    let mut seen = 0;
    while let Some(data) = timeout(LONG, body.data()).await.expect("the end") {
        let data = data.unwrap_or_else(|e| panic!("cut after {seen} of {whole}: {e}"));
        seen += data.len();
        tokio::time::sleep(ms(15)).await;
        body.flow_control().release_capacity(data.len()).unwrap();
    }
    assert_eq!(seen, whole);
    assert!(start.elapsed() > ms(600), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_large_answer_is_in_flight_and_not_ok_until_it_was_handed_over() {
    let gate = Gate::open().await;
    let big = "x".repeat(1 << 20);
    gate.fake
        .script("big", vec![Step::Head(vec![]), content(&big)]);
    let mut caller = Http2::connect(&gate, WINDOW).await;
    let mut body = head(caller.ask("sim/big", false, None).await)
        .await
        .into_body();
    let mut seen = 0;
    while seen < WINDOW as usize {
        seen += body.data().await.unwrap().unwrap().len();
    }
    tokio::time::sleep(ms(50)).await;
    assert_eq!(gate.gateway.stats().in_flight, 1);
    drop(body);
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.reason, report.status),
        (Some(Outcome::Cancelled), Some(Reason::Gone), Some(200))
    );
    assert!(report.delivered_bytes < 512 << 10, "{report:?}");
    gate.idle().await;
}

#[tokio::test]
async fn the_authority_is_checked_like_a_host() {
    let gate = Gate::open().await;
    let caller = Http2::connect(&gate, WINDOW).await;
    let mut send = caller.send.clone().ready().await.unwrap();
    let request = Request::get("http://evil.example/healthz")
        .body(())
        .unwrap();
    let (response, _) = send.send_request(request, true).unwrap();
    assert_eq!(response.await.unwrap().status(), 421);
}

#[tokio::test]
async fn draining_lets_streams_finish_and_then_ends_them() {
    let settings = Settings {
        lame_duck: ms(0),
        drain_timeout: ms(200),
        ..Settings::default()
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    gate.fake
        .script("s", vec![Step::Head(vec![]), content("x"), Step::Hang]);
    gate.fake.script("silent", vec![Step::Hang]);
    let mut caller = Http2::connect(&gate, WINDOW).await;
    let (stream, unary) = (
        caller.ask("sim/s", true, None).await,
        caller.ask("sim/silent", false, None).await,
    );
    until("both run", || gate.fake.sent() == 2).await;
    gate.trigger.drain();
    assert_eq!(head(unary).await.status(), 503);
    assert!(text(head(stream).await).await.contains("shutting_down"));
    timeout(LONG, gate.running)
        .await
        .expect("the gateway ends")
        .unwrap();
}

#[tokio::test]
async fn a_head_is_bounded_in_lines_here_too() {
    let gate = Gate::open().await;
    let caller = Http2::connect(&gate, WINDOW).await;
    for (lines, status) in [(98, 400), (101, 431)] {
        let mut send = caller.send.clone().ready().await.unwrap();
        let mut request = Request::post("http://localhost/v1/chat/completions")
            .header("content-type", "application/json");
        for _ in 0..lines {
            request = request.header("x-line", "1");
        }
        let (response, _body) = send.send_request(request.body(()).unwrap(), true).unwrap();
        assert_eq!(response.await.unwrap().status(), status, "{lines}");
    }
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn what_is_passed_on_and_breaks_off_is_reset() {
    let gate = Gate::open().await;
    gate.fake.script(
        "/broken",
        vec![
            Step::Head(vec![]),
            content("half"),
            Step::Wait(ms(50)),
            Step::Fail(failure(punctual_core::Code::Truncated, 200)),
        ],
    );
    let caller = Http2::connect(&gate, WINDOW).await;
    let mut send = caller.send.clone().ready().await.unwrap();
    let request = Request::get("http://localhost/passthrough/primary/broken");
    let (response, _) = send.send_request(request.body(()).unwrap(), true).unwrap();
    let mut body = timeout(LONG, response).await.unwrap().unwrap().into_body();
    let half = timeout(LONG, body.data()).await.unwrap().unwrap().unwrap();
    assert_eq!(half, "data: {\"c\":\"half\"}\n\n");
    let broken = timeout(LONG, body.data()).await.unwrap().unwrap();
    assert!(broken.unwrap_err().is_reset(), "RST_STREAM, not an end");
    assert_eq!(gate.report().await.outcome, Some(Outcome::Truncated));
    gate.idle().await;
}
