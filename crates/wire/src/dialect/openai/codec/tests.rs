use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};

use super::{SURFACE, UPSTREAM};
use crate::{
    Verdict,
    dialect::{Finish, Judge as _, Kind, openai},
    frame::{Frame, Framing, Splitter},
    middle::{Answer, Asked, Delta, Derived, Json, Lost, Options, Part, Request, Seen, Source},
};

mod agreement;
mod answers;
mod asks;
mod chunks;
mod empty;
mod questions;
mod refusals;
mod streams;

fn asked() -> Asked {
    Asked {
        model: Arc::from("route"),
        id: Arc::from("made"),
        now: 1_700_000_000,
        ..Asked::default()
    }
}

fn frames(text: &str) -> Vec<Frame> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 26);
    splitter.push(Bytes::from(text.to_owned()));
    let mut frames: Vec<_> = std::iter::from_fn(|| splitter.next())
        .map(Result::unwrap)
        .collect();
    frames.extend(splitter.finish());
    frames
}

/// The steps of a stream, one a line, and what its frames were.
fn steps(n: u32, text: &str) -> (Vec<String>, Vec<Seen>) {
    let mut decode = (UPSTREAM.stream)(n);
    let (mut steps, mut seen) = (Vec::new(), Vec::new());
    for frame in frames(text) {
        seen.push(decode.decode(&frame, &mut |delta| steps.push(step(&delta))));
    }
    (steps, seen)
}

fn step(delta: &Delta<'_>) -> String {
    match delta {
        Delta::Start(start) => {
            format!("start {:?} {:?} {:?}", start.id, start.model, start.created)
                .replace("Some(", "")
                .replace(')', "")
        }
        Delta::Text {
            choice,
            text,
            logprobs,
        } => format!("text {choice} {text:?} {}", logprobs.unwrap_or_default()),
        Delta::Refusal { choice, text } => format!("refusal {choice} {text:?}"),
        Delta::Reasoning { choice, text } => format!("reasoning {choice} {text:?}"),
        Delta::Signature { choice, value } => format!("signature {choice} {value}"),
        Delta::Opaque { choice, value } => format!("opaque {choice} {value}"),
        Delta::ToolCall {
            choice,
            index,
            id,
            name,
        } => format!("call {choice}.{index} {id} {name}"),
        Delta::CallSignature {
            choice,
            index,
            value,
        } => format!("call signature {choice}.{index} {value}"),
        Delta::ToolInput {
            choice,
            index,
            json,
        } => format!("input {choice}.{index} {json}"),
        Delta::Citation { choice, json, .. } => format!("citation {choice} {json}"),
        Delta::Whole { choice, part } => format!("whole {choice} {part:?}"),
        Delta::Finish {
            choice,
            finish,
            stop_sequence,
        } => format!(
            "finish {choice} {} {}",
            finish.as_str(),
            stop_sequence.as_deref().unwrap_or_default()
        ),
        Delta::Usage(usage) => format!("usage {:?} {:?}", usage.input, usage.output),
        Delta::Ended => "ended".to_owned(),
        Delta::Lost(name) => format!("lost {name}"),
        other => format!("{other:?}"),
    }
    .trim_end()
    .to_owned()
}

/// A stream of choices, one an event.
fn events(choices: &[Value]) -> String {
    let event = |choice| format!("data: {}\n\n", json!({ "choices": [choice] }));
    choices.iter().map(event).collect()
}

fn deltas(deltas: &[Value]) -> Vec<String> {
    let choice = |delta: &Value| json!({ "index": 0, "delta": delta });
    steps(1, &events(&deltas.iter().map(choice).collect::<Vec<_>>())).0
}

fn question(value: &Value) -> Request {
    let body = Bytes::from(value.to_string());
    (SURFACE.request)(&body).unwrap_or_else(|fault| panic!("{fault}"))
}
