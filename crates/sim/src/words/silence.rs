//! Where the answer falls silent, and what fills the silence.
//!
//! The fillers are the frames that must not be taken for content. Alone they replace the whole answer;
//! behind `stall-after=N` or another silence they follow what that one kept.

use std::time::Duration;

use super::{Word, noise::remark, word};
use crate::answer::{Answer, Content, Opening, Tail};
use crate::script::Form::{Count, Flag, Time};
use crate::surface::voice;

fn fill(answer: &mut Answer, every: Duration, content: Content) {
    answer.filler = Some((every, content));
}

fn quiet(answer: &Answer) -> bool {
    matches!(answer.tail, Tail::Silence)
}

pub(super) const WORDS: &[Word] = &[
    word(
        "silent-headers",
        Flag,
        "the request is read and never answered",
        |a, _| a.opening = Opening::Silence,
    ),
    word(
        "headers-then-silent",
        Flag,
        "the head, then nothing",
        |a, _| {
            a.parts.clear();
            a.tail = Tail::Silence;
        },
    ),
    word(
        "preamble-then-silent",
        Flag,
        "the head and the role-only chunk, then nothing",
        |a, _| {
            a.keep(0, Tail::Silence);
        },
    ),
    word(
        "stall-after",
        Count(None),
        "N tokens, then nothing",
        |a, v| a.keep(v.count(), Tail::Silence),
    ),
    word(
        "keepalive",
        Time(Some(10)),
        "comments at this pace and nothing else",
        |a, v| {
            if !quiet(a) {
                a.parts.clear();
                a.tail = Tail::Silence;
            }
            let comment = Content::Comment(remark(&a.ask, "keep-alive"));
            fill(a, v.time(), comment);
        },
    ),
    word(
        "role-only",
        Time(Some(10)),
        "role-only deltas at this pace and nothing else",
        |a, v| {
            let role = voice(a.ask.surface).role(&a.ask);
            if !quiet(a) {
                a.keep(0, Tail::Silence);
            }
            fill(a, v.time(), role);
        },
    ),
    word(
        "empty-deltas",
        Time(Some(10)),
        "empty deltas at this pace and nothing else",
        |a, v| {
            if !quiet(a) {
                a.keep(0, Tail::Silence);
            }
            let empty = voice(a.ask.surface).text(&a.ask, "");
            fill(a, v.time(), empty);
        },
    ),
    word(
        "usage-frames",
        Time(Some(10)),
        "usage frames at this pace and nothing else",
        |a, v| {
            if !quiet(a) {
                a.keep(0, Tail::Silence);
            }
            let usage = voice(a.ask.surface).usage(&a.ask, 1);
            fill(a, v.time(), usage);
        },
    ),
];
