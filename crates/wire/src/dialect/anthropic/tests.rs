//! What the dialect promises, feature by feature.
//!
//! Streams that are written are put together by [`snapshot`] as the official SDKs do, only stricter:
//! whatever is out of order, unknown or missing fails there.

mod answers;
mod errors;
mod events;
mod hosts;
mod options;
mod properties;
mod questions;
mod recordings;
mod snapshot;
mod streams;

use bytes::{Bytes, BytesMut};
use serde_json::Value;

use super::{SURFACE, UPSTREAM};
use crate::{
    frame::{Frame, Framing, Splitter},
    middle::{Answer, Asked, Delta, Lost, Options, Request, Seen},
};

fn asked() -> Asked {
    Asked {
        model: "claude".into(),
        id: "abc".into(),
        now: 7,
        ..Asked::default()
    }
}

/// A caller's question.
fn read(body: &str) -> Request {
    (SURFACE.request)(&Bytes::copy_from_slice(body.as_bytes())).unwrap()
}

/// A question for a model, and what was lost: content first.
fn write(request: &Request, model: &str) -> (Value, Vec<String>) {
    let mut lost = Lost::default();
    let options = Options {
        model,
        ..Options::default()
    };
    let written = (UPSTREAM.request)(request, &options, &mut lost);
    let names = lost.names().map(Into::into).collect();
    (serde_json::from_slice(&written).unwrap(), names)
}

/// An answer for a caller, and what was lost.
fn reply(answer: &Answer) -> (Value, Vec<String>) {
    let mut lost = Lost::default();
    let written = (SURFACE.answer)(answer, &asked(), &mut lost);
    let names = lost.names().map(Into::into).collect();
    (serde_json::from_slice(&written).unwrap(), names)
}

/// The frames of a stream that comes in these pieces.
fn frames<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 24);
    let mut frames = Vec::new();
    for piece in pieces {
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            frames.push(frame.unwrap());
        }
    }
    frames.extend(splitter.finish());
    frames
}

/// The steps of a stream as text, one a line, and what its frames were.
fn steps(frames: &[Frame]) -> (Vec<String>, Vec<Seen>) {
    let mut decode = (UPSTREAM.stream)(1);
    let mut steps = Vec::new();
    let seen = frames
        .iter()
        .map(|frame| decode.decode(frame, &mut |delta| steps.push(format!("{delta:?}"))))
        .collect();
    (steps, seen)
}

/// What is written for these steps, and what was lost.
fn told(deltas: &[Delta<'_>]) -> (BytesMut, Vec<String>) {
    let mut encode = (SURFACE.stream)(&asked());
    let mut out = BytesMut::new();
    for delta in deltas {
        encode.delta(delta, &mut out);
    }
    encode.close(&mut out);
    let lost = encode.lost().names().map(Into::into).collect();
    (out, lost)
}
