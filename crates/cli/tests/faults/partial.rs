//! PAR-04: what has been delivered is known where it is written. Whatever kind of content it was, nothing is
//! asked again behind it; as long as there was none, everything may be.

use crate::house::{Asks, House, delta, stream};
use punctual_sim::Cuts;

/// Deltas that are content, text or not.
const CONTENT: [(&str, &str); 6] = [
    ("text", r#""content":"seen""#),
    ("blank", r#""content":" ""#),
    ("refusal", r#""refusal":"seen""#),
    ("reasoning", r#""reasoning_content":"seen""#),
    (
        "tool",
        r#""tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"seen\":"}}]"#,
    ),
    (
        "function",
        r#""function_call":{"name":"f","arguments":"{\"seen\":"}"#,
    ),
];
const EMPTY: [(&str, &str); 3] = [
    ("role", r#""role":"assistant","content":"""#),
    ("nothing", ""),
    ("null", r#""content":null,"tool_calls":null"#),
];
/// How it breaks off.
const ENDS: [(&str, &str); 3] = [
    (
        "error",
        "data: {\"error\":{\"code\":\"server_error\",\"message\":\"oops\"}}\n\n",
    ),
    (
        "event",
        "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"oops\"}}\n\n",
    ),
    ("cut", ""),
];

const CONFIG: &str = "\
providers:
  a: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-a }
  b: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-b }
targets:
  breaks: { provider: a, model: breaks }
  spare:  { provider: b, model: spare }
routes: { r: { plan: { fallback: [ { retry: { of: breaks, max_attempts: 2, initial: 1ms, max: 1ms } }, spare ] } } }
";

#[tokio::test]
async fn behind_content_of_any_kind_nothing_is_asked_again() {
    for (kind, content) in CONTENT {
        // health is kept by target: a house for each
        let house = House::open("", CONFIG).await;
        for (end, bytes) in ENDS {
            let what = format!("{kind} {end}");
            let four = delta(content).repeat(4);
            house
                .sim
                .set("breaks", stream(format!("{four}{bytes}"), Cuts::Events));
            house.sim.reset();
            let answer = house.ask(&Asks::ChatStream.of("r")).await;
            let text = answer.text();
            assert_eq!(answer.status, 200, "{what}: {text}");
            assert!(text.starts_with(&four), "{what}: {text}");
            assert_eq!(text.matches(content).count(), 4, "{what}: {text}");
            assert_eq!(answer.error_events().len(), 1, "{what}: {text}");
            assert!(answer.complete && !answer.done(), "{what}: {text}");
            let asked = house.sim.report();
            assert_eq!(asked.len(), 1, "{what}: {asked:#?}");
        }
    }
}

#[tokio::test]
async fn the_other_surface_keeps_it_too() {
    let house = House::open("", CONFIG).await;
    let text = "data: {\"id\":\"cmpl-1\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\"seen\",\"finish_reason\":null}]}\n\n";
    for (end, bytes) in ENDS {
        house.sim.set(
            "breaks",
            stream(format!("{}{bytes}", text.repeat(4)), Cuts::Events),
        );
        house.sim.reset();
        let answer = house.ask(&Asks::CompletionStream.of("r")).await;
        assert_eq!(answer.content(), "seen".repeat(4), "{end}");
        assert_eq!(
            (answer.error_events().len(), answer.done()),
            (1, false),
            "{end}"
        );
        assert_eq!(house.sim.report().len(), 1, "{end}");
    }
}

#[tokio::test]
async fn without_content_the_next_one_is_asked_and_nothing_is_left_of_the_first() {
    for (kind, empty) in EMPTY {
        for (end, bytes) in ENDS {
            let house = House::open("", CONFIG).await;
            let what = format!("{kind} {end}");
            let four = delta(empty).repeat(4);
            house
                .sim
                .set("breaks", stream(format!("{four}{bytes}"), Cuts::Events));
            let answer = house.ask(&Asks::ChatStream.of("r")).await;
            let text = answer.text();
            assert_eq!(
                (answer.status, answer.done()),
                (200, true),
                "{what}: {text}"
            );
            assert_eq!(answer.content(), "tok0 tok1 ", "{what}: {text}");
            assert!(!text.contains("chatcmpl-1\""), "{what}: {text}");
            assert!(answer.error_events().is_empty(), "{what}: {text}");
            assert_eq!(house.asked("breaks").len(), 2, "{what}");
            assert_eq!(house.asked("spare").len(), 1, "{what}");
        }
    }
}
