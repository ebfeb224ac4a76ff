//! Each surface says what the others say, in its own form.
//!
//! A script must mean the same on every surface: as many contents, the same silence, an error that the
//! surface's own clients recognise.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod talk;

use std::time::Duration;

use punctual_sim::{Listen, Script, Sim};
use serde_json::Value;
use talk::{CHAT, End, Heard, ask, body};

const PATIENCE: Duration = Duration::from_millis(80);
const MESSAGES: &str = "/v1/messages";
const RESPONSES: &str = "/v1/responses";
const STREAMED: [&str; 4] = [CHAT, "/v1/completions", MESSAGES, RESPONSES];

async fn told(line: &str, path: &str, stream: bool) -> Heard {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    sim.set("m", line.parse::<Script>().unwrap());
    ask(&sim, path, &body("m", stream), PATIENCE).await
}

fn names(heard: &Heard) -> Vec<String> {
    heard
        .text()
        .lines()
        .filter_map(|l| l.strip_prefix("event: "))
        .map(str::to_owned)
        .collect()
}

fn json(heard: &Heard) -> Value {
    serde_json::from_slice(&heard.bytes()).unwrap()
}

#[tokio::test]
async fn every_event_of_every_surface_is_json_of_its_own_type() {
    for path in [MESSAGES, RESPONSES] {
        let heard = told("reasoning,tool-call,refusal,usage", path, true).await;
        let types: Vec<String> = heard
            .data()
            .iter()
            .map(|d| {
                serde_json::from_str::<Value>(d).unwrap()["type"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(
            (names(&heard), &heard.end),
            (types, &End::Complete),
            "{path}"
        );
    }
}

#[tokio::test]
async fn messages_streams_as_anthropic_does() {
    let heard = told("", MESSAGES, true).await;
    let wanted = [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(names(&heard), wanted);
    assert_eq!(
        (
            heard.count(r#""type":"text_delta","text":"tok"#),
            heard.count("[DONE]")
        ),
        (2, 0)
    );
    assert_eq!(heard.count(r#""stop_reason":"end_turn""#), 1);
    let heard = told("reasoning=1,tool-call", MESSAGES, true).await;
    assert_eq!(
        (
            heard.count("thinking_delta"),
            heard.count("input_json_delta"),
            heard.count("\"tool_use\"")
        ),
        (1, 2, 2)
    );
    let whole = json(&told("reasoning,tool-call", MESSAGES, false).await);
    assert_eq!(
        (&whole["content"][1]["text"], &whole["stop_reason"]),
        (&"tok0 tok1 ".into(), &"tool_use".into())
    );
    assert_eq!(whole["content"][2]["input"]["city"], "Paris");
}

#[tokio::test]
async fn responses_streams_as_openai_does() {
    let heard = told("", RESPONSES, true).await;
    let wanted = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(names(&heard), wanted.map(|name| format!("response.{name}")));
    for (n, data) in heard.data().iter().enumerate() {
        assert_eq!(
            serde_json::from_str::<Value>(data).unwrap()["sequence_number"],
            n
        );
    }
    let heard = told("finish=length", RESPONSES, true).await;
    assert_eq!(names(&heard).last().unwrap(), "response.incomplete");
    let whole = json(&told("tool-call,reasoning", RESPONSES, false).await);
    assert_eq!(
        (&whole["status"], &whole["output"][2]["content"][0]["text"]),
        (&"completed".into(), &"tok0 tok1 ".into())
    );
    assert_eq!(whole["output"][1]["arguments"], r#"{"city":"Paris"}"#);
}

/// The indexes that events name, one step for each of a row of equal ones.
fn steps(heard: &Heard, member: &str) -> Vec<u64> {
    let all = heard.data();
    let mut steps: Vec<u64> = all
        .iter()
        .filter_map(|data| serde_json::from_str::<Value>(data).ok()?[member].as_u64())
        .collect();
    steps.dedup();
    steps
}

#[tokio::test]
async fn blocks_and_items_follow_each_other_and_never_overlap() {
    for (path, member) in [(MESSAGES, "index"), (RESPONSES, "output_index")] {
        for (line, wanted) in [
            ("", vec![0]),
            ("reasoning", vec![0, 1]),
            ("reasoning,tool-call", vec![0, 1, 2]),
            ("tool-call,tokens=0", vec![0]),
        ] {
            let heard = told(line, path, true).await;
            assert_eq!(steps(&heard, member), wanted, "{path} {line}");
            let opened =
                heard.count("\"content_block_start\"") + heard.count("output_item.added\"");
            let closed = heard.count("\"content_block_stop\"") + heard.count("output_item.done\"");
            assert_eq!(
                (opened, closed),
                (wanted.len(), wanted.len()),
                "{path} {line}"
            );
        }
    }
}

#[tokio::test]
async fn images_are_unary() {
    let image = json(&told("", "/v1/images/generations", true).await);
    assert!(
        image["data"][0]["b64_json"]
            .as_str()
            .unwrap()
            .starts_with("iVBOR")
    );
}

#[tokio::test]
async fn errors_wear_the_surfaces_form() {
    let body = json(&told("status=529", MESSAGES, true).await);
    assert_eq!(
        (&body["type"], &body["error"]["type"]),
        (&"error".into(), &"overloaded_error".into())
    );
    let heard = told("error-after=1,error=server", MESSAGES, true).await;
    assert_eq!(
        (
            names(&heard).pop().unwrap().as_str(),
            heard.count("api_error"),
            heard.count("\"tok")
        ),
        ("error", 1, 1)
    );
    let heard = told("error=insufficient_quota", RESPONSES, true).await;
    let error: Value = serde_json::from_str(&heard.data()[0]).unwrap();
    assert_eq!(
        (&error["type"], &error["code"]),
        (&"error".into(), &"insufficient_quota".into())
    );
    assert_eq!(
        json(&told("status=429", RESPONSES, true).await)["error"]["code"],
        "rate_limit_exceeded"
    );
}

#[tokio::test]
async fn a_script_means_the_same_everywhere() {
    for path in STREAMED {
        let heard = told("stall-after=3", path, true).await;
        assert_eq!(
            (&heard.end, heard.count("\"tok")),
            (&End::Silent, 3),
            "{path}"
        );
        let heard = told("preamble-then-silent", path, true).await;
        assert_eq!(
            (&heard.end, heard.status(), heard.count("\"tok")),
            (&End::Silent, 200, 0),
            "{path}"
        );
        let heard = told("truncated", path, true).await;
        assert_eq!((&heard.end, heard.count("\"tok")), (&End::Fin, 2), "{path}");
        for ending in ["[DONE]", "message_stop", "response.completed", "\"stop\""] {
            assert_eq!(heard.count(ending), 0, "{path}");
        }
        for filler in ["role-only", "empty-deltas", "usage-frames", "keepalive"] {
            let heard = told(filler, path, true).await;
            assert_eq!(
                (&heard.end, heard.count("tok0")),
                (&End::Silent, 0),
                "{path} {filler}"
            );
            assert!(heard.pieces.len() > 10, "{path} {filler}");
        }
        let heard = told("trickle=10ms", path, true).await;
        assert!(
            heard.end == End::Silent && heard.count("more ") > 10,
            "{path}"
        );
        let heard = told("trickle=10ms", path, false).await;
        assert!(
            heard.end == End::Silent && heard.text().starts_with('{'),
            "{path}"
        );
    }
}
