use super::UPSTREAM;
use crate::{
    frame::{Framing, tests::split},
    middle::sample::{self, joined, only},
};

mod answer;
mod captures;
mod embed;
mod grounding;
mod predict;
mod request;
mod stream;

/// Every step, as [`sample::told`] tells it.
fn told(framing: Framing, pieces: &[&[u8]], choices: u32) -> Vec<String> {
    let frames = split(framing, pieces.iter().copied());
    sample::told((UPSTREAM.stream)(choices), &frames)
}

fn fixture(name: &str) -> Vec<u8> {
    sample::fixture(&format!("gemini/{name}"))
}
