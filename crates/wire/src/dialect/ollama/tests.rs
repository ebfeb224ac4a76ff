use crate::{
    frame::{Frame, Framing, tests::split},
    middle::{
        Decode,
        sample::{self, joined, only},
    },
};

mod answer;
mod captures;
mod embed;
mod generate;
mod request;
mod stream;

fn frames(pieces: &[&[u8]]) -> Vec<Frame> {
    split(Framing::Lines, pieces.iter().copied())
}

/// Every step, as [`sample::told`] tells it.
fn told(decode: Box<dyn Decode>, pieces: &[&[u8]]) -> Vec<String> {
    sample::told(decode, &frames(pieces))
}

fn fixture(name: &str) -> Vec<u8> {
    sample::fixture(&format!("ollama/{name}"))
}
