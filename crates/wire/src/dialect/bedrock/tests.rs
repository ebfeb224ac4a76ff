//! Tests of the codec, on messages that are made here.

use bytes::Bytes;

use crate::{
    eventstream::tests::{event, exception},
    frame::{Frame, Framing, Splitter},
    middle::{Decode, Delta, Seen},
};

mod answer;
mod captures;
mod embed;
mod invoke;
mod question;
mod stream;
mod thinking;

/// The frames of a stream that comes in these pieces.
fn frames(framing: Framing, pieces: &[&[u8]]) -> Vec<Frame> {
    let mut splitter = Splitter::new(framing, 1 << 20);
    let mut out = Vec::new();
    for piece in pieces {
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            out.push(frame.unwrap());
        }
    }
    out.extend(splitter.finish());
    out.into_iter().filter_map(Frame::opened).collect()
}

/// What is told of them, and what each was.
fn told(decode: &mut dyn Decode, frames: &[Frame]) -> (Vec<String>, Vec<Seen>) {
    let mut deltas = Vec::new();
    let mut seen = Vec::new();
    for frame in frames {
        seen.push(decode.decode(frame, &mut |delta| deltas.push(format!("{delta:?}"))));
    }
    (deltas, seen)
}

fn delta(delta: &Delta<'_>) -> String {
    format!("{delta:?}")
}

/// A stream out of a fixture: a line is the name of an event, a blank and its payload.
fn fixture(text: &str) -> Vec<u8> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines
        .flat_map(|(name, payload)| event(name, payload))
        .collect()
}
