use super::*;
use crate::{redaction::Redaction, scene};
use punctual_core::{Code, Failure};
use serde_json::{Map, Value};

/// The part of JSON Schema that the schema uses.
fn check(value: &Value, schema: &Value, at: &str) {
    let is = |kind: &str| match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        other => panic!("{at}: {other}"),
    };
    assert!(
        kinds.iter().any(|k| is(k)),
        "{at}: {value} is not {kinds:?}"
    );
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{at}: {value}");
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        list.iter().for_each(|v| check(v, items, at));
    }
    let Some(object) = value.as_object() else {
        return;
    };
    let properties = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_else(Map::new);
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(
            object.contains_key(name.as_str().unwrap()),
            "{at}: {name} is missing"
        );
    }
    for (name, value) in object {
        let of = properties
            .get(name)
            .unwrap_or_else(|| panic!("{at}: {name} is not in the schema"));
        check(value, of, &format!("{at}.{name}"));
    }
}

/// The fields stand in the order of the schema's required ones.
fn in_order(line: &[u8], schema: &Value) {
    let line = std::str::from_utf8(line).unwrap();
    let names = schema["required"].as_array().unwrap().iter();
    let places = names.map(|n| line.find(&format!("{n}:")).unwrap());
    assert!(places.is_sorted(), "{line}");
}

fn line(report: &Report, redaction: &Redaction) -> Value {
    let mut out = Vec::new();
    line::write(&mut out, report, redaction);
    let line: Value = serde_json::from_slice(&out).unwrap();
    let schema: Value = serde_json::from_str(LOG_SCHEMA).unwrap();
    check(&line, &schema, "line");
    in_order(&out, &schema);
    line
}

#[tokio::test]
async fn every_line_is_as_the_schema_says() {
    let none = Redaction::default();
    let ok = line(&scene::served().await, &none);
    assert_eq!(ok["outcome"], "ok");
    assert_eq!(ok["status"], 200);
    assert_eq!(ok["error"], Value::Null);
    assert_eq!(ok["usage"]["output"], 12);
    assert_eq!(ok["attempts"][0]["code"], "rate_limited");
    assert_eq!(ok["attempts"][1]["code"], "ok");
    assert_eq!(ok["attempts"][1]["upstream_request_id"], "req_1");
    assert_eq!(ok["trace_id"].as_str().map(str::len), Some(32));
    assert_eq!(ok["deadline"]["budget_ms"], 60_000.0);
    let gone = line(&scene::cancelled().await, &none);
    assert_eq!(gone["error"], "client_disconnected");
    assert_eq!(gone["reason"], "gone");
    assert_eq!(gone["attempts"][0]["code"], "client_disconnected");
    let refused = line(&scene::rejected().await, &none);
    assert_eq!(refused["error"], "invalid_request_deadline");
    assert_eq!(refused["route"], Value::Null);
}

#[tokio::test]
async fn an_upstreams_own_words_and_secrets_are_not_in_a_line() {
    let mut report = scene::served().await;
    let mut failure = Failure::new(Code::InvalidRequest, "cannot parse 'my secret plan'");
    report.outcome = Some(punctual_core::Outcome::UpstreamRejected);
    report.failure = Some(*failure.clone());
    report.attempts[0].message = Some("limit reached by 'my secret plan'".into());
    let redaction = Redaction::new(["sk-12345678".to_owned()]);
    let said = line(&report, &redaction).to_string();
    assert!(!said.contains("plan"), "{said}");
    failure.code = Code::ConnectFailed;
    failure.message = "could not connect with sk-12345678".into();
    report.failure = Some(*failure);
    report.attempts[1].request_id = Some("sk-12345678".into());
    let said = line(&report, &redaction);
    assert_eq!(said["message"], "could not connect with [redacted]");
    assert!(!said.to_string().contains("sk-1"), "{said}");
}

#[tokio::test]
async fn a_person_reads_one_short_line() {
    let mut out = Vec::new();
    human::write(&mut out, &scene::served().await, &Redaction::default());
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(" ok chat fast 200 "), "{text}");
    assert!(text.contains("by=b attempts=2 tokens=12"), "{text}");
    assert!(!text.contains('\u{1b}') && text.len() < 160, "{text}");
}
