//! What must hold of any bytes whatever. Each check panics if it does not.
//!
//! A fuzz target and the replay of what it found (`crates/wire/tests/regressions.rs`) call the same function.
//! An input is the thing itself, a body or a stream, so that it can be read, and so that fixtures are seeds.
//! Where several APIs are possible, the first byte of the input says which ([`Source::of`]).

use bytes::Bytes;
use punctual_wire::frame::{Frame, Framing, Splitter};

mod answer;
mod framing;
mod kept;
mod peek;
mod request;
mod source;
mod stream;
mod verdict;
mod written;

pub use answer::answer;
pub use framing::{array, eventstream, lines, sse};
pub use peek::peek;
pub use request::request;
pub use stream::stream;
pub use verdict::verdict;

use source::Source;

/// More than the fuzzer's inputs.
const LIMIT: usize = 1 << 20;

/// The frames of `bytes`, opened, which come in pieces of these sizes, over and over.
fn frames(framing: Framing, bytes: &[u8], sizes: &[usize]) -> Vec<Frame> {
    let mut splitter = Splitter::new(framing, LIMIT);
    let (mut frames, mut rest) = (Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = sizes
            .next()
            .copied()
            .unwrap_or(usize::MAX)
            .clamp(1, rest.len());
        let (piece, behind) = rest.split_at(size);
        rest = behind;
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            match frame {
                Ok(frame) => frames.push(frame),
                Err(_) => break,
            }
        }
    }
    frames.extend(splitter.finish());
    frames.into_iter().filter_map(Frame::opened).collect()
}

/// Sizes of pieces that depend on nothing but the input.
fn sizes(bytes: &[u8]) -> Vec<usize> {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    hash.to_be_bytes()
        .map(|byte| usize::from(byte % 40) + 1)
        .to_vec()
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok()
}

fn told(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
