//! STA-07: an error without words becomes a whole envelope that names the target and the status, and is asked
//! once.

use crate::house::{House, SURFACES, stream};
use punctual_sim::{Cuts, Script};

/// Statuses that are the caller's mistake, and bodies without a sentence, each with the code that is told.
const STATUSES: [u16; 6] = [400, 405, 409, 413, 415, 422];
const BODIES: [(&str, &str, &str); 5] = [
    ("text/plain", "", "invalid_request"),
    ("application/json", "{}", "invalid_request"),
    ("application/json", "{\"error\":{\"code\":\"x\"}}", "x"),
    (
        "text/html",
        "<html><title>400 Bad Request</title>nginx/1.2 at 10.0.0.1</html>",
        "invalid_request",
    ),
    ("application/octet-stream", "\u{0}\u{1}", "invalid_request"),
];

const CONFIG: &str = "\
providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }
targets:
  far-away: { provider: p, model: silent }
  behind: { provider: p, model: behind }
routes: { r: { plan: { fallback: [ { retry: { of: far-away, max_attempts: 3, initial: 1ms } }, behind ] } } }
";

#[tokio::test]
async fn an_error_without_words_is_a_whole_envelope_and_asked_once() {
    let house = House::open("", CONFIG).await;
    for status in STATUSES {
        for (kind, body, code) in BODIES {
            house
                .sim
                .set("silent", Script::raw(status, kind, &[], body, Cuts::Whole));
            for asks in SURFACES {
                let what = format!("{status} {body:?} {asks:?}");
                house.sim.reset();
                let answer = house.ask(&asks.of("r")).await;
                assert_eq!(answer.status, status, "{what}: {}", answer.text());
                assert_eq!(
                    answer.header("content-type"),
                    Some("application/json"),
                    "{what}"
                );
                let error = &answer.json()["error"];
                let message = error["message"].as_str().unwrap();
                assert!(message.contains("far-away"), "{what}: {message}");
                assert!(message.contains(&status.to_string()), "{what}: {message}");
                assert!(!message.contains("nginx"), "{what}: {message}");
                assert_eq!(error["type"], "invalid_request_error", "{what}");
                assert_eq!(error["code"], code, "{what}");
                assert_eq!(error.get("param"), Some(&serde_json::Value::Null), "{what}");
                assert_eq!(house.sim.report().len(), 1, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_without_words_in_a_stream_names_them_too() {
    let house = House::open("", CONFIG).await;
    let event = "data: {\"error\":{\"code\":422}}\n\n";
    house.sim.set("silent", stream(event, Cuts::Whole));
    let answer = house.ask(&SURFACES[1].of("r")).await;
    let message = answer.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(answer.status, 422, "{message}");
    assert!(
        message.contains("far-away") && message.contains("422"),
        "{message}"
    );
    assert_eq!(house.sim.report().len(), 1);
}
