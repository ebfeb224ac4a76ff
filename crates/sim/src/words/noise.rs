//! Bytes between the events that a client must step over.
//!
//! Each goes behind the first content, or first if there is none, so that both the held-back and the
//! relayed part of a stream can be made to meet it with `tokens=`.

use bytes::Bytes;

use super::{Word, word};
use crate::answer::{Answer, Content, Damage, Kind, Part};
use crate::ask::Ask;
use crate::script::Form::{Choice, Flag};
use crate::surface::voice;

/// What a comment says: on OpenRouter's path always the same, elsewhere what the word has.
pub(super) fn remark(ask: &Ask, said: &'static str) -> &'static str {
    match ask.path.contains("/api/v1/") {
        true => "OPENROUTER PROCESSING",
        false => said,
    }
}

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
        let comment = Content::Comment(remark(&a.ask, "PROCESSING"));
        a.parts.insert(0, Part::now(Kind::Noise, comment));
    }),
    word(
        "bad-crc",
        Choice(&["message", "prelude"], true),
        "an event stream message with a wrong sum behind the first token (no other stream has sums)",
        |a, v| {
            let damage = match v.text() {
                "prelude" => Damage::Prelude,
                _ => Damage::Message,
            };
            let text = voice(a.ask.surface).text(&a.ask, "damaged ");
            if let (true, Content::Event { data, .. }) = (a.wire.is_frames(), text) {
                insert(a, Content::Damaged(damage, data));
            }
        },
    ),
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
