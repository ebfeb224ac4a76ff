//! What a caller hears: each conversational surface read as its official SDK accumulates it, and stricter.
//!
//! Whatever a translation writes must be what a client of that API can put together without forgiveness: every
//! event announced before it is continued, closed once, numbered in order, and repeated whole at its end. A
//! rule that is broken is a panic with the event at fault. What comes out of the three readers is comparable.

mod chat;
mod messages;
mod responses;

use super::sse::{Block, blocks};
use serde_json::Value;

/// What an answer says, whichever API said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    pub reasoning: String,
    pub refusal: String,
    /// Name and input of each call.
    pub calls: Vec<(String, String)>,
    /// Encrypted thoughts.
    pub opaque: Vec<String>,
    pub finish: Option<String>,
    /// Tokens in and out.
    pub usage: [Option<u64>; 2],
}

impl Said {
    /// Inputs by their value, none as an empty object.
    pub fn plain(mut self) -> Self {
        for (_, input) in &mut self.calls {
            if let Ok(value) = serde_json::from_str::<Value>(input) {
                *input = value.to_string();
            } else if input.trim().is_empty() {
                *input = "{}".to_owned();
            }
        }
        self
    }
}

/// A complete stream of this surface.
pub fn stream(surface: &str, body: &[u8]) -> Said {
    let events = blocks(body);
    for event in &events {
        assert!(event.complete, "an event is cut: {event:?}");
    }
    let data: Vec<&Block> = events.iter().filter(|e| !e.is_comment()).collect();
    match surface {
        "chat" => chat::stream(&data),
        "messages" => messages::stream(&data),
        "responses" => responses::stream(&data),
        other => panic!("no reader for {other}"),
    }
}

/// A whole answer of this surface.
pub fn answer(surface: &str, body: &[u8]) -> Said {
    let value: Value = serde_json::from_slice(body).expect("JSON");
    match surface {
        "chat" => chat::answer(&value),
        "messages" => messages::answer(&value),
        "responses" => responses::answer(&value),
        other => panic!("no reader for {other}"),
    }
}

/// A stream of this surface up to the one error that ends it.
pub fn broken(surface: &str, body: &[u8]) -> Value {
    let events = blocks(body);
    let last = events.last().expect("an event");
    assert!(last.complete, "the error is cut: {last:?}");
    let errors = events.iter().filter(|e| e.is_error()).count();
    assert_eq!(errors, 1, "one error: {}", String::from_utf8_lossy(body));
    let json = last.json();
    match surface {
        "messages" => {
            assert_eq!(
                (last.name(), &json["type"]),
                (Some("error"), &"error".into())
            );
            assert!(json["error"]["type"].is_string(), "{json}");
            json["error"].clone()
        }
        "responses" => {
            assert_eq!(
                (last.name(), &json["type"]),
                (Some("error"), &"error".into())
            );
            assert!(json["sequence_number"].is_u64(), "{json}");
            assert!(json["message"].is_string(), "{json}");
            json
        }
        _ => json["error"].clone(),
    }
}

/// The error of an answer that is not a stream.
pub fn refused(surface: &str, body: &[u8]) -> Value {
    let json: Value = serde_json::from_slice(body).expect("JSON");
    assert!(json["error"]["message"].is_string(), "{json}");
    // Azure's own words have a type of null
    let kind = &json["error"]["type"];
    assert!(
        kind.is_string() || kind.is_null() && surface != "messages",
        "{json}"
    );
    if surface == "messages" {
        assert_eq!(json["type"], "error", "{json}");
    }
    json["error"].clone()
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    let found = value.pointer(path).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {path}: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
