//! What a client sees of each word, on a real socket.
//!
//! One table, one row or more a word; the last test fails if a word of the language has none.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, and prints its table"
)]

mod talk;

use std::io::Read;
use std::time::Duration;

use punctual_sim::{Listen, Script, Sim, words};
use talk::{CHAT, End, Heard, Http2, body};

type Check = fn(&Heard);

/// A script, whether a stream is asked for, and what must have been heard.
struct Row(&'static str, bool, Check);

const STREAM: bool = true;
const UNARY: bool = false;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// `at` lies in the 50 ms behind `due` (and 1 ms before it, for rounding).
fn on_time(heard: &Heard, text: &str, nth: usize, due: u64) {
    let at = heard
        .when(text, nth)
        .unwrap_or_else(|| panic!("no {text} in {heard:?}"));
    assert!(
        at + ms(1) >= ms(due) && at <= ms(due + 50),
        "{text} at {at:?}, due {due} ms"
    );
}

fn silent(heard: &Heard, status: u16, tokens: usize) {
    assert_eq!(
        (heard.end.clone(), heard.status(), heard.count("\"tok")),
        (End::Silent, status, tokens)
    );
}

fn last(heard: &Heard) -> String {
    heard.data().last().cloned().unwrap_or_default()
}

const CONTENTS: &[Row] = &[
    Row("", STREAM, |h| {
        assert_eq!(
            (h.status(), h.header("content-type")),
            (200, Some("text/event-stream; charset=utf-8"))
        );
        let data = h.data();
        assert_eq!(data.len(), 5, "role, two tokens, finish, done: {data:?}");
        assert!(data[0].contains(r#"{"role":"assistant","content":""}"#));
        assert!(
            data[1].contains(r#"{"content":"tok0 "}"#)
                && data[2].contains(r#"{"content":"tok1 "}"#)
        );
        assert!(data[3].contains(r#""delta":{},"logprobs":null,"finish_reason":"stop""#));
        assert_eq!((last(h).as_str(), &h.end), ("[DONE]", &End::Complete));
        assert!(h.took < ms(100), "{:?}", h.took);
    }),
    Row("", UNARY, |h| {
        let json: serde_json::Value = serde_json::from_slice(&h.bytes()).unwrap();
        assert_eq!(json["choices"][0]["message"]["content"], "tok0 tok1 ");
        assert_eq!(json["usage"]["completion_tokens"], 2);
        assert_eq!(
            (h.header("x-sim-seq").is_some(), &h.end),
            (true, &End::Complete)
        );
    }),
    Row("tokens=5", STREAM, |h| {
        assert_eq!((h.count("\"tok"), &h.end), (5, &End::Complete))
    }),
    Row("tokens=5", UNARY, |h| {
        assert!(h.text().contains("tok0 tok1 tok2 tok3 tok4 "))
    }),
    Row("tokens=0", STREAM, |h| {
        assert_eq!((h.count("\"tok"), h.data().len()), (0, 3))
    }),
    Row("reasoning", STREAM, |h| {
        assert_eq!((h.count("reasoning_content"), h.count("\"tok")), (2, 2))
    }),
    Row("reasoning=1", UNARY, |h| {
        assert!(h.text().contains(r#""reasoning_content":"think0 ""#))
    }),
    Row("tool-call", STREAM, |h| {
        assert_eq!(
            (
                h.count("tool_calls\":[{\"index\""),
                h.count("\"finish_reason\":\"tool_calls\"")
            ),
            (3, 1)
        );
    }),
    Row("tool-call", UNARY, |h| {
        let json: serde_json::Value = serde_json::from_slice(&h.bytes()).unwrap();
        let call = &json["choices"][0]["message"]["tool_calls"][0]["function"];
        assert_eq!(call["arguments"], r#"{"city":"Paris"}"#);
    }),
    Row("tool-at=80ms,first=200ms", STREAM, |h| {
        on_time(h, "Paris", 0, 80);
        on_time(h, "tok0", 0, 200);
        assert!(h.when("lookup", 0).unwrap() < ms(50));
    }),
    Row("refusal", STREAM, |h| {
        assert_eq!(h.count("\"refusal\":\"I cannot"), 1)
    }),
    Row("refusal", UNARY, |h| {
        assert_eq!(h.count("\"refusal\":\"I cannot"), 1)
    }),
    Row("burst=100KiB", STREAM, |h| {
        let data = h.data();
        assert!(
            h.count("x") >= 100 << 10 && data.iter().all(|d| d.len() < 17 << 10),
            "{}",
            data.len()
        );
        assert_eq!(data.iter().filter(|d| d.len() > 3 << 10).count(), 7);
    }),
    Row("huge-event=2MiB", STREAM, |h| {
        assert_eq!(
            (
                h.data().iter().filter(|d| d.len() > 2 << 20).count(),
                last(h).as_str()
            ),
            (1, "[DONE]")
        );
    }),
    Row("finish=length", STREAM, |h| {
        assert_eq!(h.count(r#""finish_reason":"length""#), 1)
    }),
    Row("finish=length", UNARY, |h| {
        assert_eq!(h.count(r#""finish_reason":"length""#), 1)
    }),
    Row("no-finish", STREAM, |h| {
        assert_eq!(
            (h.count("\"finish_reason\":\"stop\""), last(h).as_str()),
            (0, "[DONE]")
        );
    }),
    Row("no-done", STREAM, |h| {
        assert_eq!((h.count("[DONE]"), &h.end), (0, &End::Complete))
    }),
    Row("double-done", STREAM, |h| assert_eq!(h.count("[DONE]"), 2)),
    Row("usage", STREAM, |h| {
        assert_eq!(
            h.count(
                r#""choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}"#
            ),
            1
        );
    }),
    Row("json-for-stream", STREAM, |h| {
        assert_eq!(h.header("content-type"), Some("application/json"));
        assert!(serde_json::from_slice::<serde_json::Value>(&h.bytes()).is_ok());
    }),
    Row("stream-for-json", UNARY, |h| assert_eq!(last(h), "[DONE]")),
];

const ERRORS: &[Row] = &[
    Row("error=rate_limit", STREAM, |h| {
        let data = h.data();
        assert_eq!((h.status(), data.len(), h.count("[DONE]")), (200, 1, 0));
        let json: serde_json::Value = serde_json::from_str(&data[0]).unwrap();
        assert_eq!(json["error"]["code"], "rate_limit_exceeded");
    }),
    Row("error=400", UNARY, |h| {
        let json: serde_json::Value = serde_json::from_slice(&h.bytes()).unwrap();
        assert_eq!(
            (h.status(), &json["error"]["code"]),
            (200, &serde_json::json!(400))
        );
    }),
    Row("error-first", STREAM, |h| {
        assert!(h.data()[0].contains(r#""type":"server_error""#))
    }),
    Row("error-after=3,error=overloaded", STREAM, |h| {
        assert_eq!(
            (
                h.count("\"tok"),
                h.count("overloaded_error"),
                h.count("[DONE]")
            ),
            (3, 1, 0)
        );
        assert_eq!(h.end, End::Complete);
    }),
    Row("error-form=event", STREAM, |h| {
        assert!(
            h.text()
                .starts_with("event: error\ndata: {\"type\":\"error\"")
        )
    }),
    Row("error-form=field", STREAM, |h| {
        assert!(h.text().starts_with("error: {"))
    }),
    Row("error-form=finish,error=server", STREAM, |h| {
        let json: serde_json::Value = serde_json::from_str(&h.data()[0]).unwrap();
        assert_eq!(
            (&json["choices"][0]["finish_reason"], &json["error"]["code"]),
            (&"error".into(), &"server_error".into())
        );
    }),
    Row("status=503", STREAM, |h| {
        assert_eq!(
            (h.status(), h.header("content-type")),
            (503, Some("application/json"))
        );
        assert!(h.text().contains("overloaded_error"));
    }),
    Row(
        "status=429,error=insufficient_quota,retry-after=30",
        UNARY,
        |h| {
            assert_eq!((h.status(), h.header("retry-after")), (429, Some("30")));
            assert!(h.text().contains(r#""code":"insufficient_quota""#));
        },
    ),
    Row("status=302,header=location:/elsewhere", UNARY, |h| {
        assert_eq!(
            (h.status(), h.header("location")),
            (302, Some("/elsewhere"))
        );
    }),
    Row("status=204", UNARY, |h| {
        assert_eq!(
            (h.status(), h.bytes().len(), &h.end),
            (204, 0, &End::Complete)
        )
    }),
    Row(
        "retry-after=\"Wed, 21 Oct 2026 07:28:00 GMT\"",
        UNARY,
        |h| {
            assert_eq!(
                h.header("retry-after"),
                Some("Wed, 21 Oct 2026 07:28:00 GMT")
            );
        },
    ),
    Row("retry-after-ms=120,status=429", UNARY, |h| {
        assert_eq!(h.header("retry-after-ms"), Some("120"))
    }),
    Row("header=x-a:1,header=x-b:2", UNARY, |h| {
        assert_eq!((h.header("x-a"), h.header("x-b")), (Some("1"), Some("2")))
    }),
    Row("content-type=text/plain", STREAM, |h| {
        assert_eq!(h.header("content-type"), Some("text/plain"))
    }),
    Row("sse-as-json", STREAM, |h| {
        assert_eq!(
            (h.header("content-type"), last(h).as_str()),
            (Some("application/json"), "[DONE]")
        );
    }),
    Row("status=502,html", STREAM, |h| {
        assert_eq!(
            (h.status(), h.header("content-type")),
            (502, Some("text/html"))
        );
        assert!(h.text().contains("<h1>502 Bad Gateway</h1>"));
    }),
    Row("body=\"{\\\"a\\\":1, 2}\"", UNARY, |h| {
        assert_eq!(h.text(), r#"{"a":1, 2}"#)
    }),
    Row("empty", STREAM, |h| {
        assert_eq!(
            (h.status(), h.bytes().len(), &h.end),
            (200, 0, &End::Complete)
        )
    }),
    Row("malformed-json", UNARY, |h| {
        assert!(serde_json::from_slice::<serde_json::Value>(&h.bytes()).is_err());
        assert_eq!((h.status(), &h.end), (200, &End::Complete));
    }),
];

const PACE: &[Row] = &[
    Row("delay=120ms", UNARY, |h| on_time(h, "{", 0, 120)),
    Row("delay=120ms", STREAM, |h| on_time(h, "assistant", 0, 120)),
    Row("first=120ms", STREAM, |h| {
        assert!(h.when("assistant", 0).unwrap() < ms(50));
        on_time(h, "tok0", 0, 120);
    }),
    Row("tokens=4,gap=40ms", STREAM, |h| {
        assert!(h.when("tok0", 0).unwrap() < ms(40));
        (1..4).for_each(|i| on_time(h, &format!("tok{i}"), 0, 40 * i));
    }),
    Row("tokens=4,gap=40ms,first=50ms", UNARY, |h| {
        on_time(h, "{", 0, 170)
    }),
    Row("trickle=40ms", STREAM, |h| {
        on_time(h, "tok0", 0, 40);
        on_time(h, "more", 4, 280);
        assert_eq!(
            (&h.end, h.count("[DONE]"), h.count("\"stop\"")),
            (&End::Silent, 0, 0)
        );
    }),
    Row("trickle=5ms", UNARY, |h| {
        assert_eq!((&h.end, h.header("content-length")), (&End::Silent, None));
        assert!(
            h.pieces.iter().filter(|(_, p)| p.len() == 1).count() > 50 && h.text().starts_with('{')
        );
    }),
    Row("tokens=3,gap=20ms,forever", STREAM, |h| {
        on_time(h, "more", 3, 120);
        assert_eq!(h.end, End::Silent);
    }),
    Row("first=120ms,ping=20ms", STREAM, |h| {
        assert!(
            (4..=6).contains(&h.count(": keep-alive\n\n")),
            "{}",
            h.count(": keep-alive")
        );
        assert_eq!(h.end, End::Complete);
    }),
];

const SILENCE: &[Row] = &[
    Row("silent-headers", STREAM, |h| {
        assert_eq!((&h.end, h.head.len()), (&End::Silent, 0))
    }),
    Row("silent-headers", UNARY, |h| {
        assert_eq!((&h.end, h.head.len()), (&End::Silent, 0))
    }),
    Row("headers-then-silent", STREAM, |h| {
        silent(h, 200, 0);
        assert_eq!(h.bytes().len(), 0);
    }),
    Row("headers-then-silent", UNARY, |h| {
        silent(h, 200, 0);
        assert!(h.header("content-length").is_some());
    }),
    Row("preamble-then-silent", STREAM, |h| {
        silent(h, 200, 0);
        assert_eq!(h.count("assistant"), 1);
    }),
    Row("stall-after=3", STREAM, |h| silent(h, 200, 3)),
    Row("stall-after=9", UNARY, |h| {
        silent(h, 200, 0);
        assert_eq!(h.bytes().len(), 9);
    }),
    Row("keepalive=20ms", STREAM, |h| {
        silent(h, 200, 0);
        assert!(h.count(": keep-alive\n\n") > 10 && h.data().is_empty());
    }),
    Row("keepalive,stall-after=1", STREAM, |h| {
        silent(h, 200, 1);
        assert!(h.count(": keep-alive\n\n") > 10);
    }),
    Row("role-only=20ms", STREAM, |h| {
        silent(h, 200, 0);
        assert!(h.count(r#"{"role":"assistant","content":""}"#) > 10);
    }),
    Row("empty-deltas=20ms", STREAM, |h| {
        silent(h, 200, 0);
        assert!(h.count(r#""delta":{"content":""}"#) > 10);
    }),
    Row("usage-frames=20ms,stall-after=1", STREAM, |h| {
        silent(h, 200, 1);
        assert!(h.count(r#""choices":[],"usage":{"#) > 10);
    }),
];

const NOISE: &[Row] = &[
    Row("garbage", STREAM, |h| {
        assert!(h.data()[2].starts_with("}{") && last(h) == "[DONE]");
    }),
    Row("comment", STREAM, |h| {
        assert!(h.text().starts_with(": PROCESSING\n\ndata: "))
    }),
    Row("bom", STREAM, |h| {
        assert!(h.bytes().starts_with(b"\xef\xbb\xbfdata: "))
    }),
    Row("lf", STREAM, |h| {
        assert!(h.text().ends_with("data: [DONE]\n\n") && h.count("\r") == 0)
    }),
    Row("crlf", STREAM, |h| {
        assert_eq!((h.count("\r\n\r\n"), h.count("\n\n")), (5, 0))
    }),
    Row("cr", STREAM, |h| {
        assert_eq!((h.count("\r\r"), h.count("\n")), (5, 0))
    }),
    Row("gzip", UNARY, |h| {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&h.bytes()[..])
            .read_to_string(&mut text)
            .unwrap();
        assert!(h.header("content-encoding") == Some("gzip") && text.contains("tok0 tok1 "));
    }),
    Row("gzip,tokens=3,gap=40ms", STREAM, |h| {
        let early: Vec<u8> = h
            .pieces
            .iter()
            .filter(|(at, _)| *at < ms(70))
            .flat_map(|(_, p)| p.clone())
            .collect();
        let mut text = Vec::new();
        // what came early is a prefix: it ends in an error, after all that was flushed
        let _ = flate2::read::GzDecoder::new(&early[..]).read_to_end(&mut text);
        assert!(
            String::from_utf8_lossy(&text).contains("tok1"),
            "each event is flushed"
        );
        let mut whole = String::new();
        flate2::read::GzDecoder::new(&h.bytes()[..])
            .read_to_string(&mut whole)
            .unwrap();
        assert!(whole.ends_with("data: [DONE]\n\n"));
    }),
    Row("chunked", UNARY, |h| {
        assert_eq!((h.header("content-length"), &h.end), (None, &End::Complete));
        assert!(h.text().ends_with("}}"));
    }),
    Row("until-close", STREAM, |h| {
        assert_eq!(
            (h.header("transfer-encoding"), &h.end, last(h).as_str()),
            (None, &End::Fin, "[DONE]")
        );
    }),
];

const ENDINGS: &[Row] = &[
    Row("fin", STREAM, |h| {
        assert_eq!((&h.end, h.head.len()), (&End::Fin, 0))
    }),
    Row("rst", STREAM, |h| {
        assert_eq!((&h.end, h.head.len()), (&End::Rst, 0))
    }),
    Row("fin=headers", STREAM, |h| {
        assert_eq!((&h.end, h.status(), h.bytes().len()), (&End::Fin, 200, 0))
    }),
    Row("rst=headers", STREAM, |h| {
        assert_eq!((&h.end, h.status(), h.bytes().len()), (&End::Rst, 200, 0))
    }),
    Row("fin-after=3", STREAM, |h| {
        assert_eq!((&h.end, h.count("\"tok")), (&End::Fin, 3))
    }),
    Row("fin-after=10", UNARY, |h| {
        assert_eq!((&h.end, h.bytes().len()), (&End::Fin, 10))
    }),
    Row("rst-after=1", STREAM, |h| {
        assert_eq!((&h.end, h.count("\"tok")), (&End::Rst, 1))
    }),
    Row("truncated", STREAM, |h| {
        assert_eq!(
            (
                &h.end,
                h.count("\"tok"),
                h.count("\"stop\""),
                h.count("[DONE]")
            ),
            (&End::Fin, 2, 0, 0)
        );
    }),
    Row("truncated", UNARY, |h| {
        let declared: usize = h.header("content-length").unwrap().parse().unwrap();
        assert_eq!((&h.end, h.bytes().len()), (&End::Fin, declared / 2));
    }),
    Row("no-terminator", STREAM, |h| {
        assert_eq!((&h.end, last(h).as_str()), (&End::Fin, "[DONE]"))
    }),
    Row("close", UNARY, |h| {
        assert_eq!(h.header("connection"), Some("close"))
    }),
];

async fn run(rows: &[Row]) {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    for Row(script, stream, check) in rows {
        sim.set("m", script.parse::<Script>().unwrap());
        let heard = if *stream {
            talk::stream(&sim, "m").await
        } else {
            talk::unary(&sim, "m").await
        };
        println!(
            "{script:?} stream={stream}: {:?} after {:?}",
            heard.end, heard.took
        );
        check(&heard);
    }
    sim.shutdown().await;
}

#[tokio::test]
async fn contents_are_as_ordered() {
    run(CONTENTS).await;
}

#[tokio::test]
async fn errors_are_as_ordered() {
    run(ERRORS).await;
}

#[tokio::test]
async fn pace_is_kept() {
    run(PACE).await;
}

#[tokio::test]
async fn silence_falls_where_it_was_ordered() {
    run(SILENCE).await;
}

#[tokio::test]
async fn noise_and_coding_are_as_ordered() {
    run(NOISE).await;
}

#[tokio::test]
async fn endings_are_as_ordered() {
    run(ENDINGS).await;
}

/// Rows of the tables that hold on HTTP/2 as well: everything but HTTP/1.1 framing.
#[tokio::test]
async fn http2_obeys_the_same_words() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let framing = [
        "trickle",
        "chunked",
        "until-close",
        "truncated",
        "no-terminator",
        "close",
    ];
    let rows = [CONTENTS, ERRORS, SILENCE, NOISE, ENDINGS];
    let mut ran = 0;
    for Row(script, stream, check) in rows.iter().flat_map(|r| r.iter()) {
        if framing.iter().any(|w| script.contains(w)) {
            continue;
        }
        let mut client = Http2::open(&sim).await;
        sim.set("m", script.parse::<Script>().unwrap());
        let answer = client.post(CHAT, &body("m", *stream)).await;
        let heard = Http2::listen(answer, ms(250)).await;
        println!(
            "{script:?} stream={stream}: {:?} after {:?}",
            heard.end, heard.took
        );
        check(&heard);
        ran += 1;
    }
    assert!(ran > 50, "{ran}");
}

#[tokio::test]
async fn http2_streams_are_reset_alone() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let mut client = Http2::open(&sim).await;
    let other = client
        .post(CHAT, &body("sim:tokens=3,gap=60ms", true))
        .await;
    for (script, reason, tokens) in [
        ("refused-stream", h2::Reason::REFUSED_STREAM, 0),
        ("reset-after=3", h2::Reason::INTERNAL_ERROR, 3),
        ("truncated", h2::Reason::INTERNAL_ERROR, 2),
        ("no-terminator", h2::Reason::INTERNAL_ERROR, 2),
    ] {
        let answer = client
            .post(CHAT, &body(&format!("sim:{script}"), true))
            .await;
        let heard = Http2::listen(answer, ms(250)).await;
        assert_eq!(
            (&heard.end, heard.count("\"tok")),
            (&End::StreamReset(reason), tokens),
            "{script}"
        );
    }
    let other = Http2::listen(other, ms(250)).await;
    assert_eq!(
        (&other.end, other.count("\"tok")),
        (&End::Complete, 3),
        "the connection lived on"
    );
}

#[tokio::test]
async fn goaway_lets_running_streams_finish_and_takes_no_more() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let mut client = Http2::open(&sim).await;
    let first = client
        .post(CHAT, &body("sim:tokens=3,gap=40ms", true))
        .await;
    let second = client
        .post(CHAT, &body("sim:goaway-after=2,tokens=3,gap=40ms", true))
        .await;
    for answer in [first, second] {
        let heard = Http2::listen(answer, ms(250)).await;
        assert_eq!((&heard.end, heard.count("\"tok")), (&End::Complete, 3));
    }
    assert!(
        client.send.clone().ready().await.is_err(),
        "the connection takes no third stream"
    );
}

/// Words that other tests of this crate show: of listeners, of kept connections, of files, of counts, of
/// other dialects.
const ELSEWHERE: &[&str] = &[
    "reset-after",
    "refused-stream",
    "goaway-after",
    "silent-accept",
    "silent-tls",
    "unread",
    "fail",
    "raw",
    "cuts",
    "idle",
    "bad-crc",
    "expires-in",
];

#[test]
fn every_word_is_shown_to_a_client() {
    let rows: Vec<&Row> = [CONTENTS, ERRORS, PACE, SILENCE, NOISE, ENDINGS].concat_rows();
    for word in words() {
        let said = |script: &str| {
            script
                .split(',')
                .any(|step| step.split('=').next() == Some(word.name))
        };
        let shown = rows.iter().any(|Row(script, ..)| said(script));
        assert!(
            shown || ELSEWHERE.contains(&word.name),
            "no test shows `{}`",
            word.name
        );
        assert!(
            punctual_sim::routes_help().contains(word.help),
            "{}",
            word.name
        );
    }
}

trait ConcatRows {
    fn concat_rows(&self) -> Vec<&'static Row>;
}

impl ConcatRows for [&'static [Row]; 6] {
    fn concat_rows(&self) -> Vec<&'static Row> {
        self.iter().flat_map(|rows| rows.iter()).collect()
    }
}
