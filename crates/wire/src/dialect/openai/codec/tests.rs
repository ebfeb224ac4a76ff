use bytes::Bytes;
use serde_json::Value;

use super::UPSTREAM;
use crate::{
    dialect::{Judge as _, Kind, openai},
    frame::{Frame, Framing, Splitter},
    middle::Derived,
};

mod agreement;

fn frames(text: &str) -> Vec<Frame> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 26);
    splitter.push(Bytes::from(text.to_owned()));
    let mut frames: Vec<_> = std::iter::from_fn(|| splitter.next())
        .map(Result::unwrap)
        .collect();
    frames.extend(splitter.finish());
    frames
}
