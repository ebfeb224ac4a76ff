//! Holds a log line to the JSON schema that is published for it.

use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// Complains of everything in which `line` is not as [`punctual_telemetry::LOG_SCHEMA`] says.
pub fn check(line: &Value, verdict: &mut Verdict) {
    let schema = serde_json::from_str(punctual_telemetry::LOG_SCHEMA).unwrap();
    fits(line, &schema, "line", verdict);
}

/// The part of JSON Schema that it uses.
fn fits(value: &Value, schema: &Value, at: &str, verdict: &mut Verdict) {
    let is = |kind: &Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        other => panic!("{at}: the schema says {other:?}"),
    };
    let typed = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is),
        kind => is(kind),
    };
    verdict.holds(format!("{at}: {value} is not of {}", schema["type"]), typed);
    if let Some(allowed) = schema["enum"].as_array() {
        verdict.holds(
            format!("{at}: {value} is not one of {allowed:?}"),
            allowed.contains(value),
        );
    }
    for item in value.as_array().into_iter().flatten() {
        fits(item, &schema["items"], at, verdict);
    }
    let Some(object) = value.as_object() else {
        return;
    };
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for name in schema["required"].as_array().into_iter().flatten() {
        let there = object.contains_key(name.as_str().unwrap());
        verdict.holds(format!("{at}: {name} is missing"), there);
    }
    for (name, value) in object {
        match properties.get(name) {
            Some(of) => fits(value, of, &format!("{at}.{name}"), verdict),
            None => verdict.complain(format!("{at}: {name} is not in the schema")),
        }
    }
}
