use proptest::prelude::*;

use super::*;
use crate::BadBody;

fn refused(body: &str) -> BadBody {
    (SURFACE.request)(&Bytes::from(body.to_owned())).unwrap_err()
}

#[test]
fn what_cannot_be_read_is_named_with_its_place_and_never_quoted() {
    for (body, param, says) in [
        ("", None, "empty"),
        ("[]", None, "not a JSON object"),
        ("{\"model\":\"m\",\"messages\":[}", None, "not valid JSON"),
        ("{\"model\":\"m\"", None, "ends too early"),
        ("{\"\\ud83d\":1}", None, "not valid Unicode"),
        ("{\"model\":\"m\"}", Some("messages"), "missing"),
        ("{\"messages\":[]}", Some("model"), "missing"),
        (
            "{\"messages\":[],\"model\":\"\"}",
            Some("model"),
            "non-empty",
        ),
        (
            "{\"messages\":[],\"model\":\"secret\",\"Model\":\"secret\"}",
            Some("model"),
            "more than once",
        ),
        (
            "{\"messages\":{\"a\":\"secret\"},\"model\":\"m\"}",
            Some("messages"),
            "an array",
        ),
        (
            "{\"messages\":[\"secret\"],\"model\":\"m\"}",
            Some("messages"),
            "an object",
        ),
        (
            "{\"messages\":[{\"role\":\"secret\"}],\"model\":\"m\"}",
            Some("messages"),
            "role",
        ),
        (
            "{\"messages\":[{\"content\":\"secret\"}],\"model\":\"m\"}",
            Some("messages"),
            "without a `role`",
        ),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":7}],\"model\":\"m\"}",
            Some("messages"),
            "neither a string nor",
        ),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"secret\"}]}],\"model\":\"m\"}",
            Some("messages"),
            "without a `type`",
        ),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}],\"model\":\"m\"}",
            Some("messages"),
            "without its `text`",
        ),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":\"a\\ud83d b\"}],\"model\":\"m\"}",
            Some("messages"),
            "surrogate",
        ),
        (
            "{\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}],\"model\":\"m\"}",
            Some("messages"),
            "tool_call_id",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"temperature\":\"secret\"}",
            Some("temperature"),
            "a number",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"stream\":\"secret\"}",
            Some("stream"),
            "true or false",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"stop\":[1]}",
            Some("stop"),
            "a string",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"tools\":[{\"type\":\"function\"}]}",
            Some("tools"),
            "without `function`",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"tool_choice\":{\"type\":\"function\"}}",
            Some("tool_choice"),
            "name",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"response_format\":{\"type\":\"json_schema\"}}",
            Some("response_format"),
            "json_schema",
        ),
        (
            "{\"messages\":[],\"model\":\"m\",\"metadata\":\"secret\"}",
            Some("metadata"),
            "an object",
        ),
    ] {
        let fault = refused(body);
        assert_eq!(fault.param, param, "{body}: {fault}");
        assert!(fault.message.contains(says), "{body}: {fault}");
        assert!(!fault.message.contains("secret"), "{fault}");
    }
    let placed = refused("{\"model\":\"m\",\n \"messages\":[{\"role\":\"user\",\"content\":7}]}");
    assert_eq!((placed.line, placed.column), (2, 39));
}

#[test]
fn nesting_is_no_way_to_exhaust_the_stack() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies = [
        format!("{{\"model\":\"m\",\"messages\":{deep}}}"),
        format!("{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":{deep}}}]}}"),
        format!("{{\"model\":\"m\",\"messages\":[],\"novel\":{deep}}}"),
    ];
    let [first, second, third] = bodies.map(|body| (SURFACE.request)(&Bytes::from(body)));
    assert!(first.is_err() && second.is_err());
    assert_eq!(third.unwrap().extra.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_panics(word in "(content|tools|tool_calls|stop|n|reasoning|thinking_blocks|file|function)", value in "[\\[{}\\]\":,0-9a-z]{0,30}") {
        let body = format!(r#"{{"model":"m","messages":[{{"role":"assistant","{word}":{value}}}],"{word}":{value}}}"#);
        let _ = (SURFACE.request)(&Bytes::from(body));
    }
}
