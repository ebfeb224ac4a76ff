//! The closing of a client is seen within 50 ms in every state in which the simulator can be silent.
//!
//! A table of cells: state × way of leaving × protocol × TLS. It prints how often each cell ran and the
//! slowest sighting, and fails if a cell ran less than twenty times.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, and prints its table"
)]

mod talk;

use std::time::Duration;

use punctual_sim::{Close, Ended, Listen, Script, Sim};
use talk::{CHAT, Http2, Line, body, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;

const BOUND: Duration = Duration::from_millis(50);
const ROUNDS: usize = 20;
const PATIENCE: Duration = Duration::from_secs(5);

/// Model and what the client waits to hear before it leaves.
const STATES: [(&str, &str, &str); 8] = [
    ("headers", "sim:silent-headers", ""),
    ("delay", "sim:delay=60s", ""),
    ("content", "sim:headers-then-silent", "200"),
    ("preamble", "sim:preamble-then-silent", "assistant"),
    ("third token", "sim:stall-after=3", "tok2"),
    ("between tokens", "sim:tokens=9,gap=60s", "tok0"),
    ("keep-alives", "sim:keepalive=5ms", ": keep-alive"),
    ("trickle", "sim:trickle=5ms", "tok1"),
];

async fn start(tls: bool) -> Sim {
    let listen = if tls {
        Listen::loopback().tls()
    } else {
        Listen::loopback()
    };
    Sim::start(listen).await.unwrap()
}

/// Reads until the text came.
async fn hear(line: &mut Line, text: &str) {
    let mut heard = String::new();
    while !heard.contains(text) {
        let mut piece = [0; 4096];
        let n = line.io.read(&mut piece).await.unwrap();
        assert!(n > 0, "closed before {text}");
        heard.push_str(&String::from_utf8_lossy(&piece[..n]));
    }
}

/// Leaves, and returns the instant just before; a socket that sent its FIN is kept.
fn leave(line: Line, rst: bool) -> (Instant, Option<Line>) {
    let now = Instant::now();
    if rst {
        line.arm();
        drop(line);
        return (now, None);
    }
    line.fin();
    (now, Some(line))
}

/// The request's close, as seen.
async fn sighting(sim: &Sim) -> (Instant, Close) {
    let seen = sim
        .wait(PATIENCE, |seen| seen.iter().any(|s| s.closed.is_some()))
        .await
        .unwrap();
    let seen = seen.iter().find(|s| s.closed.is_some()).unwrap();
    assert_eq!(seen.finished, None);
    seen.closed.unwrap()
}

fn report(cell: &str, sightings: &[Duration]) {
    let worst = sightings.iter().max().copied().unwrap_or_default();
    println!("{cell}: {} runs, slowest {worst:?}", sightings.len());
    assert!(
        sightings.len() >= ROUNDS,
        "{cell} ran {} times",
        sightings.len()
    );
    assert!(worst <= BOUND, "{cell}: {worst:?}");
}

async fn http1(tls: bool) {
    let sim = start(tls).await;
    for (state, model, cue) in STATES {
        for rst in [false, true] {
            let mut sightings = Vec::new();
            for _ in 0..ROUNDS {
                sim.reset();
                let mut line = Line::open(&sim, false).await;
                line.send(&post(CHAT, &body(model, true))).await;
                hear(&mut line, cue).await;
                sim.wait(PATIENCE, |seen| seen.iter().any(|s| s.received.is_some()))
                    .await
                    .unwrap();
                let (left, _line) = leave(line, rst);
                let (at, how) = sighting(&sim).await;
                assert_eq!(
                    how,
                    if rst { Close::Rst } else { Close::Fin },
                    "{state}, tls {tls}"
                );
                sightings.push(at.saturating_duration_since(left));
            }
            report(
                &format!(
                    "http/1.1, tls {tls}, {state}, {}",
                    if rst { "RST" } else { "FIN" }
                ),
                &sightings,
            );
        }
    }
}

#[tokio::test]
async fn a_plain_http1_client_that_leaves_is_seen() {
    http1(false).await;
}

#[tokio::test]
async fn a_tls_http1_client_that_leaves_is_seen() {
    http1(true).await;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Leave {
    Fin,
    Rst,
    StreamReset,
}

async fn http2(tls: bool) {
    let sim = start(tls).await;
    for (state, model, cue) in STATES {
        for way in [Leave::Fin, Leave::Rst, Leave::StreamReset] {
            let mut sightings = Vec::new();
            for _ in 0..ROUNDS {
                sim.reset();
                let mut client = Http2::open(&sim).await;
                let answer = client.post(CHAT, &body(model, true)).await;
                sim.wait(PATIENCE, |seen| seen.iter().any(|s| s.received.is_some()))
                    .await
                    .unwrap();
                let stream = reach(answer, cue).await;
                let (left, _held) = http2_leave(client, stream, way).await;
                let (at, how) = sighting(&sim).await;
                let wanted = match way {
                    Leave::Fin => Close::Fin,
                    Leave::Rst => Close::Rst,
                    Leave::StreamReset => Close::StreamReset,
                };
                assert_eq!(how, wanted, "{state}, tls {tls}");
                sightings.push(at.saturating_duration_since(left));
            }
            report(&format!("h2, tls {tls}, {state}, {way:?}"), &sightings);
        }
    }
}

/// What keeps an exchange open that has come as far as its cue.
type Reached = Box<dyn std::any::Any>;

async fn reach(answer: h2::client::ResponseFuture, cue: &str) -> Reached {
    if cue.is_empty() {
        return Box::new(answer);
    }
    let mut stream = answer.await.unwrap().into_body();
    let mut heard = String::new();
    while !heard.contains(cue) && cue != "200" {
        let piece = stream.data().await.unwrap().unwrap();
        heard.push_str(&String::from_utf8_lossy(&piece));
    }
    Box::new(stream)
}

/// As [`leave`]; what is returned keeps the connection.
async fn http2_leave(
    mut client: Http2,
    stream: Reached,
    way: Leave,
) -> (Instant, Option<(Http2, Option<Reached>)>) {
    let socket = socket2::SockRef::from(&client.reset);
    let now = Instant::now();
    match way {
        Leave::StreamReset => {
            drop(stream);
            (now, Some((client, None)))
        }
        Leave::Fin => {
            socket.shutdown(std::net::Shutdown::Write).unwrap();
            (now, Some((client, Some(stream))))
        }
        Leave::Rst => {
            socket.set_linger(Some(Duration::ZERO)).unwrap();
            drop(client.reset);
            // the driver owns the socket: with its task the connection is gone, before the stream is dropped
            client.driver.shutdown().await;
            drop(stream);
            (now, None)
        }
    }
}

#[tokio::test]
async fn a_plain_http2_client_that_leaves_is_seen() {
    http2(false).await;
}

#[tokio::test]
async fn a_tls_http2_client_that_leaves_is_seen() {
    http2(true).await;
}

/// States in which no request exists yet: only the connection's record can tell.
#[tokio::test]
async fn a_client_that_leaves_before_any_request_is_seen() {
    let cells = [
        ("silent accept, nothing sent", "silent-accept", false, ""),
        (
            "silent accept, request sent",
            "silent-accept",
            false,
            "POST / HTTP/1.1\r\nhost: a\r\n\r\n",
        ),
        (
            "silent TLS, hello sent",
            "silent-tls",
            true,
            "\x16\x03\x01\x02\x00 a hello",
        ),
        (
            "TLS, hello unfinished",
            "",
            true,
            "\x16\x03\x01\x02\x00 half a hello",
        ),
        ("idle, nothing sent", "", false, ""),
        (
            "half a head",
            "",
            false,
            "POST /v1/chat/completions HTTP/1.1\r\nhost",
        ),
    ];
    for (cell, script, tls, bytes) in cells {
        let sim = start(tls).await;
        sim.set_accept(script.parse().unwrap());
        for rst in [false, true] {
            let mut sightings = Vec::new();
            for _ in 0..ROUNDS {
                sim.reset();
                let mut tcp = tokio::net::TcpStream::connect(sim.addr()).await.unwrap();
                tcp.write_all(bytes.as_bytes()).await.unwrap();
                sim.wait_connections(PATIENCE, |conns| !conns.is_empty())
                    .await
                    .unwrap();
                if script != "silent-accept" {
                    let read =
                        |conns: &[punctual_sim::Conn]| conns[0].bytes_read == bytes.len() as u64;
                    sim.wait_connections(PATIENCE, read).await.unwrap();
                }
                if rst {
                    socket2::SockRef::from(&tcp)
                        .set_linger(Some(Duration::ZERO))
                        .unwrap();
                }
                let left = Instant::now();
                drop(tcp);
                let conns = sim
                    .wait_connections(PATIENCE, |c| c[0].closed.is_some())
                    .await
                    .unwrap();
                let (at, how) = conns[0].closed.unwrap();
                assert_eq!(
                    how,
                    Ended::Client(if rst { Close::Rst } else { Close::Fin }),
                    "{cell}"
                );
                assert_eq!(conns[0].requests, 0);
                sightings.push(at.saturating_duration_since(left));
            }
            report(
                &format!("{cell}, {}", if rst { "RST" } else { "FIN" }),
                &sightings,
            );
        }
    }
}

/// A FIN behind unread bytes: a pipelined request, or a stray line end.
#[tokio::test]
async fn a_close_behind_early_bytes_is_seen() {
    let sim = start(false).await;
    let pipelined = post(CHAT, &body("sim:silent-headers", true));
    let flood = "x".repeat(200 << 10);
    for early in ["\r\n", pipelined.as_str(), flood.as_str()] {
        sim.reset();
        let mut line = Line::open(&sim, false).await;
        line.send(&post(CHAT, &body("sim:silent-headers", true)))
            .await;
        line.send(early).await;
        let (left, _line) = leave(line, false);
        let (at, _) = sighting(&sim).await;
        assert!(
            at.saturating_duration_since(left) <= BOUND,
            "behind {} bytes",
            early.len()
        );
    }
}

/// Waits until pieces have been written and none has for a while.
async fn still(sim: &Sim) {
    let mut written = 0;
    let still = async {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            match sim.report().first().map_or(0, |seen| seen.chunks) {
                now if now > 4 && now == written => break,
                now => written = now,
            }
        }
    };
    let in_time = tokio::time::timeout(4 * PATIENCE, still).await;
    assert!(in_time.is_ok(), "writing goes on");
}

/// A client that has stopped reading, with the answer stuck in the socket.
#[tokio::test]
async fn a_close_is_seen_while_writing_is_blocked() {
    let sim = start(false).await;
    sim.set("big", "burst=16MiB".parse::<Script>().unwrap());
    for rst in [false, true] {
        sim.reset();
        let mut line = Line::open(&sim, false).await;
        line.narrow();
        line.send(&post(CHAT, &body("big", true))).await;
        still(&sim).await;
        assert_eq!(sim.report()[0].finished, None);
        let (left, _line) = leave(line, rst);
        let (at, _) = sighting(&sim).await;
        assert!(at.saturating_duration_since(left) <= BOUND);
    }
}

/// A client that leaves in the middle of its upload.
#[tokio::test]
async fn a_close_within_the_body_is_seen_and_the_body_kept_as_far_as_it_came() {
    let sim = start(false).await;
    let mut line = Line::open(&sim, false).await;
    line.send(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{\"model\":",
    )
    .await;
    sim.wait(PATIENCE, |seen| seen.len() == 1).await.unwrap();
    let (left, _line) = leave(line, false);
    let (at, how) = sighting(&sim).await;
    assert!(how == Close::Fin && at.saturating_duration_since(left) <= BOUND);
    let seen = &sim.report()[0];
    assert_eq!((&seen.body[..], seen.received), (&b"{\"model\":"[..], None));
}
