//! What is passed on as it is: where it may go, what of it goes, and how it ends.

use crate::support::*;
use bytes::Bytes;
use punctual_core::{Call, Code, End, Outcome, Policy, Surface, TargetId};
use punctual_server::{Key, Keys, Settings};
use std::sync::Arc;

fn bytes(text: &'static str) -> Step {
    Step::Piece(Bytes::from_static(text.as_bytes()), Sort::Content, None)
}

fn end() -> Step {
    Step::Piece(Bytes::new(), Sort::Event, Some(End::Other))
}

fn last(gate: &Gate) -> Call {
    gate.fake.calls().pop().unwrap()
}

/// `ci` and `bound` may use the route `chat` only, which has the first target only, and `ci` may pass on; `any`
/// may all of it, and `none` may not pass on.
fn ring(presented: &str) -> Option<Arc<Key>> {
    let list = || Some(vec!["chat".into()]);
    let (routes, passthrough) = match presented {
        "any" => (None, None),
        "none" => (None, Some(false)),
        "ci" => (list(), Some(true)),
        "bound" => (list(), None),
        _ => return None,
    };
    Some(Arc::new(Key {
        name: presented.into(),
        routes,
        passthrough,
        ..Key::default()
    }))
}

async fn keyed() -> Gate {
    Gate::with(Setup {
        keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    })
    .await
}

async fn ask(gate: &Gate, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let request = request(method, path, headers, body);
    gate.caller().await.ask(&request).await
}

#[tokio::test]
async fn everything_about_it_stays_as_it_is() {
    let gate = Gate::open().await;
    gate.fake.script(
        "/files/f-1?purpose=x%20y",
        vec![
            Step::Status(201),
            Step::Head(vec![("content-type", "text/csv"), ("etag", "\"7\"")]),
            bytes("a,b\n"),
            bytes("1,2\n"),
            end(),
        ],
    );
    let headers = "content-type: multipart/form-data; boundary=b\r\n";
    let answer = ask(
        &gate,
        "PUT",
        "/passthrough/second/files/f-1?purpose=x%20y",
        headers,
        "--b\u{0}not json",
    )
    .await;
    assert_eq!((answer.status, answer.body.as_str()), (201, "a,b\n1,2\n"));
    for (name, value) in [
        ("content-type", Some("text/csv")),
        ("etag", Some("\"7\"")),
        ("cache-control", None),
        ("x-punctual-target", Some("second")),
        ("x-punctual-attempts", Some("1")),
        ("x-upstream-request-id", Some("up-1")),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    let call = last(&gate);
    assert_eq!(
        (call.surface, call.method.as_str()),
        (Surface::Passthrough, "PUT")
    );
    assert_eq!(&call.body[..], "--b\u{0}not json".as_bytes());
    assert_eq!(call.plan.targets(), [TargetId(1)]);
    let sent = call.headers.get("content-type").unwrap();
    assert_eq!(sent, "multipart/form-data; boundary=b");
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Ok), Some(201))
    );
    assert_eq!(report.route.as_deref(), Some("team"));
    gate.idle().await;
}

#[tokio::test]
async fn what_has_no_kind_is_given_none() {
    let gate = Gate::open().await;
    gate.fake
        .script("/x", vec![Step::Head(vec![]), bytes("?"), end()]);
    let answer = ask(&gate, "GET", "/v1/passthrough/primary/x", "", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "?"));
    assert_eq!(answer.header("content-type"), None);
}

#[tokio::test]
async fn bytes_come_one_by_one_and_nothing_beside_them() {
    let gate = Gate::with(Setup {
        policy: Policy {
            heartbeat: Some(ms(50)),
            ..Policy::default()
        },
        ..Setup::default()
    })
    .await;
    gate.fake.script(
        "/audio",
        vec![
            Step::Wait(ms(120)),
            Step::Head(vec![("content-type", "audio/mpeg")]),
            bytes("one"),
            Step::Wait(ms(120)),
            bytes("two"),
            end(),
        ],
    );
    let mut caller = gate.caller().await;
    caller
        .send(&request("POST", "/passthrough/primary/audio", "", "{}"))
        .await;
    caller.see("one").await;
    let answer = caller.answer().await;
    assert_eq!(answer.body, "onetwo");
    assert!(answer.complete);
    assert_eq!(gate.report().await.heartbeats, 0);
}

#[tokio::test]
async fn an_answer_without_a_body_is_complete() {
    let gate = Gate::open().await;
    for (method, path, status) in [("DELETE", "/gone", 204), ("HEAD", "/there", 200)] {
        gate.fake
            .script(path, vec![Step::Status(status), Step::Head(vec![]), end()]);
        let mut caller = gate.caller().await;
        let path = format!("/passthrough/primary{path}");
        caller.send(&request(method, &path, "", "")).await;
        assert_eq!(caller.head().await.status, status);
        // the connection goes on behind it
        assert_eq!(caller.get("/healthz").await.status, 200);
    }
    for report in gate.reports(2).await {
        assert_eq!(report.outcome, Some(Outcome::Ok), "{report:?}");
    }
    gate.idle().await;
}

#[tokio::test]
async fn no_path_leads_out_of_what_is_the_targets() {
    let gate = Gate::open().await;
    for below in [
        "/../admin",
        "/a/./b",
        "//evil.example/x",
        "/a//b",
        "/%2e%2e/admin",
        "/a%2f..%2f..%2fb",
        "/%252e%252e/admin",
        "/a%5c..%5cb",
        "/a%0d%0ab",
        "/a%ff",
        "/%c0%ae%c0%ae/admin",
        "/a%25ff",
    ] {
        let path = format!("/passthrough/primary{below}");
        let answer = ask(&gate, "GET", &path, "", "").await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "invalid_passthrough_path"),
            "{below}"
        );
    }
    for path in [
        "/passthrough/nobody/x",
        "/passthrough/%2e%2e/x",
        "/passthrough/chat/x",
    ] {
        let answer = ask(&gate, "GET", path, "", "").await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "target_not_found"),
            "{path}"
        );
    }
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn a_key_may_use_the_targets_of_its_routes() {
    let gate = keyed().await;
    for (key, target, status, code) in [
        ("ci", "primary", 200, None),
        ("ci", "second", 403, Some("target_not_allowed")),
        ("bound", "second", 403, Some("target_not_allowed")),
        ("bound", "primary", 403, Some("passthrough_not_allowed")),
        ("none", "primary", 403, Some("passthrough_not_allowed")),
        ("any", "second", 200, None),
        ("", "primary", 401, Some("invalid_api_key")),
    ] {
        let path = format!("/passthrough/{target}/x");
        let before = gate.fake.sent();
        let answer = ask(&gate, "GET", &path, &format!("api-key: {key}\r\n"), "").await;
        assert_eq!(answer.status, status, "{key} {target}: {}", answer.body);
        if let Some(code) = code {
            assert_eq!(answer.code(), code, "{key} {target}");
            assert_eq!(gate.fake.sent(), before, "{key} {target}");
        }
    }
}

#[tokio::test]
async fn a_target_is_reached_where_its_configuration_says_so() {
    let gate = Gate::with(Setup {
        settings: Settings {
            passthrough: vec!["second".into()],
            ..Setup::default().settings
        },
        ..Setup::default()
    })
    .await;
    let answer = ask(&gate, "GET", "/passthrough/primary/x", "", "").await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (403, "passthrough_disabled")
    );
    assert!(answer.body.contains("passthrough: true"), "{}", answer.body);
    assert_eq!(gate.fake.sent(), 0);
    let answer = ask(&gate, "GET", "/passthrough/second/x", "", "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let reports = gate.reports(2).await;
    assert_eq!(reports[0].outcome, Some(Outcome::Rejected));
}

#[tokio::test]
async fn a_target_that_is_there_twice_is_the_one_that_a_route_has() {
    let gate = Gate::open().await;
    let mut twice = snapshot(&Setup::default(), gate.fake.clone());
    let mut engine = Arc::into_inner(twice.engine).unwrap();
    engine.targets[0].name = "second".into();
    twice.engine = Arc::new(engine);
    let (_, team) = twice
        .routes
        .names()
        .find(|(n, _)| *n == "team/chat")
        .unwrap();
    let team = team.clone();
    twice.routes = punctual_server::Routes::new();
    twice.routes.add("team/chat", team, "ok".into());
    gate.gateway.swap(twice);
    let answer = ask(&gate, "GET", "/passthrough/second/x", "", "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(last(&gate).plan.targets(), [TargetId(1)]);
}

#[tokio::test]
async fn no_key_of_ours_and_no_signature_goes_on() {
    let open = Gate::with(Setup {
        keys: Keys::Optional(Arc::new(ring)),
        ..Setup::default()
    })
    .await;
    let signed = "authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=00\r\n";
    for gate in [keyed().await, open] {
        for headers in [
            "authorization: Bearer any\r\n".to_owned(),
            "x-api-key: any\r\n".to_owned(),
            "api-key: any\r\n".to_owned(),
            "x-goog-api-key: any\r\n".to_owned(),
            format!("x-punctual-key: any\r\n{signed}"),
            "authorization: Bearer any\r\nx-goog-api-key: any\r\n".to_owned(),
        ] {
            let answer = ask(&gate, "GET", "/passthrough/primary/x", &headers, "").await;
            assert_eq!(answer.status, 200, "{headers}: {}", answer.body);
            let call = last(&gate);
            assert_eq!(call.key.as_deref(), Some("any"));
            for name in [
                "authorization",
                "x-api-key",
                "api-key",
                "x-goog-api-key",
                "x-punctual-key",
            ] {
                assert_eq!(call.headers.get(name), None, "{name} of {headers}");
            }
        }
        let theirs = "x-punctual-key: any\r\nauthorization: Bearer theirs\r\n";
        for ours in ["key=any", "api_key=%61ny", "%6Bey=any", "access_token=any"] {
            let path = format!("/passthrough/primary/x?{ours}&alt=sse&key=theirs");
            assert_eq!(ask(&gate, "GET", &path, theirs, "").await.status, 200);
            let call = last(&gate);
            assert_eq!(call.headers.get("authorization").unwrap(), "Bearer theirs");
            assert_eq!(
                call.path.as_deref(),
                Some("/x?alt=sse&key=theirs"),
                "{ours}"
            );
        }
    }
}

#[tokio::test]
async fn the_door_is_the_same() {
    let gate = Gate::with(Setup {
        settings: Settings {
            max_body_bytes: 8,
            ..Setup::default().settings
        },
        ..Setup::default()
    })
    .await;
    for (headers, body, status, code) in [
        (
            "origin: https://a.example\r\n",
            "x",
            403,
            "origin_not_allowed",
        ),
        (
            "content-encoding: gzip\r\n",
            "x",
            415,
            "unsupported_content_encoding",
        ),
        ("", "123456789", 413, "request_too_large"),
        (
            "x-request-deadline-ms: 0.0\r\nexpect: tea\r\n",
            "x",
            417,
            "expectation_failed",
        ),
        (
            "x-request-deadline-ms: -1\r\n",
            "x",
            504,
            "request_deadline_exceeded",
        ),
    ] {
        let answer = ask(&gate, "POST", "/passthrough/primary/x", headers, body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{headers}"
        );
    }
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn what_fails_before_its_head_is_an_error_of_ours() {
    let gate = Gate::open().await;
    gate.fake
        .script("/down", vec![Step::Fail(failure(Code::ConnectFailed, 0))]);
    let answer = ask(&gate, "GET", "/passthrough/primary/down", "", "").await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (502, "connect_failed")
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn an_error_in_the_providers_words_is_given_as_it_is_and_recorded_as_what_it_is() {
    let mut limit = failure(Code::RateLimited, 429);
    limit.retry_after = Some(ms(7_000));
    for (failure, status, outcome) in [
        (limit, 429, Outcome::Failed),
        (failure(Code::ServerError, 500), 500, Outcome::Failed),
        (
            failure(Code::InvalidRequest, 404),
            404,
            Outcome::UpstreamRejected,
        ),
    ] {
        let gate = Gate::open().await;
        let code = failure.code;
        let head = vec![("content-type", "application/xml"), ("retry-after", "7.0")];
        let words = [bytes("<Error>"), bytes("no</Error>"), end()];
        let mut script = vec![Step::Is(failure), Step::Status(status), Step::Head(head)];
        script.extend(words);
        gate.fake.script("/x", script);
        let answer = ask(&gate, "GET", "/passthrough/primary/x", "", "").await;
        assert_eq!(
            (answer.status, answer.body.as_str(), answer.complete),
            (status, "<Error>no</Error>", true)
        );
        for (name, value) in [
            ("content-type", Some("application/xml")),
            ("retry-after", Some("7.0")),
            ("x-should-retry", None),
            ("x-punctual-target", Some("primary")),
            ("x-upstream-request-id", Some("up-1")),
        ] {
            assert_eq!(answer.header(name), value, "{name} of {status}");
        }
        let report = gate.report().await;
        assert_eq!(
            (report.outcome, report.status),
            (Some(outcome), Some(status))
        );
        assert_eq!(report.failure.as_ref().map(|f| f.code), Some(code));
        let attempt = report.attempts.last().unwrap();
        assert_eq!((attempt.failed, attempt.status), (Some(code), Some(status)));
        assert_eq!((attempt.completed, attempt.first_content), (false, None));
        gate.idle().await;
        if code == Code::RateLimited {
            // the next one is told by us that the target rests
            let answer = ask(&gate, "GET", "/passthrough/primary/x", "", "").await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (429, "cooling_down")
            );
            assert_eq!(gate.fake.sent(), 1);
        }
    }
}

#[tokio::test]
async fn an_error_in_the_providers_words_that_breaks_off_is_not_taken_for_whole() {
    let gate = Gate::open().await;
    let broken = Step::Fail(failure(Code::Truncated, 500));
    let head = Step::Head(vec![("content-type", "text/plain")]);
    gate.fake.script(
        "/x",
        vec![
            Step::Is(failure(Code::ServerError, 500)),
            Step::Status(500),
            head,
            bytes("half"),
            broken,
        ],
    );
    let answer = ask(&gate, "GET", "/passthrough/primary/x", "", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (500, "half"));
    assert!(!answer.complete);
    assert_eq!(gate.report().await.outcome, Some(Outcome::Truncated));
}

#[tokio::test]
async fn what_fails_after_its_head_breaks_off() {
    let gate = Gate::open().await;
    let head = || Step::Head(vec![("content-type", "text/event-stream")]);
    let broken = Step::Fail(failure(Code::Truncated, 200));
    gate.fake
        .script("/broken", vec![head(), bytes("half"), broken]);
    gate.fake
        .script("/slow", vec![head(), bytes("half"), Step::Hang]);
    for (path, headers) in [
        ("/broken", ""),
        // whoever speaks Anthropic's API here reads bytes all the same
        ("/broken", "anthropic-version: 2023-06-01\r\n"),
        ("/slow", "x-request-deadline-ms: 200\r\n"),
    ] {
        let mut caller = gate.caller().await;
        let path = format!("/passthrough/primary{path}");
        let answer = caller.ask(&request("GET", &path, headers, "")).await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (200, "half"),
            "{headers}"
        );
        assert!(!answer.complete, "nobody may take it for complete");
        assert!(caller.is_closed().await);
        until("it is recorded", || gate.gateway.stats().in_flight == 0).await;
    }
    let outcomes: Vec<_> = gate.reports(3).await.iter().map(|r| r.outcome).collect();
    let expected = [
        Outcome::Truncated,
        Outcome::Truncated,
        Outcome::DeadlineExceeded,
    ];
    assert_eq!(outcomes, expected.map(Some));
    gate.idle().await;
}
