//! Bytes between the events that a client must step over.
//!
//! Each goes behind the first content, or first if there is none, so that both the held-back and the
//! relayed part of a stream can be made to meet it with `tokens=`.

use bytes::Bytes;

use super::{Word, word};
use crate::answer::{Answer, Content, Kind, Part};
use crate::script::Form::Flag;

fn insert(answer: &mut Answer, content: Content) {
    let at = answer
        .parts
        .iter()
        .position(|p| p.kind.is_content())
        .map_or(0, |i| i + 1);
    answer.parts.insert(at, Part::now(Kind::Noise, content));
}

pub(super) const WORDS: &[Word] = &[
    word(
        "garbage",
        Flag,
        "an event that is not JSON behind the first token",
        |a, _| {
            insert(a, Content::data("}{ this is not JSON".to_owned()));
        },
    ),
    word("comment", Flag, "a comment before everything", |a, _| {
        a.parts
            .insert(0, Part::now(Kind::Noise, Content::Comment("PROCESSING")));
    }),
    word(
        "bom",
        Flag,
        "a byte order mark before everything",
        |a, _| {
            a.parts.insert(
                0,
                Part::now(
                    Kind::Noise,
                    Content::Raw(Bytes::from_static(b"\xef\xbb\xbf")),
                ),
            );
        },
    ),
];
