//! Streams of every API on every surface.

use bytes::BytesMut;
use punctual_wire::{
    dialect::{Judge, Kind},
    frame::Frame,
    middle::Derived,
    via::surface_codec,
};

use super::{Source, answer::asked, frames, request::SURFACES, sizes, told, written};

/// What came of a stream.
#[derive(Debug, PartialEq)]
struct Outcome {
    written: Vec<u8>,
    failed: bool,
    ended: bool,
}

/// Reads a stream cut in two ways and writes it on each surface.
pub fn stream(data: &[u8]) {
    let Some((source, text)) = Source::of(data) else {
        return;
    };
    let bytes = source.stream(text);
    let whole = frames(source.framing, &bytes, &[]);
    let cut = frames(source.framing, &bytes, &sizes(text));
    for surface in SURFACES {
        let mut relayed = source.api.judge(surface, 1);
        judged(relayed.as_mut(), &whole);
        for choices in [1, 2] {
            let write = |frames: &[Frame]| {
                let codec = surface_codec(surface)?;
                let decode = source.reader(choices)?;
                let mut encode = (codec.stream)(&asked());
                let mut reader = Derived::new(decode);
                let mut out = BytesMut::new();
                let (mut failed, mut ended) = (false, false);
                for frame in frames {
                    let judged = reader.read(frame, &mut |delta| encode.delta(delta, &mut out));
                    assert!(judged.ends.is_none() || !ended, "the end is told twice");
                    ended |= judged.ends.is_some();
                    failed = matches!(judged.kind, Kind::Error(_));
                    if failed || judged.done {
                        break;
                    }
                }
                if !failed {
                    encode.close(&mut out);
                }
                Some(Outcome {
                    written: out.to_vec(),
                    failed,
                    ended,
                })
            };
            let outcome = write(&whole);
            assert_eq!(outcome, write(&cut), "it matters how it was cut");
            if let Some(outcome) = outcome {
                let (complete, written) = (!outcome.failed, &outcome.written);
                assert!(
                    complete || !written.ends_with(b"[DONE]\n\n"),
                    "{}",
                    told(written)
                );
                written::check(surface, written, complete);
            }
        }
    }
}

fn judged(judge: &mut dyn Judge, frames: &[Frame]) {
    let mut ends = 0;
    for frame in frames {
        ends += usize::from(judge.judge(frame).ends.is_some());
    }
    assert!(ends <= 1, "the end is told {ends} times");
    let _ = (judge.tally(), judge.take_state());
}
