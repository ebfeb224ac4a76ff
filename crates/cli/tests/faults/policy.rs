//! FBK-07, FBK-05: an error found in the first event of a 200 follows the same rules as one that has a status,
//! and a status is looked at before anything is taken for a stream.

use crate::{
    house::{House, STREAMS, SURFACES, stream},
    support::Answer,
};
use punctual_sim::{Cuts, Script};

/// Each with the status it stands for, and how often it is worth asking.
const ERRORS: [(u16, &str, usize); 8] = [
    (429, r#"{"error":{"code":429}}"#, 3),
    (500, r#"{"error":{"code":500,"message":"oops"}}"#, 3),
    (
        529,
        r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        3,
    ),
    (503, r#"{"error":{"code":503,"message":"busy"}}"#, 3),
    (
        400,
        r#"{"error":{"code":400,"message":"no such parameter","type":"invalid_request_error"}}"#,
        1,
    ),
    (401, r#"{"error":{"code":401,"message":"who are you"}}"#, 1),
    (
        404,
        r#"{"error":{"code":404,"message":"no such model"}}"#,
        1,
    ),
    (
        402,
        r#"{"error":{"code":"insufficient_quota","message":"pay first"}}"#,
        1,
    ),
];
/// Where the error stands.
const PLACES: [&str; 3] = ["status", "first", "behind-the-role"];
const ROLE: &str = "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n";

fn script(place: &str, status: u16, error: &str) -> Script {
    match place {
        "status" => Script::raw(
            status,
            "application/json",
            &[],
            error.to_owned(),
            Cuts::Whole,
        ),
        "first" => stream(format!("data: {error}\n\n"), Cuts::Whole),
        _ => stream(format!("{ROLE}data: {error}\n\n"), Cuts::Events),
    }
}

/// Targets with credentials of their own: nothing that rests one may rest another.
fn config(names: &[String]) -> String {
    let mut text = "targets:\n".to_owned();
    for name in names {
        text += &format!(
            "  {name}: {{ dialect: openai, base_url: \"{{sim}}/v1\", api_key: sk-{name}, model: {name} }}\n"
        );
    }
    text += "routes:\n";
    for name in names {
        text += &format!(
            "  {name}: {{ plan: {{ retry: {{ of: {name}, max_attempts: 3, initial: 1ms, max: 1ms }} }} }}\n"
        );
    }
    text
}

/// What a caller can tell apart.
fn told(answer: &Answer) -> (u16, String, Vec<String>) {
    let error = answer.json()["error"].clone();
    let attempts = error["attempts"].as_array().cloned().unwrap_or_default();
    let codes = attempts.iter().map(|a| a["code"].to_string());
    (answer.status, answer.code(), codes.collect())
}

#[tokio::test]
async fn an_error_before_content_is_retried_like_a_status() {
    let mut names = Vec::new();
    for (status, ..) in ERRORS {
        for asks in STREAMS {
            names.extend(PLACES.map(|place| format!("{place}-{status}-{asks:?}").to_lowercase()));
        }
    }
    let house = House::open("", &config(&names)).await;
    for (status, error, times) in ERRORS {
        for asks in STREAMS {
            let mut heard = Vec::new();
            for place in PLACES {
                let name = format!("{place}-{status}-{asks:?}").to_lowercase();
                house.sim.set(&name, script(place, status, error));
                let answer = house.ask(&asks.of(&name)).await;
                assert_eq!(house.asked(&name).len(), times, "{name}");
                let kind = answer.header("content-type");
                assert_eq!(kind, Some("application/json"), "{name}");
                let attempts = answer.header("x-punctual-attempts");
                assert_eq!(attempts, Some(times.to_string().as_str()), "{name}");
                heard.push(told(&answer));
            }
            let differs = heard.iter().find(|told| **told != heard[0]);
            assert!(differs.is_none(), "{status} {asks:?}: {heard:?}");
        }
    }
}

#[tokio::test]
async fn the_third_try_is_served_and_nothing_is_left_of_the_first_two() {
    let names = ["first".to_owned(), "behind-the-role".to_owned()];
    let house = House::open("", &config(&names)).await;
    for name in names {
        let twice = script(&name, 200, ERRORS[0].1).with("fail=2").unwrap();
        house.sim.set(&name, twice);
        let answer = house.ask(&STREAMS[0].of(&name)).await;
        assert_eq!(
            (answer.status, answer.done()),
            (200, true),
            "{}",
            answer.text()
        );
        assert!(answer.content().starts_with("tok0 "), "{}", answer.text());
        assert!(answer.error_events().is_empty() && !answer.text().contains("\"id\":\"x\""));
        assert_eq!(house.asked(&name).len(), 3, "{name}");
        assert_eq!(answer.header("x-punctual-attempts"), Some("3"), "{name}");
    }
}

#[tokio::test]
async fn a_status_is_judged_before_anything_is_taken_for_a_stream() {
    const GOOGLE: &str = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#;
    let bodies = [
        GOOGLE.to_owned(),
        format!("[{GOOGLE}]"),
        format!("data: {GOOGLE}\n\n"),
        String::new(),
    ];
    let mut names = Vec::new();
    for n in 0..bodies.len() {
        names.extend(SURFACES.map(|asks| format!("google-{n}-{asks:?}").to_lowercase()));
    }
    let house = House::open("", &config(&names)).await;
    for (n, body) in bodies.iter().enumerate() {
        for asks in SURFACES {
            let name = format!("google-{n}-{asks:?}").to_lowercase();
            let labelled = Script::raw(429, "text/event-stream", &[], body.clone(), Cuts::Whole);
            house.sim.set(&name, labelled);
            let answer = house.ask(&asks.of(&name)).await;
            let error = answer.json()["error"].clone();
            assert_eq!(answer.status, 429, "{name}: {error}");
            assert_eq!(
                answer.header("content-type"),
                Some("application/json"),
                "{name}"
            );
            assert_eq!(error["type"], "rate_limit_error", "{name}: {error}");
            assert_eq!(error["code"], "rate_limited", "{name}: {error}");
            // the names of types stay inside
            let text = answer.text();
            for inner in ["RateLimited", "Failure", "Verdict", "Class", "Some("] {
                assert!(!text.contains(inner), "{name}: {text}");
            }
        }
    }
}
