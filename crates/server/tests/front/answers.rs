//! What a caller is told: the answer as it is, an error in the words of the API, who served it.

use crate::support::*;
use punctual_core::{Code, Outcome, Phase};
use punctual_server::{Key, Keys, Settings};
use std::sync::Arc;

#[tokio::test]
async fn an_answer_comes_as_it_is_with_who_served_it() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    for _ in 0..2 {
        let answer = caller
            .ask(&chat("chat", false, "x-request-id: run-7\r\n"))
            .await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (200, "{\"answer\":1}")
        );
        for (name, value) in [
            ("content-type", "application/json"),
            ("content-length", "12"),
            ("x-request-id", "run-7"),
            ("x-punctual-attempts", "1"),
            ("x-punctual-target", "primary"),
            ("x-upstream-request-id", "up-1"),
            ("x-ratelimit-remaining-requests", "3"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert_eq!(answer.header("connection"), None, "the connection is kept");
        let timing = answer.header("server-timing").unwrap();
        assert!(
            timing.starts_with("receive;dur=") && timing.contains("attempts;dur="),
            "{timing}"
        );
    }
    let reports = gate.reports(2).await;
    let report = &reports[0];
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Ok), Some(200))
    );
    assert_eq!(
        (report.route.as_deref(), &*report.id),
        (Some("chat"), "run-7")
    );
    gate.idle().await;
}

#[tokio::test]
async fn a_refusal_says_how_often_and_how_long_too() {
    let settings = Settings {
        receive_timeout: ms(200),
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    let half = chat("chat", false, "");
    for (request, status, received) in [
        (chat("chat", false, "origin: https://a.example\r\n"), 403, 0),
        (
            chat("chat", false, "x-request-deadline-ms: soon\r\n"),
            400,
            0,
        ),
        (chat("nobody", false, ""), 404, 0),
        (half[..half.len() - 1].to_owned(), 408, 200),
    ] {
        let answer = gate.caller().await.ask(&request).await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("x-punctual-attempts"), Some("0"), "{status}");
        let timing = answer.header("server-timing").unwrap_or_default();
        let receive = timing.strip_prefix("receive;dur=").unwrap_or_default();
        let (receive, _) = receive.split_once(',').unwrap_or_default();
        // a timer may be a millisecond early
        let after = |ms: f64| ms + 2.0 >= f64::from(received);
        assert!(receive.parse().is_ok_and(after), "{status}: {timing}");
    }
    for report in gate.reports(4).await {
        assert!(report.send() < SLACK, "{report:?}");
    }
}

#[tokio::test]
async fn the_engine_gets_the_body_as_it_came() {
    let gate = Gate::open().await;
    let body =
        "{ \"model\" : \"sim/x-1\", \"n\": 2, \"stream\":true,\"messages\":[], \"odd\": 1e400 }";
    let answer = gate
        .caller()
        .await
        .post("/chat/completions", "", body)
        .await;
    assert_eq!(answer.status, 200);
    let call = gate.fake.calls().pop().unwrap();
    assert_eq!((&*call.model, call.stream, call.choices), ("x-1", true, 2));
    assert_eq!(
        (&call.body[..], &body[call.model_span]),
        (body.as_bytes(), "\"sim/x-1\"")
    );
    let answer = gate
        .caller()
        .await
        .post(
            "/v1/embeddings",
            "",
            "{\"model\":\"chat\",\"input\":\"x\",\"stream\":true}",
        )
        .await;
    assert_eq!(answer.status, 200);
    assert!(
        !gate.fake.calls().pop().unwrap().stream,
        "embeddings have no streams"
    );
}

#[tokio::test]
async fn a_failed_plan_says_what_was_tried() {
    let gate = Gate::open().await;
    gate.fake
        .script("down", vec![Step::Fail(failure(Code::ServerError, 500))]);
    let answer = gate.caller().await.ask(&chat("sim/down", false, "")).await;
    assert_eq!(answer.status, 502);
    assert_eq!(answer.header("x-should-retry"), Some("false"));
    assert_eq!(answer.header("x-punctual-target"), Some("primary"));
    let error = &answer.json()["error"];
    assert_eq!(error["type"], "server_error");
    assert_eq!(error["code"], "server_error");
    assert_eq!(error["param"], serde_json::Value::Null);
    let attempt = &error["attempts"][0];
    assert_eq!(
        (&attempt["target"], &attempt["code"], &attempt["status"]),
        (&"primary".into(), &"server_error".into(), &500.into())
    );
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Failed), Some(502))
    );
}

#[tokio::test]
async fn an_error_inside_a_200_has_its_upstreams_request_id_too() {
    let gate = Gate::open().await;
    let overloaded = Step::Fail(failure(Code::Overloaded, 200));
    gate.fake
        .script("in-band", vec![Step::Head(vec![]), overloaded]);
    let request = chat("sim/in-band", false, "");
    let answer = gate.caller().await.ask(&request).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("x-upstream-request-id"), Some("up-1"));
}

#[tokio::test]
async fn a_providers_word_about_the_callers_mistake_is_passed_on() {
    let gate = Gate::open().await;
    let theirs = "{\"error\":{\"message\":\"max_tokens\",\"type\":\"x\",\"code\":\"unsupported_parameter\",\"param\":\"max_tokens\"}}";
    let mut refusal = failure(Code::InvalidRequest, 422);
    refusal.body = Some(theirs.into());
    gate.fake.script("odd", vec![Step::Fail(refusal)]);
    let answer = gate.caller().await.ask(&chat("sim/odd", false, "")).await;
    assert_eq!((answer.status, answer.body.as_str()), (422, theirs));
    assert_eq!(gate.report().await.outcome, Some(Outcome::UpstreamRejected));
}

#[tokio::test]
async fn a_hint_is_passed_on_in_whole_seconds() {
    let gate = Gate::open().await;
    let mut limited = failure(Code::RateLimited, 429);
    limited.retry_after = Some(ms(6_200));
    gate.fake.script("busy", vec![Step::Fail(limited)]);
    let answer = gate.caller().await.ask(&chat("sim/busy", false, "")).await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (429, Some("7"))
    );
    assert_eq!(answer.header("x-should-retry"), None);
    assert_eq!(answer.json()["error"]["type"], "rate_limit_error");
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_gateway_goes_on() {
    let gate = Gate::open().await;
    gate.fake.script("panic", vec![Step::Panic]);
    let mut caller = gate.caller().await;
    let answer = caller.ask(&chat("sim/panic", false, "")).await;
    assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
    let report = gate.report().await;
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Failed), Some(500))
    );
    assert_eq!(report.error_type(), Some("internal"));
    assert_eq!(caller.ask(&chat("chat", false, "")).await.status, 200);
    gate.idle().await;
}

#[tokio::test]
async fn models_are_listed_and_found_in_both_spellings() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    let list = caller.get("/v1/models").await.json();
    let ids: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["id"].clone())
        .collect();
    assert_eq!(ids, ["chat", "team/chat"]);
    for path in [
        "/v1/models/team/chat",
        "/v1/models/team%2Fchat",
        "/models/team/chat",
    ] {
        assert_eq!(caller.get(path).await.json()["id"], "team/chat", "{path}");
    }
    let unknown = caller.get("/v1/models/nobody").await;
    assert_eq!(
        (unknown.status, unknown.code().as_str()),
        (404, "model_not_found")
    );
}

#[tokio::test]
async fn an_unknown_model_is_404_and_a_slip_is_put_right() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    let answer = caller.ask(&chat("chatt", false, "")).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (404, "model_not_found")
    );
    assert!(answer.body.contains("Did you mean `chat`?") && !answer.body.contains("chatt"));
    let odd = caller.ask(&chat("sim/a b", false, "")).await;
    assert_eq!((odd.status, odd.code().as_str()), (404, "model_not_found"));
    assert!(odd.body.contains("letters, digits and"), "{}", odd.body);
    let report = &gate.reports(2).await[0];
    assert_eq!(
        (report.outcome, report.error_type()),
        (Some(Outcome::Rejected), Some("model_not_found"))
    );
    assert_eq!(report.phase, Phase::Receiving);
}

#[tokio::test]
async fn a_bad_body_is_400_with_a_place_and_without_a_value() {
    let gate = Gate::open().await;
    for body in [
        "{\"model\": \"m\", secret: []}",
        "",
        "null",
        "[]",
        "{",
        "\u{feff}{}",
        "{\"model\":\"a\",\"model\":\"b\",\"messages\":[]}",
    ] {
        let answer = gate
            .caller()
            .await
            .post("/v1/chat/completions", "", body)
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "invalid_request_body"),
            "{body}"
        );
        assert!(!answer.body.contains("secret"));
    }
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn a_key_decides_who_may_ask_for_what() {
    let ring = |presented: &str| {
        let key = Key {
            name: "ci".into(),
            routes: Some(vec!["chat".into()]),
            ..Key::default()
        };
        (presented == "sk-good").then(|| Arc::new(key))
    };
    let gate = Gate::with(Setup {
        keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    })
    .await;
    let mut caller = gate.caller().await;
    let good = "authorization: Bearer sk-good\r\n";
    assert_eq!(caller.ask(&chat("chat", false, good)).await.status, 200);
    let two = "x-api-key: sk-good\r\nauthorization: Bearer theirs\r\n";
    assert_eq!(caller.ask(&chat("chat", false, two)).await.status, 200);
    let sent = gate.fake.calls().pop().unwrap().headers;
    assert_eq!(sent.get("authorization").unwrap(), "Bearer theirs");
    assert_eq!(sent.get("x-api-key"), None, "ours stays here");
    let answer = caller.ask(&chat("team/chat", false, good)).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (403, "model_not_allowed")
    );
    let models = caller
        .ask(&format!(
            "GET /v1/models HTTP/1.1\r\nhost: localhost\r\n{good}\r\n"
        ))
        .await;
    assert_eq!(models.json()["data"].as_array().unwrap().len(), 1);
    for bad in ["", "authorization: Bearer sk-bad\r\n"] {
        let answer = gate.caller().await.ask(&chat("chat", false, bad)).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "invalid_api_key")
        );
        assert_eq!(answer.json()["error"]["type"], "authentication_error");
        assert!(!answer.body.contains("sk-bad"));
    }
    assert_eq!(gate.fake.sent(), 2);
    let reports = gate.reports(5).await;
    assert_eq!(
        (reports[0].key.as_deref(), reports[1].key.as_deref()),
        (Some("ci"), Some("ci"))
    );
    assert_eq!(reports[4].outcome, Some(Outcome::Rejected));
}

#[tokio::test]
async fn a_reload_changes_what_comes_later_and_nothing_that_runs() {
    let gate = Gate::open().await;
    gate.fake.script(
        "slow",
        vec![Step::Wait(ms(200)), Step::Head(vec![]), content("x")],
    );
    let mut running = gate.caller().await;
    running.send(&chat("sim/slow", false, "")).await;
    until("it runs", || gate.fake.sent() == 1).await;
    let mut empty = snapshot(&Setup::default(), gate.fake.clone());
    empty.routes = punctual_server::Routes::new();
    gate.gateway.swap(empty);
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .status,
        404
    );
    assert_eq!(running.answer().await.status, 200);
}
