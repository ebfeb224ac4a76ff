//! What every framing relies on: that its bytes wait in order, within a limit, and are let go.
//!
//! Proved here once, so that the framings themselves are tested for their own rule only.

use super::*;

/// A framing whose frames end with a full stop; it checks that no byte is shown to it twice.
#[derive(Default)]
struct Sentences {
    seen: usize,
    given: usize,
}

impl Sentences {
    fn next(&mut self, intake: &mut Intake) -> Option<Result<Bytes, TooLarge>> {
        let next = intake.marked(|bytes, before| {
            assert_eq!(
                before,
                self.seen - self.given,
                "a byte was left out, or came again"
            );
            let end = bytes.iter().position(|byte| *byte == b'.').map(|at| at + 1);
            self.seen += end.unwrap_or(bytes.len());
            if end.is_some() {
                self.given = self.seen;
            }
            end
        });
        if let Some(Ok(raw)) = &next {
            assert_eq!(raw.last(), Some(&b'.'));
        }
        next
    }
}

fn pushed(limit: usize, chunks: &[&'static str]) -> Intake {
    let mut intake = Intake::new(limit);
    for chunk in chunks {
        intake.push(Bytes::from_static(chunk.as_bytes()));
    }
    intake
}

#[test]
fn each_byte_is_shown_once_and_comes_out_in_order() {
    let mut intake = pushed(100, &["a.b", "", "c", ".d.", ".", "ef"]);
    let mut sentences = Sentences::default();
    let frames: Vec<Bytes> = std::iter::from_fn(|| sentences.next(&mut intake))
        .map(Result::unwrap)
        .collect();
    assert_eq!(frames, ["a.", "bc.", "d.", "."]);
    assert_eq!(intake.held(), 2);
    assert_eq!(intake.rest().unwrap(), "ef");
    assert_eq!((intake.held(), intake.rest()), (0, None));
}

#[test]
fn a_frame_inside_one_chunk_is_a_slice_of_it() {
    let chunk = Bytes::from_static(b"one.two.");
    let mut intake = Intake::new(100);
    intake.push(chunk.clone());
    let first = Sentences::default().next(&mut intake).unwrap().unwrap();
    assert_eq!(first.as_ptr(), chunk.as_ptr());
    assert_eq!(intake.first(), Some(*b"two"));
    let second = intake.counted(4).unwrap().unwrap();
    assert_eq!(second.as_ptr(), chunk[4..].as_ptr());
    assert_eq!(intake.held(), 0);
}

#[test]
fn what_is_counted_is_the_same_however_it_was_cut() {
    for chunks in [&["abcdefgh"][..], &["ab", "cdefgh"], &["abc", "d", "efgh"]] {
        let mut intake = pushed(4, chunks);
        assert_eq!(intake.first(), Some(*b"abc"));
        assert_eq!(intake.first(), Some(*b"abc"), "they stay");
        assert_eq!(intake.counted(4).unwrap().unwrap(), "abcd");
        assert_eq!(intake.counted(3).unwrap().unwrap(), "efg");
        assert_eq!(intake.first::<2>(), None);
        assert_eq!(intake.counted(2), None);
        assert_eq!(intake.rest().unwrap(), "h");
    }
}

#[test]
fn a_frame_over_the_limit_is_refused_once_and_memory_let_go() {
    let mut sentences = Sentences::default();
    let mut intake = pushed(4, &["abc.abcd."]);
    assert!(
        sentences.next(&mut intake).unwrap().is_ok(),
        "the limit is allowed"
    );
    assert_eq!(
        sentences.next(&mut intake),
        Some(Err(TooLarge { limit: 4 }))
    );
    for _ in 0..100 {
        intake.push(Bytes::from_static(b"abc"));
        assert_eq!(sentences.next(&mut intake), None);
        assert!(intake.chunks.is_empty() && intake.held.capacity() == 0);
    }
    assert_eq!(intake.rest(), None);
}

#[test]
fn a_length_over_the_limit_is_refused_once_before_anything_is_held() {
    let mut intake = pushed(4, &["a", "b"]);
    assert_eq!(intake.counted(5), Some(Err(TooLarge { limit: 4 })));
    assert_eq!((intake.counted(5), intake.counted(1)), (None, None));
    assert_eq!((intake.held(), intake.rest()), (0, None));
}

#[test]
fn a_long_frame_in_tiny_pieces_takes_linear_time() {
    let mut intake = Intake::new(64 << 20);
    let mut sentences = Sentences::default();
    for _ in 0..400_000 {
        intake.push(Bytes::from_static(b"0123456789"));
        assert!(sentences.next(&mut intake).is_none());
    }
    intake.push(Bytes::from_static(b"."));
    assert_eq!(
        sentences.next(&mut intake).unwrap().unwrap().len(),
        4_000_001
    );
}
