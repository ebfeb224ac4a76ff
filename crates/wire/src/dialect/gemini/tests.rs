use std::path::PathBuf;

use bytes::Bytes;

use super::UPSTREAM;
use crate::{
    frame::{Framing, Splitter},
    middle::{Delta, Seen},
};

mod answer;
mod captures;
mod embed;
mod grounding;
mod predict;
mod request;
mod stream;

/// A step or what a frame was, as one line.
fn told(framing: Framing, chunks: &[&[u8]], choices: u32) -> Vec<String> {
    let mut splitter = Splitter::new(framing, 1 << 24);
    let mut decode = (UPSTREAM.stream)(choices);
    let mut lines = Vec::new();
    let mut read = |frame| {
        let seen = decode.decode(&frame, &mut |delta| {
            if let Delta::Text { text, .. }
            | Delta::Reasoning { text, .. }
            | Delta::ToolInput { json: text, .. } = &delta
            {
                assert!(!text.is_empty());
            }
            lines.push(format!("{delta:?}"));
        });
        if !matches!(seen, Seen::Data | Seen::Comment) {
            lines.push(format!("{seen:?}"));
        }
    };
    for chunk in chunks {
        splitter.push(Bytes::copy_from_slice(chunk));
        while let Some(frame) = splitter.next() {
            read(frame.unwrap());
        }
    }
    splitter.finish().into_iter().for_each(read);
    lines
}

/// Only the steps that begin so.
fn only<'a>(lines: &'a [String], kinds: &[&str]) -> Vec<&'a str> {
    let wanted = |line: &&String| kinds.iter().any(|kind| line.starts_with(kind));
    lines.iter().filter(wanted).map(String::as_str).collect()
}

/// The texts of one kind of step, joined.
fn joined(lines: &[String], kind: &str, member: &str) -> String {
    let start = format!("{member}: ");
    let texts = lines.iter().filter(|line| line.starts_with(kind));
    let texts = texts.filter_map(|line| {
        let (_, rest) = line.split_once(&start)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        values.next()?.ok()
    });
    texts.collect()
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gemini");
    std::fs::read(folder.join(name)).unwrap()
}
