//! Chat completions.

use super::{Said, list, text};
use crate::sse::Block;
use serde_json::Value;

pub(super) fn stream(events: &[&Block]) -> Said {
    let (last, chunks) = events.split_last().expect("an event");
    assert!(last.is_done(), "the last event is [DONE], not {last:?}");
    let mut said = Said::default();
    let (mut id, mut ids) = (None, Vec::<String>::new());
    let mut counted = false;
    for event in chunks {
        let chunk = event.json();
        assert_eq!(chunk["object"], "chat.completion.chunk", "{chunk}");
        assert!(!counted, "a chunk after the usage: {chunk}");
        assert!(
            !text(&chunk, "/id").is_empty() && chunk["model"].is_string(),
            "{chunk}"
        );
        assert!(chunk["created"].is_u64(), "{chunk}");
        let one = id.get_or_insert_with(|| chunk["id"].clone());
        assert_eq!(*one, chunk["id"], "one answer, one id");
        for choice in list(&chunk["choices"]) {
            assert_eq!(choice["index"], 0, "{chunk}");
            let delta = &choice["delta"];
            assert!(delta.is_object(), "{chunk}");
            let filled = delta.as_object().is_some_and(|d| !d.is_empty());
            assert!(
                said.finish.is_none() || !filled,
                "a delta after the finish: {chunk}"
            );
            add(&mut said, delta, &mut ids);
            if let Some(word) = choice["finish_reason"].as_str() {
                assert!(said.finish.is_none(), "a second finish: {chunk}");
                said.finish = Some(word.to_owned());
            }
        }
        if !chunk["usage"].is_null() {
            said.usage = usage(&chunk["usage"]);
            counted = list(&chunk["choices"]).is_empty();
        }
    }
    said
}

fn add(said: &mut Said, delta: &Value, ids: &mut Vec<String>) {
    said.text += delta["content"].as_str().unwrap_or_default();
    said.refusal += delta["refusal"].as_str().unwrap_or_default();
    said.reasoning += delta["reasoning_content"].as_str().unwrap_or_default();
    for call in list(&delta["tool_calls"]) {
        let index = usize::try_from(call["index"].as_u64().expect("an index")).unwrap();
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        if index == said.calls.len() {
            assert_eq!(call["type"], "function", "{call}");
            let id = text(call, "/id").to_owned();
            assert!(!id.is_empty() && !ids.contains(&id), "{call}");
            ids.push(id);
            let name = text(call, "/function/name").to_owned();
            said.calls.push((name, arguments.to_owned()));
        } else {
            let known = call["id"].as_str().unwrap_or_default();
            assert!(known.is_empty() || ids[index] == known, "{call}");
            said.calls[index].1 += arguments;
        }
    }
}

pub(super) fn answer(value: &Value) -> Said {
    assert_eq!(value["object"], "chat.completion", "{value}");
    assert!(
        value["created"].is_u64() && value["model"].is_string(),
        "{value}"
    );
    let choice = &value["choices"][0];
    let message = &choice["message"];
    assert_eq!(message["role"], "assistant", "{value}");
    assert!(message.get("content").is_some(), "{value}");
    let calls = list(&message["tool_calls"]).iter().map(|call| {
        assert_eq!(call["type"], "function", "{call}");
        assert!(!text(call, "/id").is_empty(), "{call}");
        let function = |path| text(call, path).to_owned();
        (function("/function/name"), function("/function/arguments"))
    });
    let part = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
    Said {
        text: part("content"),
        reasoning: part("reasoning_content"),
        refusal: part("refusal"),
        calls: calls.collect(),
        opaque: Vec::new(),
        finish: Some(text(choice, "/finish_reason").to_owned()),
        usage: usage(&value["usage"]),
    }
}

fn usage(value: &Value) -> [Option<u64>; 2] {
    ["prompt_tokens", "completion_tokens"].map(|name| value[name].as_u64())
}
