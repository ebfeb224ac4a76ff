//! The promises of this dialect.

mod answers;
mod questions;
mod reading;
mod requests;
mod round;
mod writing;

use bytes::{Bytes, BytesMut};

use crate::{
    frame::{Frame, Framing, Splitter},
    middle::{Asked, Decode, Delta, Encode, Seen},
};

/// A caller of this API.
fn asked() -> Asked {
    Asked {
        model: "chat".into(),
        id: "abc".into(),
        now: 1_700_000_000,
        include_usage: true,
        ..Asked::default()
    }
}

/// The frames of `body`, cut at `cuts`.
fn frames(body: &[u8], cuts: &[usize]) -> Vec<Frame> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 20);
    let mut frames = Vec::new();
    let mut from = 0;
    for at in cuts.iter().copied().chain([body.len()]) {
        let piece = body.get(from..at).unwrap_or_default();
        splitter.push(Bytes::copy_from_slice(piece));
        from = at.max(from);
        while let Some(Ok(frame)) = splitter.next() {
            frames.push(frame);
        }
    }
    frames.extend(splitter.finish());
    frames
}

/// What a reader tells of `body`: its steps as they are debugged, and what the frames were.
fn told(body: &[u8], cuts: &[usize]) -> (Vec<String>, Vec<Seen>) {
    let mut reader = super::stream::reader(1);
    let mut steps = Vec::new();
    let seen = frames(body, cuts)
        .iter()
        .map(|frame| reader.decode(frame, &mut |delta| steps.push(step(&delta))))
        .collect();
    (steps, seen)
}

/// One step in short: `text Hello`.
fn step(delta: &Delta<'_>) -> String {
    match delta {
        Delta::Start(start) => {
            let id = start.id.as_deref().unwrap_or_default();
            format!("start {id} {}", start.model.as_deref().unwrap_or_default())
        }
        Delta::Text { text, logprobs, .. } => match logprobs {
            Some(logprobs) => format!("text {text} {logprobs}"),
            None => format!("text {text}"),
        },
        Delta::Refusal { text, .. } => format!("refusal {text}"),
        Delta::Reasoning { text, .. } => format!("reasoning {text}"),
        Delta::Opaque { value, .. } => format!("opaque {value}"),
        Delta::ToolCall {
            index, id, name, ..
        } => format!("call {index} {id} {name}"),
        Delta::ToolInput { index, json, .. } => format!("input {index} {json}"),
        Delta::ToolDone { index, .. } => format!("done {index}"),
        Delta::Citation { json, .. } => format!("citation {json}"),
        Delta::Finish { finish, .. } => format!("finish {}", finish.as_str()),
        Delta::Usage(usage) => format!(
            "usage {} {}",
            usage.input.unwrap_or_default(),
            usage.output.unwrap_or_default()
        ),
        Delta::Ended => "ended".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Events of this API, each with the name that is its type.
fn events(payloads: &[&str]) -> String {
    let event = |payload: &&str| {
        let kind = crate::json::member(payload, "type").and_then(crate::json::text);
        format!("event: {}\ndata: {payload}\n\n", kind.unwrap_or_default())
    };
    payloads.iter().map(event).collect()
}

/// What a writer makes of `deltas`, closed.
fn written(deltas: &[Delta<'_>]) -> (String, Box<dyn Encode>) {
    let mut writer = super::reply::stream(&asked());
    let mut out = BytesMut::new();
    for delta in deltas {
        writer.delta(delta, &mut out);
    }
    writer.close(&mut out);
    (String::from_utf8(out.to_vec()).unwrap(), writer)
}

/// A reader as a trait object can be sent to another thread.
#[test]
fn readers_and_writers_are_for_any_thread() {
    fn send<T: Send + ?Sized>() {}
    send::<dyn Decode>();
    send::<dyn Encode>();
}
