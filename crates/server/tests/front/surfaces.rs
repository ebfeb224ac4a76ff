//! Every inbound surface: where it is, what it takes, how it says that something went wrong.

use crate::support::*;
use punctual_core::{Code, End, Outcome, Policy, Surface};
use punctual_server::{Key, Keys};
use serde_json::Value;
use std::sync::Arc;

/// What each takes at the least.
const EACH: [(&str, Surface, &str); 8] = [
    ("/chat/completions", Surface::Chat, "\"messages\":[]"),
    ("/completions", Surface::Completions, "\"prompt\":\"x\""),
    ("/embeddings", Surface::Embeddings, "\"input\":\"x\""),
    ("/responses", Surface::Responses, "\"input\":\"x\""),
    ("/messages", Surface::Messages, "\"messages\":[]"),
    (
        "/messages/count_tokens",
        Surface::CountTokens,
        "\"messages\":[]",
    ),
    ("/images/generations", Surface::Images, "\"prompt\":\"x\""),
    ("/systemone", Surface::SystemOne, "\"x\":1"),
];

fn body(model: &str, stream: bool, rest: &str) -> String {
    format!("{{\"model\":\"{model}\",\"stream\":{stream},{rest}}}")
}

fn is_anthropic(surface: Surface) -> bool {
    matches!(surface, Surface::Messages | Surface::CountTokens)
}

/// Whether an error has the form of its surface's API.
#[track_caller]
fn in_form(surface: Surface, answer: &Answer, code: &str) {
    let json = answer.json();
    assert_eq!(json["error"]["code"], code, "{surface:?}: {json}");
    assert!(json["error"]["message"].is_string());
    assert!(json["error"]["type"].is_string());
    let id = answer.header("x-request-id").unwrap();
    if is_anthropic(surface) {
        assert_eq!(json["type"], "error", "{surface:?}: {json}");
        assert_eq!(json["request_id"], id);
        assert_eq!(answer.header("request-id"), Some(id));
        assert!(json["error"].get("param") != Some(&Value::Null));
    } else {
        assert_eq!(json.get("type"), None, "{surface:?}: {json}");
        assert_eq!(answer.header("request-id"), None);
    }
}

#[tokio::test]
async fn each_surface_is_served_with_and_without_v1() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    for (path, surface, rest) in EACH {
        for prefix in ["/v1", ""] {
            let answer = caller
                .post(&format!("{prefix}{path}"), "", &body("sim/m", false, rest))
                .await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            let call = gate.fake.calls().pop().unwrap();
            assert_eq!((call.surface, &*call.model), (surface, "m"));
            assert_eq!((&call.path, call.method.as_str()), (&None, "POST"));
        }
    }
}

#[tokio::test]
async fn a_stream_is_given_where_there_are_streams() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    for (path, surface, rest) in EACH {
        let before = gate.fake.sent();
        let answer = caller.post(path, "", &body("chat", true, rest)).await;
        let kind = match surface {
            Surface::Chat | Surface::Completions | Surface::Responses | Surface::Messages => {
                "text/event-stream"
            }
            Surface::Embeddings => "application/json",
            _ => {
                assert_eq!(answer.status, 400, "{path}: {}", answer.body);
                in_form(surface, &answer, "invalid_request_body");
                assert!(answer.body.contains("stream"), "{}", answer.body);
                assert_eq!(gate.fake.sent(), before, "{path}");
                continue;
            }
        };
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
        let streamed = gate.fake.calls().pop().unwrap().stream;
        assert_eq!(streamed, kind == "text/event-stream");
    }
}

#[tokio::test]
async fn a_refusal_has_the_form_of_its_api_on_every_surface() {
    let ring = |presented: &str| (presented == "k").then(|| Arc::new(Key::default()));
    let gate = Gate::with(Setup {
        keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    })
    .await;
    for (path, surface, rest) in EACH {
        let json = "content-type: application/json\r\nx-api-key: k\r\n";
        let good = body("chat", false, rest);
        for (request, status, code) in [
            (request("GET", path, json, ""), 405, "method_not_allowed"),
            (request("POST", path, "", &good), 401, "invalid_api_key"),
            (
                request("POST", path, "api-key: k\r\n", &good),
                415,
                "unsupported_media_type",
            ),
            (
                request(
                    "POST",
                    path,
                    &format!("{json}origin: https://a.example\r\n"),
                    &good,
                ),
                403,
                "origin_not_allowed",
            ),
            (
                request("POST", path, json, "{}"),
                400,
                "invalid_request_body",
            ),
            (
                request("POST", path, json, &body("nobody", false, rest)),
                404,
                "model_not_found",
            ),
            (
                request(
                    "POST",
                    path,
                    &format!("{json}content-length: 99999999\r\n"),
                    "",
                ),
                413,
                "request_too_large",
            ),
            (
                request(
                    "POST",
                    path,
                    &format!("{json}x-request-deadline-ms: soon\r\n"),
                    &good,
                ),
                400,
                "invalid_request_deadline",
            ),
            (
                request(
                    "POST",
                    path,
                    &format!("{json}x-request-deadline-ms: -1\r\n"),
                    &good,
                ),
                504,
                "request_deadline_exceeded",
            ),
        ] {
            let request = match status {
                413 => request.replace("content-length: 0\r\n", ""),
                _ => request,
            };
            let answer = gate.caller().await.ask(&request).await;
            assert_eq!(answer.status, status, "{path}: {request}: {}", answer.body);
            in_form(surface, &answer, code);
        }
    }
}

#[tokio::test]
async fn a_failure_has_the_form_of_its_api_on_every_surface() {
    let gate = Gate::open().await;
    gate.fake
        .script("down", vec![Step::Fail(failure(Code::ServerError, 500))]);
    gate.fake.script("panics", vec![Step::Panic]);
    let mut limited = failure(Code::RateLimited, 429);
    limited.retry_after = Some(ms(20));
    gate.fake.script("busy", vec![Step::Fail(limited)]);
    for (path, surface, rest) in EACH {
        for (model, status, code) in [
            ("sim/down", 502, "server_error"),
            ("sim/busy", 429, "rate_limited"),
            ("sim/panics", 500, "internal"),
        ] {
            let answer = gate
                .caller()
                .await
                .post(path, "", &body(model, false, rest))
                .await;
            assert_eq!(answer.status, status, "{path}: {}", answer.body);
            in_form(surface, &answer, code);
            if model != "sim/panics" {
                assert_eq!(answer.json()["error"]["attempts"][0]["code"], code);
            }
            // resting would answer the next one
            let now = gate.gateway.current();
            now.engine.targets[0]
                .health
                .enter(punctual_core::Pass::Probe)
                .unwrap()
                .succeed();
        }
    }
}

#[tokio::test]
async fn what_no_target_serves_is_refused_with_its_name() {
    let gate = Gate::open().await;
    for (path, surface, rest) in EACH {
        gate.fake.lacks(surface);
        let answer = gate
            .caller()
            .await
            .post(path, "", &body("chat", false, rest))
            .await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        in_form(surface, &answer, "unsupported");
    }
    assert_eq!(gate.fake.sent(), 0);
    for report in gate.reports(EACH.len()).await {
        assert_eq!(report.outcome, Some(Outcome::Rejected));
    }
}

#[tokio::test]
async fn a_failure_after_the_head_is_one_event_of_the_api_and_no_end_marker() {
    let gate = Gate::open().await;
    gate.fake.script(
        "breaks",
        vec![
            Step::Head(vec![]),
            content("x"),
            Step::Fail(failure(Code::Overloaded, 529)),
        ],
    );
    for (path, event) in [
        ("/chat/completions", "data: {\"error\":{\"message\":"),
        ("/completions", "data: {\"error\":{\"message\":"),
        (
            "/responses",
            "event: error\ndata: {\"type\":\"error\",\"code\":\"overloaded\",",
        ),
        (
            "/messages",
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":",
        ),
    ] {
        let (_, _, rest) = EACH.iter().find(|(p, ..)| *p == path).unwrap();
        let answer = gate
            .caller()
            .await
            .post(path, "", &body("sim/breaks", true, rest))
            .await;
        let (before, after) = answer.body.split_once("\n\n").unwrap();
        assert_eq!((answer.status, before), (200, "data: {\"c\":\"x\"}"));
        assert!(after.starts_with(event), "{path}: {after}");
        assert_eq!(after.matches("\n\n").count(), 1, "{after}");
        assert!(after.contains("\"status\":503") && !after.contains("[DONE]"));
        assert!(answer.complete, "well framed");
    }
    for report in gate.reports(4).await {
        assert_eq!(report.outcome, Some(Outcome::Truncated));
    }
}

#[tokio::test]
async fn only_the_apis_that_have_an_end_marker_get_one() {
    let gate = Gate::open().await;
    gate.fake.script(
        "ends",
        vec![
            Step::Head(vec![]),
            content("x"),
            event("{}", Some(End::Stop)),
        ],
    );
    for (path, marked) in [
        ("/chat/completions", true),
        ("/completions", true),
        ("/responses", false),
        ("/messages", false),
    ] {
        let (_, _, rest) = EACH.iter().find(|(p, ..)| *p == path).unwrap();
        let answer = gate
            .caller()
            .await
            .post(path, "", &body("sim/ends", true, rest))
            .await;
        assert_eq!(answer.body.ends_with("data: [DONE]\n\n"), marked, "{path}");
        assert!(answer.body.contains("data: {}\n\n"));
    }
}

#[tokio::test]
async fn a_silent_stream_is_kept_alive_in_the_words_of_its_api() {
    let gate = Gate::with(Setup {
        policy: Policy {
            heartbeat: Some(ms(60)),
            ..Policy::default()
        },
        ..Setup::default()
    })
    .await;
    gate.fake.script(
        "slow",
        vec![
            Step::Wait(ms(100)),
            Step::Head(vec![]),
            content("x"),
            event("{}", Some(End::Stop)),
        ],
    );
    for (path, beat) in [
        ("/chat/completions", ": waiting\n"),
        ("/responses", ": waiting\n"),
        ("/messages", "event: ping\ndata: {\"type\": \"ping\"}\n\n"),
    ] {
        let (_, _, rest) = EACH.iter().find(|(p, ..)| *p == path).unwrap();
        let answer = gate
            .caller()
            .await
            .post(path, "", &body("sim/slow", true, rest))
            .await;
        let follows = answer
            .body
            .strip_prefix(beat)
            .unwrap_or_else(|| panic!("{}", answer.body));
        assert!(follows.starts_with("data: {\"c\":\"x\"}\n\n"), "{follows}");
    }
}

#[tokio::test]
async fn what_was_dropped_is_named() {
    let gate = Gate::open().await;
    gate.fake.script(
        "loses",
        vec![
            Step::Lost(vec!["seed", "a,b"]),
            Step::Head(vec![]),
            content("x"),
            event("{}", Some(End::Stop)),
        ],
    );
    for stream in [false, true] {
        let answer = gate
            .caller()
            .await
            .ask(&chat("sim/loses", stream, ""))
            .await;
        assert_eq!(answer.header("x-punctual-dropped"), Some("seed, a%2Cb"));
    }
    let answer = gate.caller().await.ask(&chat("chat", false, "")).await;
    assert_eq!(answer.header("x-punctual-dropped"), None);
}

#[tokio::test]
async fn an_sdks_timeout_binds_what_has_no_stream() {
    let gate = Gate::open().await;
    gate.fake.script("hangs", vec![Step::Hang]);
    for (path, surface, rest) in EACH {
        let answer = gate
            .caller()
            .await
            .post(
                path,
                "x-stainless-timeout: 0.2\r\n",
                &body("sim/hangs", false, rest),
            )
            .await;
        assert_eq!(answer.status, 504, "{path}");
        in_form(surface, &answer, "request_deadline_exceeded");
        assert_eq!(answer.json()["error"]["budget_ms"], 150);
    }
}

#[tokio::test]
async fn what_is_nowhere_is_told_where_things_are() {
    let gate = Gate::open().await;
    for path in [
        "/v1beta/models/gemini:generateContent",
        "/api/chat",
        "/model/m/converse",
        "/v1/files",
    ] {
        let answer = gate.caller().await.post(path, "", "{}").await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "unknown_path")
        );
        for hint in ["/messages", "/responses", "/passthrough/{target}"] {
            assert!(answer.body.contains(hint), "{}", answer.body);
        }
    }
    let answer = gate
        .caller()
        .await
        .post(
            "/v1/messages/batches",
            "anthropic-version: 2023-06-01\r\n",
            "{}",
        )
        .await;
    in_form(Surface::Messages, &answer, "unknown_path");
    assert_eq!(answer.json()["error"]["type"], "not_found_error");
}
