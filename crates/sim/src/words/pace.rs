//! When things are sent.
//!
//! A unary answer takes as long as the stream would have taken, all of it before the head.

use std::time::Duration;

use super::{Word, noise::remark, word};
use crate::answer::{Answer, Content, Framing, Kind, Part, Tail, Wait};
use crate::script::Form::{Flag, Time};
use crate::surface::voice;

/// The pace of `forever` where no word sets one.
const FOREVER: Duration = Duration::from_millis(10);

fn tokens(answer: &mut Answer) -> impl Iterator<Item = &mut Part> {
    answer.parts.iter_mut().filter(|p| p.kind == Kind::Content)
}

fn first(answer: &mut Answer, time: Duration) {
    if answer.body().is_some() {
        answer.delay = answer.delay.saturating_add(time);
    } else if let Some(part) = tokens(answer).next() {
        part.wait = Wait::At(time);
    }
}

fn gap(answer: &mut Answer, time: Duration) {
    if answer.body().is_some() {
        let gaps = u32::try_from(answer.shape.count().saturating_sub(1)).unwrap_or(u32::MAX);
        answer.delay = answer.delay.saturating_add(time.saturating_mul(gaps));
    }
    tokens(answer)
        .skip(1)
        .for_each(|p| p.wait = Wait::After(time));
}

fn trickle(answer: &mut Answer, time: Duration) {
    if let Some(body) = answer.body().cloned() {
        let piece = |at| Part::now(Kind::Body, Content::Raw(body.slice(at..at + 1)));
        answer.framing = Framing::Chunked;
        answer.parts = (0..body.len().saturating_sub(1)).map(piece).collect();
        answer
            .parts
            .iter_mut()
            .for_each(|p| p.wait = Wait::After(time));
        // white space keeps an unfinished JSON value valid for as long as one likes
        answer.tail = Tail::Forever(time, Content::Raw(bytes::Bytes::from_static(b" ")));
        return;
    }
    tokens(answer).for_each(|p| p.wait = Wait::After(time));
    forever(answer, time);
}

fn forever(answer: &mut Answer, time: Duration) {
    answer.parts.retain(|p| !p.kind.is_ending());
    let raw = answer.raw.is_some().then(|| answer.parts.last()).flatten();
    let more = match raw {
        Some(part) => part.content.clone(),
        None => voice(answer.ask.surface).text(&answer.ask, "more "),
    };
    answer.tail = Tail::Forever(time, more);
}

/// The pace of the last token, or [`FOREVER`].
fn last_gap(answer: &mut Answer) -> Duration {
    match tokens(answer).last().map(|p| p.wait) {
        Some(Wait::After(time)) if !time.is_zero() => time,
        _ => FOREVER,
    }
}

pub(super) const WORDS: &[Word] = &[
    word("delay", Time(None), "before the head", |a, v| {
        a.delay = a.delay.saturating_add(v.time())
    }),
    word(
        "first",
        Time(None),
        "the first token comes this long after the head",
        |a, v| first(a, v.time()),
    ),
    word("gap", Time(None), "between tokens", |a, v| gap(a, v.time())),
    word(
        "forever",
        Flag,
        "tokens go on at the same pace for ever",
        |a, _| match a.body() {
            Some(_) => trickle(a, FOREVER),
            None => {
                let pace = last_gap(a);
                forever(a, pace);
            }
        },
    ),
    word(
        "trickle",
        Time(None),
        "one token, or one byte of a unary body, at this pace for ever",
        |a, v| {
            trickle(a, v.time());
        },
    ),
    word(
        "ping",
        Time(Some(10)),
        "a comment at this pace in every wait after the head",
        |a, v| {
            a.filler = Some((v.time(), Content::Comment(remark(&a.ask, "keep-alive"))));
        },
    ),
];
