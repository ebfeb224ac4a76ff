//! How scripts are chosen, what is recorded, and how the simulator is steered and ended.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first surprise, and prints its table"
)]

mod talk;

use std::time::Duration;

use punctual_sim::{Close, Cuts, Ended, Listen, Protocol, Script, Sim};
use talk::{CHAT, End, Http2, Line, ask, body, listen, post};
use tokio::time::Instant;

const PATIENCE: Duration = Duration::from_millis(250);
const LONG: Duration = Duration::from_secs(5);

async fn plain() -> Sim {
    Sim::start(Listen::loopback()).await.unwrap()
}

fn script(line: &str) -> Script {
    line.parse().unwrap()
}

#[tokio::test]
async fn the_path_wins_over_the_model_that_was_set_and_that_over_the_models_name() {
    let sim = plain().await;
    let status = async |path: &str, model: &str| {
        ask(&sim, path, &body(model, false), PATIENCE)
            .await
            .status()
    };
    assert_eq!(status(CHAT, "sim:status=503").await, 503);
    assert_eq!(
        status(CHAT, "provider/sim:status:503/retry-after:1").await,
        503
    );
    assert_eq!(status(CHAT, "status=503").await, 503);
    assert_eq!(status(CHAT, "gpt-4o-mini").await, 200);
    sim.set("sim:status=503", script("status=429"));
    assert_eq!(status(CHAT, "sim:status=503").await, 429);
    assert_eq!(
        status("/sim:status=418/v1/chat/completions", "sim:status=503").await,
        418
    );
    assert_eq!(
        status("/sim:status%3D418/v1/chat/completions", "m").await,
        418
    );
    assert_eq!(status(CHAT, "sim:statuss=503").await, 400);
    assert_eq!(status(CHAT, "sim:rst=accept").await, 400);
    assert_eq!(status(CHAT, "sim:unread").await, 400);
}

#[tokio::test]
async fn a_script_that_is_none_is_a_400_that_says_why() {
    let sim = plain().await;
    let heard = ask(&sim, CHAT, &body("sim:gap=50", false), PATIENCE).await;
    assert!(
        heard.text().contains("write a duration with its unit"),
        "{}",
        heard.text()
    );
    let heard = ask(&sim, CHAT, "{\"model\": oops}", PATIENCE).await;
    assert!(
        heard.status() == 400 && heard.text().contains("line 1, column"),
        "{}",
        heard.text()
    );
    let heard = ask(&sim, CHAT, &body("sim:raw=/etc/hostname", false), PATIENCE).await;
    assert!(heard.status() == 400 && heard.text().contains("may not be read for a client"));
}

#[tokio::test]
async fn every_surface_answers_in_its_form() {
    let sim = plain().await;
    let json = async |path: &str, body: &str| -> serde_json::Value {
        serde_json::from_slice(&ask(&sim, path, body, PATIENCE).await.bytes()).unwrap()
    };
    assert_eq!(
        json("/v1/completions", &body("m", false)).await["choices"][0]["text"],
        "tok0 tok1 "
    );
    let embeddings = json("/v1/embeddings", r#"{"model":"m","input":["a","b","c"]}"#).await;
    assert_eq!(
        (
            embeddings["data"].as_array().unwrap().len(),
            &embeddings["model"]
        ),
        (3, &"m".into())
    );
    assert_eq!(
        json("/v1/embeddings", r#"{"model":"m","input":"a"}"#).await["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    sim.set("mine", script("tokens=1"));
    let models = json("/v1/models", "").await;
    assert_eq!(models["data"][0]["id"], "mine");
    assert_eq!(json("/v1/models/some", "").await["id"], "some");
    let stream = ask(&sim, "/v1/completions", &body("m", true), PATIENCE).await;
    assert_eq!(
        (stream.count("\"text\":\"tok"), stream.data().len()),
        (2, 4)
    );
    assert_eq!(
        ask(&sim, "/v1/unheard-of", &body("m", false), PATIENCE)
            .await
            .status(),
        404
    );
    let foreign = ask(
        &sim,
        "/v1/messages",
        &body("sim:status=529", false),
        PATIENCE,
    )
    .await;
    assert_eq!(foreign.status(), 529, "faults work on any path");
}

#[tokio::test]
async fn usage_comes_when_it_was_asked_for() {
    let sim = plain().await;
    let asked = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#;
    let heard = ask(&sim, CHAT, asked, PATIENCE).await;
    assert_eq!(
        (
            heard.count("\"usage\":null"),
            heard.count("\"usage\":{\"prompt_tokens\":7")
        ),
        (4, 1)
    );
    assert_eq!(talk::stream(&sim, "m").await.count("usage"), 0);
}

#[tokio::test]
async fn only_the_first_requests_fail() {
    let sim = plain().await;
    sim.set("flaky", script("fail=2,status=503"));
    for (n, status) in [(1, 503), (2, 503), (3, 200), (4, 200)] {
        assert_eq!(
            talk::unary(&sim, "flaky").await.status(),
            status,
            "request {n}"
        );
    }
    assert_eq!(
        talk::unary(&sim, "sim:fail=1,status=500").await.status(),
        500
    );
    assert_eq!(
        talk::unary(&sim, "sim:fail=1,status=500").await.status(),
        200
    );
    sim.reset();
    assert_eq!(
        talk::unary(&sim, "flaky").await.status(),
        503,
        "a reset counts anew"
    );
}

#[tokio::test]
async fn raw_bytes_are_served_as_they_are_whatever_the_cuts() {
    let sim = plain().await;
    let bytes = b"event: a\ndata: {\"x\":1}\n\n: c\r\n\r\ndata: \xf0\x9f\x90\xa2\n\n".to_vec();
    let mut all = vec![
        Cuts::Whole,
        Cuts::EveryByte,
        Cuts::Lines,
        Cuts::Events,
        Cuts::At(vec![3, 9]),
    ];
    all.extend([Cuts::Random(0), Cuts::Random(1)]);
    for cuts in all {
        sim.set(
            "raw",
            Script::raw(
                200,
                "text/event-stream",
                &[("x-kept", "yes")],
                bytes.clone(),
                cuts.clone(),
            ),
        );
        let heard = talk::stream(&sim, "raw").await;
        assert_eq!(
            (heard.bytes(), heard.header("x-kept")),
            (bytes.clone(), Some("yes")),
            "{cuts:?}"
        );
        assert_eq!(heard.header("content-type"), Some("text/event-stream"));
        let mut client = Http2::open(&sim).await;
        let heard = Http2::listen(
            client.post("/v1/messages", &body("raw", true)).await,
            PATIENCE,
        )
        .await;
        assert_eq!(heard.bytes(), bytes, "{cuts:?}");
    }
}

#[tokio::test]
async fn recorded_streams_are_replayed_byte_by_byte() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/captures");
    let Ok(files) = std::fs::read_dir(folder) else {
        println!("no recordings beside the repository: nothing replayed");
        return;
    };
    let sim = plain().await;
    let mut replayed = 0;
    for (seed, file) in files.map(|f| f.unwrap().path()).enumerate() {
        let ending = file
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        if !matches!(ending, "sse" | "ndjson" | "eventstream" | "json") {
            continue;
        }
        let body = std::fs::read(&file).unwrap();
        let cuts = Cuts::Random(seed as u64);
        sim.set(
            "raw",
            Script::raw(200, "text/event-stream", &[], body.clone(), cuts),
        );
        assert!(
            talk::stream(&sim, "raw").await.bytes() == body,
            "{}",
            file.display()
        );
        replayed += 1;
    }
    assert!(replayed > 30, "{replayed}");
}

#[tokio::test]
async fn a_piece_of_raw_bytes_counts_as_a_token() {
    let sim = plain().await;
    let raw = || {
        Script::raw(
            200,
            "application/x-ndjson",
            &[],
            "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n",
            Cuts::Lines,
        )
    };
    sim.set("gap", raw().with("gap=40ms").unwrap());
    let heard = talk::stream(&sim, "gap").await;
    assert!(
        heard.when("3", 0).unwrap() >= Duration::from_millis(79),
        "{heard:?}"
    );
    sim.set("rst", raw().with("rst-after=2").unwrap());
    let heard = talk::stream(&sim, "rst").await;
    assert_eq!((&heard.end, heard.count("{")), (&End::Rst, 2));
    sim.set("stall", raw().with("stall-after=9").unwrap());
    let heard = talk::stream(&sim, "stall").await;
    assert_eq!(
        (&heard.end, heard.count("{")),
        (&End::Silent, 3),
        "nothing is made up"
    );
    sim.set("for ever", raw().with("trickle=20ms").unwrap());
    let heard = talk::stream(&sim, "for ever").await;
    assert!(heard.end == End::Silent && heard.count("{\"a\":3}\n") > 5);
    let file = std::env::temp_dir().join(format!("punctual-sim-{}.sse", std::process::id()));
    std::fs::write(&file, "data: 1\n\ndata: 2\n\n").unwrap();
    sim.set(
        "file",
        script(&format!(
            "raw={},cuts=events,gap=30ms,status=201",
            file.display()
        )),
    );
    let heard = talk::stream(&sim, "file").await;
    std::fs::remove_file(file).unwrap();
    assert_eq!(
        (heard.status(), heard.header("content-type")),
        (201, Some("text/event-stream"))
    );
    assert!(
        heard.when("data: 2", 0).unwrap() >= Duration::from_millis(29),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_connection_is_kept_and_then_dies_as_ordered() {
    let sim = plain().await;
    for (idle, end) in [
        ("fin", End::Fin),
        ("rst", End::Rst),
        ("stale-fin", End::Fin),
        ("stale-rst", End::Rst),
    ] {
        sim.set("dying", script(&format!("idle={idle}")));
        let mut line = Line::open(&sim, false).await;
        for model in ["kept", "kept", "dying"] {
            line.send(&post(CHAT, &body(model, true))).await;
            assert_eq!(listen(&mut line, PATIENCE).await.end, End::Complete);
        }
        if idle.starts_with("stale") {
            line.send(&post(CHAT, &body("kept", true))).await;
        }
        let heard = listen(&mut line, PATIENCE).await;
        assert_eq!((&heard.end, heard.head.len()), (&end, 0), "{idle}");
    }
    assert_eq!(sim.report().len(), 12, "the swallowed requests are none");
    let conns = sim
        .wait_connections(LONG, |c| c.iter().all(|c| c.closed.is_some()))
        .await
        .unwrap();
    assert!(
        conns
            .iter()
            .all(|c| c.requests == 3 && c.closed.unwrap().1 == Ended::Sim)
    );
}

#[tokio::test]
async fn a_connection_ends_after_goaway_and_connection_close() {
    let sim = plain().await;
    for (model, asked) in [
        ("sim:goaway-after=2", 2),
        ("sim:close", 1),
        ("sim:until-close", 1),
    ] {
        let mut line = Line::open(&sim, false).await;
        for n in 1..=asked {
            line.send(&post(CHAT, &body(model, false))).await;
            assert_eq!(
                listen(&mut line, PATIENCE).await.status(),
                200,
                "{model}, request {n}"
            );
        }
        assert_eq!(listen(&mut line, PATIENCE).await.end, End::Fin, "{model}");
    }
}

#[tokio::test]
async fn a_body_may_stay_unread() {
    let sim = plain().await;
    let mut line = Line::open(&sim, false).await;
    line.send("POST /sim:unread,status=413/v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 9000000\r\n\r\n{")
        .await;
    assert_eq!(listen(&mut line, PATIENCE).await.status(), 413);
    let seen = &sim.report()[0];
    assert_eq!(
        (seen.received, seen.body.len(), seen.finished.is_some()),
        (None, 0, true)
    );
}

#[tokio::test]
async fn accepted_connections_can_be_cut_for_a_while() {
    let sim = plain().await;
    sim.set_accept(script("rst=accept,fail=1"));
    assert_eq!(talk::unary(&sim, "m").await.end, End::Rst);
    assert_eq!(talk::unary(&sim, "m").await.end, End::Complete);
    sim.set_accept(script("silent-accept"));
    assert_eq!(talk::unary(&sim, "m").await.end, End::Silent);
    sim.set_accept(Script::plain());
    assert_eq!(talk::unary(&sim, "m").await.end, End::Complete);
    let conns = sim.connections();
    assert_eq!(conns[0].closed.map(|(_, how)| how), Some(Ended::Sim));
    assert_eq!((conns[2].bytes_read, conns[2].requests), (0, 0));
}

#[tokio::test]
async fn a_silent_tls_listener_never_answers_the_hello() {
    let sim = Sim::start(Listen::loopback().tls().accept(script("silent-tls")))
        .await
        .unwrap();
    let hello = tokio::time::timeout(PATIENCE, Line::open(&sim, false)).await;
    assert!(hello.is_err(), "the handshake ended");
    let gone = |c: &[punctual_sim::Conn]| c[0].closed.is_some();
    let conns = sim.wait_connections(LONG, gone).await.unwrap();
    assert_eq!(conns[0].closed.unwrap().1, Ended::Client(Close::Fin));
    assert!(conns[0].bytes_read > 100 && conns[0].protocol.is_none());
}

#[tokio::test]
async fn both_protocols_are_spoken_over_tls_by_alpn() {
    let sim = Sim::start(Listen::loopback().tls()).await.unwrap();
    assert!(
        sim.url().starts_with("https://localhost:") && sim.ca_pem().contains("BEGIN CERTIFICATE")
    );
    assert_eq!(talk::stream(&sim, "m").await.end, End::Complete);
    let mut client = Http2::open(&sim).await;
    assert_eq!(
        Http2::listen(client.post(CHAT, &body("m", true)).await, PATIENCE)
            .await
            .end,
        End::Complete
    );
    let spoken: Vec<_> = sim.report().iter().map(|s| s.protocol).collect();
    assert_eq!(spoken, [Protocol::Http1, Protocol::Http2]);
    assert!(sim.connections().iter().all(|c| c.tls && c.requests == 1));
}

#[tokio::test]
async fn a_record_tells_what_was_asked_and_when_it_was_answered() {
    let sim = plain().await;
    let before = Instant::now();
    let sent = body("sim:delay=30ms,first=30ms,tokens=3,gap=30ms", true);
    let request = format!(
        "POST {CHAT} HTTP/1.1\r\nHost: a\r\nX-Twice: 1\r\nX-Twice: 2\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let mut line = Line::open(&sim, false).await;
    line.send(&request).await;
    let mut interim = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut line.io, &mut interim)
        .await
        .unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    let (a, b) = sent.split_at(20);
    line.send(&format!(
        "{:x}\r\n{a}\r\n{:x};ext=1\r\n{b}\r\n0\r\ntrailer: 1\r\n\r\n",
        a.len(),
        b.len()
    ))
    .await;
    assert_eq!(listen(&mut line, PATIENCE).await.end, End::Complete);
    let seen = sim
        .wait(LONG, |s| s.iter().any(|s| s.finished.is_some()))
        .await
        .unwrap()
        .remove(0);
    assert_eq!(
        (seen.seq, seen.conn, seen.protocol, seen.method.as_str()),
        (0, 0, Protocol::Http1, "POST")
    );
    assert_eq!(
        (seen.path.as_str(), seen.stream, &seen.body[..]),
        (CHAT, true, sent.as_bytes())
    );
    assert_eq!(
        (seen.header("host"), seen.header("x-twice")),
        (Some("a"), Some("1"))
    );
    assert_eq!(
        seen.headers.iter().filter(|(n, _)| n == "x-twice").count(),
        2
    );
    let ms = |at: Option<Instant>| at.unwrap().duration_since(seen.arrived).as_millis();
    assert!(seen.arrived > before && ms(seen.received) < 50);
    assert!((30..80).contains(&ms(seen.headers_sent)), "{seen:?}");
    assert!((60..110).contains(&ms(seen.first_content)), "{seen:?}");
    assert!((120..170).contains(&ms(seen.finished)), "{seen:?}");
    assert_eq!((seen.chunks, seen.closed), (6, None));
}

#[tokio::test]
async fn a_cut_answer_is_neither_finished_nor_closed_by_the_client() {
    let sim = plain().await;
    for model in [
        "sim:rst-after=1",
        "sim:fin-after=1",
        "sim:rst",
        "sim:truncated",
    ] {
        sim.reset();
        talk::stream(&sim, model).await;
        let conns = sim
            .wait_connections(LONG, |c| c[0].closed.is_some())
            .await
            .unwrap();
        assert_eq!(conns[0].closed.unwrap().1, Ended::Sim);
        let seen = &sim.report()[0];
        assert_eq!((seen.finished, seen.closed), (None, None), "{model}");
    }
}

#[tokio::test]
async fn waiting_ends_with_all_that_was_seen() {
    let sim = plain().await;
    talk::unary(&sim, "m").await;
    let late = sim
        .wait(Duration::from_millis(20), |seen| seen.len() > 1)
        .await
        .unwrap_err();
    assert_eq!((late.seen.len(), late.connections.len()), (1, 1));
    assert!(late.to_string().contains("not seen within 20ms"));
    assert!(
        sim.wait(Duration::ZERO, |seen| seen.len() == 1)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn the_simulator_is_steered_over_http() {
    let sim = plain().await;
    let admin = async |method: &str, path: &str, body: &str| -> serde_json::Value {
        let mut line = Line::open(&sim, false).await;
        line.send(&post(path, body).replacen("POST", method, 1))
            .await;
        serde_json::from_slice(&listen(&mut line, PATIENCE).await.bytes()).unwrap()
    };
    assert_eq!(
        admin(
            "POST",
            "/_sim/script",
            r#"{"model":"m","script":"status=503"}"#
        )
        .await["ok"],
        true
    );
    assert_eq!(talk::unary(&sim, "m").await.status(), 503);
    let error = admin(
        "POST",
        "/_sim/script",
        r#"{"model":"m","script":"raw=/etc/passwd"}"#,
    )
    .await;
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("may not be read for a client")
    );
    assert_eq!(
        admin("POST", "/_sim/script", r#"{"model":"m","script":null}"#).await["ok"],
        true
    );
    assert_eq!(talk::unary(&sim, "m").await.status(), 200);
    talk::unary(&sim, "other").await;
    let report = admin("GET", "/_sim/report", "").await;
    assert_eq!(
        report["requests"].as_array().unwrap().len(),
        3,
        "its own requests are not in it"
    );
    let first = &report["requests"][0];
    assert_eq!(
        (&first["model"], &first["closed"], &first["protocol"]),
        (&"m".into(), &().into(), &"http/1.1".into())
    );
    assert!(
        first["finished_us"].as_u64() >= first["headers_sent_us"].as_u64()
            && first["arrived_us"].is_u64()
    );
    assert_eq!(
        admin("GET", "/_sim/report?model=other", "").await["requests"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        admin("GET", "/_sim/words", "").await["words"]
            .as_array()
            .unwrap()
            .len()
            > 50
    );
    assert!(admin("GET", "/_sim/nothing", "").await["error"]["message"].is_string());
    assert_eq!(admin("POST", "/_sim/reset", "").await["ok"], true);
    assert_eq!(sim.report().len(), 0);
    assert_eq!(sim.report_json()["requests"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn the_report_says_how_many_older_ones_it_does_not_hold() {
    let sim = plain().await;
    let gone = || sim.report_json()["gone"].clone();
    let asked = 10_005;
    let many = async |requests: usize| {
        let mut line = Line::open(&sim, false).await;
        for _ in 0..requests {
            line.send("GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n")
                .await;
            assert_eq!(listen(&mut line, PATIENCE).await.status(), 200);
        }
    };
    many(5).await;
    assert_eq!(gone(), serde_json::json!({"requests": 0, "connections": 0}));
    many(asked - 5).await;
    assert_eq!(gone(), serde_json::json!({"requests": 5, "connections": 0}));
    assert_eq!(sim.report().len(), 10_000);
    sim.reset();
    assert_eq!(gone(), serde_json::json!({"requests": 0, "connections": 0}));
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let sim = plain().await;
    for junk in [
        "\x16\x03\x01 hello\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
    ] {
        let mut line = Line::open(&sim, false).await;
        line.send(junk).await;
        assert_eq!(listen(&mut line, PATIENCE).await.status(), 400);
    }
    let sim = Sim::start(Listen::loopback().http1_only()).await.unwrap();
    let mut line = Line::open(&sim, false).await;
    line.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert_eq!(listen(&mut line, PATIENCE).await.status(), 400);
}

#[tokio::test]
async fn nothing_outlives_the_simulator() {
    for dropped in [false, true] {
        let sim = plain().await;
        let addr = sim.addr();
        let mut line = Line::open(&sim, false).await;
        line.send(&post(CHAT, &body("sim:silent-headers", true)))
            .await;
        let mut client = Http2::open(&sim).await;
        let answer = client.post(CHAT, &body("sim:keepalive", true)).await;
        sim.wait(LONG, |seen| seen.len() == 2).await.unwrap();
        if dropped {
            drop(sim);
        } else {
            tokio::time::timeout(LONG, sim.shutdown()).await.unwrap();
        }
        assert!(matches!(
            listen(&mut line, LONG).await.end,
            End::Fin | End::Rst
        ));
        assert!(!matches!(
            Http2::listen(answer, LONG).await.end,
            End::Silent | End::Complete
        ));
        assert!(
            tokio::net::TcpStream::connect(addr).await.is_err(),
            "the port is free again"
        );
    }
}

#[tokio::test]
async fn a_blackhole_answers_no_connect() {
    let hole = punctual_sim::Blackhole::open().await.unwrap();
    for _ in 0..3 {
        let connect = tokio::net::TcpStream::connect(hole.addr());
        assert!(
            tokio::time::timeout(PATIENCE, connect).await.is_err(),
            "{} answered",
            hole.url()
        );
    }
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let sim = plain().await;
    let Err(error) = Sim::start(Listen::at(sim.addr())).await else {
        panic!("two listeners on one port")
    };
    assert!(
        error.to_string().contains(&sim.addr().to_string()),
        "{error}"
    );
}
