//! State that only its maker can serve: responses by their id, what a body continues, what calls have in common.

use crate::support::*;
use punctual_core::{Bond, Call, Outcome, Surface, TargetId};
use punctual_server::{Key, Keys, Settings};
use punctual_wire::state::fingerprint;
use std::sync::Arc;

const SECOND: TargetId = TargetId(1);

async fn ask(gate: &Gate, method: &str, path: &str, headers: &str) -> Answer {
    let request = request(method, path, headers, "");
    gate.caller().await.ask(&request).await
}

fn last(gate: &Gate) -> Call {
    gate.fake.calls().pop().unwrap()
}

/// `ci` may use the route `chat` only, which has the first target only.
fn keyed() -> Setup {
    let ring = |presented: &str| {
        let routes = (presented == "ci").then(|| vec!["chat".into()]);
        Some(Arc::new(Key {
            name: presented.into(),
            routes,
            ..Key::default()
        }))
    };
    Setup {
        keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    }
}

#[tokio::test]
async fn a_response_is_asked_for_where_it_was_made() {
    let gate = Gate::open().await;
    gate.fake.bind(Bond::To(vec![SECOND]));
    for (method, path, below) in [
        ("GET", "/v1/responses/resp_1", "/responses/resp_1"),
        ("DELETE", "/responses/resp_1", "/responses/resp_1"),
        (
            "POST",
            "/v1/responses/resp_1/cancel",
            "/responses/resp_1/cancel",
        ),
        (
            "GET",
            "/v1/responses/resp_1/input_items?limit=2&after=i%2F1",
            "/responses/resp_1/input_items?limit=2&after=i%2F1",
        ),
        (
            "GET",
            "/v1/responses/resp_1?include[]=x&stream=false",
            "/responses/resp_1?include[]=x&stream=false",
        ),
    ] {
        let answer = ask(&gate, method, path, "").await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        assert_eq!(answer.header("x-punctual-target"), Some("second"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let call = last(&gate);
        assert_eq!(call.surface, Surface::Responses);
        assert_eq!(
            (call.method.as_str(), call.path.as_deref()),
            (method, Some(below))
        );
        assert_eq!((call.body.len(), call.stream), (0, false));
        assert_eq!(call.state.required, [fingerprint("resp_1")]);
        assert!(call.state.pieces.is_empty());
    }
    assert!(gate.reports(5).await.iter().all(|r| r.route.is_none()));
    gate.idle().await;
}

#[tokio::test]
async fn a_response_can_be_followed_as_a_stream() {
    let gate = Gate::open().await;
    gate.fake.bind(Bond::To(vec![SECOND]));
    let answer = ask(
        &gate,
        "GET",
        "/v1/responses/r?stream=true&starting_after=3",
        "",
    )
    .await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let call = last(&gate);
    assert!(call.stream);
    assert_eq!(
        call.path.as_deref(),
        Some("/responses/r?stream=true&starting_after=3")
    );
}

#[tokio::test]
async fn a_body_to_cancel_with_is_not_passed_on() {
    let gate = Gate::open().await;
    let request = request(
        "POST",
        "/v1/responses/r/cancel",
        "content-type: text/plain\r\n",
        "{}",
    );
    assert_eq!(gate.caller().await.ask(&request).await.status, 200);
    assert!(last(&gate).body.is_empty());
}

#[tokio::test]
async fn an_id_is_plain_or_refused() {
    let gate = Gate::open().await;
    for id in ["..", "a%2Fb", "a%20b", &"x".repeat(257)] {
        let answer = ask(&gate, "GET", &format!("/v1/responses/{id}"), "").await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "invalid_response_id")
        );
    }
    let answer = ask(&gate, "GET", "/v1/responses/../models", "").await;
    assert_eq!(answer.status, 404);
    assert_eq!(gate.fake.sent(), 0);
}

#[tokio::test]
async fn what_is_gone_is_a_conflict() {
    let gate = Gate::open().await;
    gate.fake.bind(Bond::Lost);
    let answer = ask(&gate, "GET", "/v1/responses/r", "").await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (409, "bound_state_unavailable")
    );
    let body = "{\"model\":\"chat\",\"input\":\"x\",\"previous_response_id\":\"r\"}";
    let answer = gate.caller().await.post("/v1/responses", "", body).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (409, "bound_state_unavailable")
    );
    assert_eq!(answer.json()["error"]["type"], "invalid_request_error");
    assert_eq!(gate.fake.sent(), 0);
    for report in gate.reports(2).await {
        assert_eq!(report.outcome, Some(Outcome::Failed));
    }
}

#[tokio::test]
async fn a_key_reaches_what_its_routes_made_and_nothing_else() {
    let gate = Gate::with(keyed()).await;
    gate.fake.bind(Bond::To(vec![SECOND]));
    let path = "/v1/responses/r";
    let answer = ask(&gate, "GET", path, "x-api-key: ci\r\n").await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (409, "bound_state_unavailable")
    );
    let answer = ask(&gate, "GET", path, "x-api-key: other\r\n").await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn calls_with_something_in_common_are_known_by_header_or_cache_key() {
    let settings = Settings {
        affinity_header: http::HeaderName::from_static("x-session"),
        ..Setup::default().settings
    };
    let gate = Gate::with(Setup {
        settings,
        ..keyed()
    })
    .await;
    let affinity = async |headers: &str, rest: &str| {
        let body = format!("{{\"model\":\"chat\",\"input\":\"x\"{rest}}}");
        let answer = gate
            .caller()
            .await
            .post("/v1/responses", headers, &body)
            .await;
        assert_eq!(answer.status, 200);
        last(&gate).state.affinity
    };
    let cached = ",\"prompt_cache_key\":\"s\"";
    let header = affinity("api-key: a\r\nx-session: s\r\n", "").await;
    assert_eq!(header, Some(fingerprint("a\ns")));
    assert_eq!(affinity("api-key: a\r\n", cached).await, header);
    let both = affinity("api-key: a\r\nx-session: other\r\n", cached).await;
    assert_ne!(both, header, "the header goes first");
    let other = affinity("api-key: b\r\nx-session: s\r\n", "").await;
    assert_ne!(other, header, "keys have nothing in common");
    for none in ["api-key: a\r\n", "api-key: a\r\nx-session: \r\n"] {
        assert_eq!(affinity(none, "").await, None);
    }
}
