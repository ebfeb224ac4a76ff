//! A stream that a surface's codec wrote: events of that API, in an order its SDKs can follow.

use std::collections::BTreeSet;

use punctual_wire::{
    Surface,
    frame::{Frame, Framing},
};
use serde_json::Value;

use super::{frames, is_json, told};

/// Looks at every event, and at the last one if the stream is `complete`.
pub(super) fn check(surface: Surface, bytes: &[u8], complete: bool) {
    let frames = frames(Framing::Sse, bytes, &[]);
    let events: Option<Vec<_>> = frames.iter().map(event).collect();
    // numbers beyond a double are passed on, and cannot be looked at here
    let Some(events) = events else { return };
    let held = match surface {
        Surface::Chat => chat(&events, complete),
        Surface::Messages => messages(&events, complete),
        _ => responses(&events, complete),
    };
    if let Err(what) = held {
        panic!("{surface}: {what}\n{}", told(bytes));
    }
}

fn event(frame: &Frame) -> Option<(Option<String>, Value)> {
    assert!(frame.is_complete(), "{frame:?}");
    let data = frame.data().unwrap_or_else(|| panic!("no data: {frame:?}"));
    let value = match data.as_ref() {
        b"[DONE]" => Value::from("[DONE]"),
        data => {
            assert!(is_json(data), "{frame:?}");
            serde_json::from_slice(data).ok()?
        }
    };
    Some((frame.name().map(Into::into), value))
}

fn chat(events: &[(Option<String>, Value)], complete: bool) -> Result<(), String> {
    let mut finished = BTreeSet::new();
    for (i, (name, event)) in events.iter().enumerate() {
        if name.is_some() {
            return Err(format!("the event {name:?} has a name"));
        }
        if event == "[DONE]" {
            if i + 1 != events.len() {
                return Err("something stands behind [DONE]".into());
            }
            continue;
        }
        let choices = event["choices"].as_array().ok_or("no choices")?;
        for choice in choices {
            let index = choice["index"].as_u64().ok_or("a choice without index")?;
            if !choice["delta"].is_object() {
                return Err("a choice without delta".into());
            }
            let more = finished.contains(&index)
                && choice["delta"].as_object().is_some_and(|d| !d.is_empty());
            if more && complete {
                return Err(format!("choice {index} goes on after its finish: {choice}"));
            }
            if choice["finish_reason"].is_string() && !finished.insert(index) && complete {
                return Err(format!("choice {index} finishes twice"));
            }
        }
    }
    match events.last() {
        Some((_, last)) if complete && last != "[DONE]" => Err("no [DONE]".into()),
        None if complete => Err("nothing".into()),
        _ => Ok(()),
    }
}

fn messages(events: &[(Option<String>, Value)], complete: bool) -> Result<(), String> {
    let (mut open, mut next, mut told) = (None, 0, false);
    for (i, (name, event)) in events.iter().enumerate() {
        let kind = event["type"].as_str().ok_or("no type")?;
        if name.as_deref() != Some(kind) {
            return Err(format!("{name:?} is not {kind}"));
        }
        if (i == 0) != (kind == "message_start") {
            return Err("message_start is the first event and no other".into());
        }
        let index = event["index"].as_u64();
        match kind {
            "content_block_start" if open.is_none() && index == Some(next) && !told => {
                open = index;
                next += 1;
            }
            "content_block_delta" if index.is_some() && index == open => {}
            "content_block_stop" if index.is_some() && index == open => open = None,
            "message_delta" if open.is_none() && !told => told = true,
            "message_stop" if told && i + 1 == events.len() => {}
            "message_start" | "ping" => {}
            _ => return Err(format!("{kind} ({index:?}) while {open:?} is open")),
        }
    }
    match events.last() {
        Some((_, last)) if complete && last["type"] != "message_stop" => {
            Err("no message_stop".into())
        }
        None if complete => Err("nothing".into()),
        _ => Ok(()),
    }
}

fn responses(events: &[(Option<String>, Value)], complete: bool) -> Result<(), String> {
    let mut open = BTreeSet::new();
    for (i, (name, event)) in events.iter().enumerate() {
        let kind = event["type"].as_str().ok_or("no type")?;
        if name.as_deref() != Some(kind) {
            return Err(format!("{name:?} is not {kind}"));
        }
        if event["sequence_number"].as_u64() != Some(i as u64) {
            return Err(format!(
                "event {i} has the number {}",
                event["sequence_number"]
            ));
        }
        let item = event["output_index"].as_u64();
        let held = match kind {
            "response.output_item.added" => open.insert(item.ok_or("no output_index")?),
            "response.output_item.done" => open.remove(&item.ok_or("no output_index")?),
            _ => item.is_none_or(|item| open.contains(&item)),
        };
        if !held {
            return Err(format!("{kind} of item {item:?}, open are {open:?}"));
        }
    }
    let last = events.last().and_then(|(_, event)| event["type"].as_str());
    let ends = ["response.completed", "response.incomplete"];
    match complete && !(last.is_some_and(|last| ends.contains(&last)) && open.is_empty()) {
        true => Err(format!("{last:?} is the last event, open are {open:?}")),
        false => Ok(()),
    }
}
