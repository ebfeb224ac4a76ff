//! Streams in pieces, for the tests of every framing and dialect.

use super::*;

/// All frames of a stream that comes in these pieces, what is left at the end included.
pub(crate) fn split<'a>(
    framing: Framing,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Frame> {
    let mut splitter = Splitter::new(framing, 1 << 26);
    let mut frames = Vec::new();
    for piece in pieces {
        splitter.push(Bytes::copy_from_slice(piece));
        frames.extend(std::iter::from_fn(|| splitter.next()).map(Result::unwrap));
    }
    frames.extend(std::iter::from_fn(|| splitter.finish()));
    frames.into_iter().filter_map(Frame::opened).collect()
}

/// `bytes`, cut at these places, in any order; those beyond the end are the end.
pub(crate) fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect()
}

/// The bytes of the frames, one after another.
pub(crate) fn raw(frames: &[Frame]) -> Vec<u8> {
    frames
        .iter()
        .flat_map(|frame| frame.raw().to_vec())
        .collect()
}

#[test]
fn a_frame_over_the_limit_is_refused_once_and_nothing_is_held() {
    for framing in [Framing::Sse, Framing::Lines, Framing::Array] {
        let mut splitter = Splitter::new(framing, 1_000);
        splitter.push(Bytes::from_static(b"[\""));
        let mut refusals = 0;
        for _ in 0..10_000 {
            splitter.push(Bytes::from_static(&[b'a'; 100]));
            while let Some(frame) = splitter.next() {
                assert_eq!(frame.unwrap_err(), TooLarge { limit: 1_000 });
                refusals += 1;
            }
            assert!(splitter.held() <= 1_000);
        }
        assert_eq!((refusals, splitter.held()), (1, 0), "{framing:?}");
        assert_eq!(splitter.finish(), None);
    }
}
