//! What callers of Anthropic's API are told, in their own words: types by status, lists of models, what their
//! upstream said.

use crate::support::*;
use bytes::Bytes;
use punctual_core::{Code, Failure};
use punctual_server::{Key, Keys, Settings};
use std::sync::Arc;

const ASK: &str = "{\"model\":\"sim/x\",\"messages\":[],\"max_tokens\":1}";

async fn asked(gate: &Gate) -> Answer {
    gate.caller().await.post("/v1/messages", "", ASK).await
}

fn bare(code: Code) -> Box<Failure> {
    Failure::new(code, "no")
}

#[tokio::test]
async fn the_type_of_an_error_follows_its_status() {
    for (code, status, kind) in [
        (Code::InvalidRequest, 400, "invalid_request_error"),
        (Code::RateLimited, 429, "rate_limit_error"),
        (Code::QuotaExhausted, 429, "rate_limit_error"),
        (Code::Overloaded, 503, "overloaded_error"),
        (Code::ServerError, 502, "api_error"),
        (Code::NotFound, 502, "api_error"),
        (Code::Timeout, 504, "timeout_error"),
        (Code::BoundStateUnavailable, 409, "invalid_request_error"),
        (Code::Internal, 500, "api_error"),
    ] {
        for compat in [false, true] {
            let gate = Gate::with(Setup {
                settings: Settings {
                    compat,
                    ..Setup::default().settings
                },
                ..Setup::default()
            })
            .await;
            gate.fake.script("x", vec![Step::Fail(bare(code))]);
            let answer = asked(&gate).await;
            let error = &answer.json()["error"];
            assert_eq!(
                (
                    answer.status,
                    error["type"].as_str(),
                    error["code"].as_str()
                ),
                (status, Some(kind), Some(code.as_str()))
            );
        }
    }
}

#[tokio::test]
async fn their_upstreams_own_words_are_theirs() {
    let theirs = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"max_tokens: too many\"},\"request_id\":\"req_up\"}";
    let gate = Gate::open().await;
    let mut refusal = failure(Code::InvalidRequest, 400);
    refusal.body = Some(Bytes::from_static(theirs.as_bytes()));
    gate.fake.script("x", vec![Step::Fail(refusal)]);
    let answer = asked(&gate).await;
    assert_eq!((answer.status, answer.body.as_str()), (400, theirs));
}

#[tokio::test]
async fn models_are_a_list_that_both_sdks_read() {
    let ring = |presented: &str| (presented == "k").then(|| Arc::new(Key::default()));
    let gate = Gate::with(Setup {
        keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    })
    .await;
    let headers = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";
    let mut caller = gate.caller().await;
    let list = caller
        .ask(&request("GET", "/v1/models", headers, ""))
        .await
        .json();
    assert_eq!(list["object"], "list");
    assert_eq!(
        (&list["first_id"], &list["last_id"]),
        (&"chat".into(), &"team/chat".into())
    );
    assert_eq!(list["has_more"], false);
    let one = caller
        .ask(&request("GET", "/v1/models/team%2Fchat", headers, ""))
        .await
        .json();
    assert_eq!(one, list["data"][1]);
    for (member, value) in [
        ("id", "team/chat"),
        ("type", "model"),
        ("object", "model"),
        ("display_name", "team/chat"),
        ("created_at", "1970-01-01T00:00:00Z"),
    ] {
        assert_eq!(one[member], value);
    }
    let plain = caller
        .ask(&request("GET", "/v1/models", "x-api-key: k\r\n", ""))
        .await
        .json();
    assert_eq!(plain.get("has_more"), None);
    let unknown = caller
        .ask(&request("GET", "/v1/models/nobody", headers, ""))
        .await;
    assert_eq!(unknown.json()["error"]["type"], "not_found_error");
    let denied = gate
        .caller()
        .await
        .ask(&request(
            "GET",
            "/v1/models",
            "anthropic-version: 2023-06-01\r\n",
            "",
        ))
        .await;
    assert_eq!(
        (denied.status, denied.json()["type"].as_str()),
        (401, Some("error"))
    );
}
