//! The Responses API.

use super::{Said, list, text};
use crate::sse::Block;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// What was told of the items so far.
#[derive(Default)]
struct Items {
    /// As they were announced, by place.
    begun: Vec<Value>,
    /// As they were closed, by place too: calls may be open side by side.
    done: BTreeMap<u64, Value>,
    /// What was told in pieces: by place, part and kind.
    pieces: HashMap<(u64, u64, String), String>,
}

pub(super) fn stream(events: &[&Block]) -> Said {
    let mut items = Items::default();
    let mut end = None;
    for (number, event) in events.iter().enumerate() {
        let json = event.json();
        let kind = text(&json, "/type");
        assert_eq!(event.name(), Some(kind), "the name is the type");
        assert_eq!(json["sequence_number"], number, "{json}");
        assert!(end.is_none(), "nothing follows the end: {json}");
        assert_eq!(number == 0, kind == "response.created", "{json}");
        match kind {
            "response.created" | "response.in_progress" => {
                assert_eq!(json["response"]["status"], "in_progress", "{json}");
            }
            "response.completed" | "response.incomplete" => end = Some(json["response"].clone()),
            _ => items.event(kind, &json),
        }
    }
    let end = end.expect("an end");
    assert_eq!(
        items.begun.len(),
        items.done.len(),
        "an item was not closed"
    );
    let done: Vec<Value> = items.done.into_values().collect();
    assert_eq!(list(&end["output"]), done, "the end repeats the items");
    answer(&end)
}

impl Items {
    fn event(&mut self, kind: &str, json: &Value) {
        let place = json["output_index"].as_u64().expect("a place");
        let at = usize::try_from(place).unwrap();
        match kind {
            "response.output_item.added" => {
                assert_eq!(at, self.begun.len(), "{json}");
                assert!(!text(json, "/item/id").is_empty());
                self.begun.push(json["item"].clone());
            }
            "response.output_item.done" => {
                assert_eq!(self.begun[at]["id"], json["item"]["id"], "{json}");
                self.whole(place, &json["item"]);
                let before = self.done.insert(place, json["item"].clone());
                assert!(before.is_none(), "closed twice: {json}");
            }
            _ => self.piece(kind, place, json),
        }
    }

    fn piece(&mut self, kind: &str, place: u64, json: &Value) {
        let begun = &self.begun[usize::try_from(place).unwrap()];
        assert!(!self.done.contains_key(&place), "closed before: {json}");
        assert_eq!(begun["id"], json["item_id"], "{json}");
        let part = ["content_index", "summary_index"];
        let part = part.into_iter().find_map(|n| json[n].as_u64()).unwrap_or(0);
        if let Some(what) = kind.strip_suffix(".delta") {
            let so_far = self.pieces.entry((place, part, what.to_owned()));
            *so_far.or_default() += text(json, "/delta");
        } else if let Some(what) = kind.strip_suffix(".done") {
            let whole = ["text", "arguments", "refusal"].into_iter();
            let Some(whole) = whole.filter_map(|n| json[n].as_str()).next() else {
                return;
            };
            let told = self.pieces.get(&(place, part, what.to_owned()));
            assert_eq!(told.map_or("", String::as_str), whole, "{json}");
        }
    }

    /// What was told in pieces is what the whole item says.
    fn whole(&self, place: u64, item: &Value) {
        let told = |part: usize, what: &str| {
            let key = (place, part as u64, format!("response.{what}"));
            self.pieces.get(&key).map_or("", String::as_str)
        };
        match text(item, "/type") {
            "message" => {
                for (at, part) in list(&item["content"]).iter().enumerate() {
                    let (what, name) = match text(part, "/type") {
                        "refusal" => ("refusal", "/refusal"),
                        _ => ("output_text", "/text"),
                    };
                    assert_eq!(told(at, what), text(part, name), "{item}");
                }
            }
            "reasoning" => {
                for (at, part) in list(&item["summary"]).iter().enumerate() {
                    assert_eq!(told(at, "reasoning_summary_text"), text(part, "/text"));
                }
            }
            "function_call" => {
                assert_eq!(told(0, "function_call_arguments"), text(item, "/arguments"));
            }
            _ => {}
        }
    }
}

pub(super) fn answer(response: &Value) -> Said {
    assert_eq!(response["object"], "response", "{response}");
    assert!(!text(response, "/id").is_empty() && response["model"].is_string());
    assert!(response["created_at"].is_number(), "{response}");
    let mut said = Said::default();
    for item in list(&response["output"]) {
        match text(item, "/type") {
            "message" => {
                for part in list(&item["content"]) {
                    match text(part, "/type") {
                        "refusal" => said.refusal += text(part, "/refusal"),
                        _ => said.text += text(part, "/text"),
                    }
                }
            }
            "reasoning" => reasoning(item, &mut said),
            "function_call" => {
                assert!(!text(item, "/call_id").is_empty(), "{item}");
                let call = (text(item, "/name"), text(item, "/arguments"));
                said.calls.push((call.0.to_owned(), call.1.to_owned()));
            }
            _ => {}
        }
    }
    let reason = response.pointer("/incomplete_details/reason");
    let finish = match (text(response, "/status"), reason.and_then(Value::as_str)) {
        ("completed", None) if said.calls.is_empty() => "stop",
        ("completed", None) => "tool_calls",
        ("incomplete", Some("max_output_tokens")) => "length",
        ("incomplete", Some(other)) => other,
        other => panic!("{other:?}"),
    };
    said.finish = Some(finish.to_owned());
    said.usage = ["input_tokens", "output_tokens"].map(|n| response["usage"][n].as_u64());
    said
}

fn reasoning(item: &Value, said: &mut Said) {
    let (content, summary) = (list(&item["content"]), list(&item["summary"]));
    let parts = if content.is_empty() { summary } else { content };
    for part in parts {
        said.reasoning += text(part, "/text");
    }
    if let Some(sealed) = item["encrypted_content"].as_str() {
        said.opaque.push(sealed.to_owned());
    }
}
