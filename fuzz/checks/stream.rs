//! Streams of every API on every surface.

use bytes::BytesMut;
use punctual_wire::{
    Api, Surface, Via,
    dialect::{Judge, Kind, Tally, responses},
    error_body::{self, ErrorFields},
    frame::{Frame, Framing},
    middle::{Decode, Derived, Encode},
    via::surface_codec,
};

use super::{
    Source,
    answer::asked,
    frames,
    kept::Said,
    request::{FLAT, SURFACES},
    sizes, told, written,
};

/// What came of a stream.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// What was written before its end.
    body: Vec<u8>,
    /// What ends it as a complete one.
    end: Vec<u8>,
    /// An error came, or it cannot be written.
    failed: bool,
    /// The end condition was met.
    ended: bool,
    /// What it said.
    said: Said,
}

/// Reads a stream cut in two ways and writes it on each surface.
pub fn stream(data: &[u8]) {
    let Some((source, text)) = Source::of(data) else {
        return;
    };
    let bytes = source.stream(text);
    let whole = frames(source.framing, &bytes, &[]);
    let cut = frames(source.framing, &bytes, &sizes(text));
    let _ = responses::last_number(&bytes);
    for surface in SURFACES {
        let relayed = |frames: &[Frame]| judged(source.api.judge(surface, 1).as_mut(), frames);
        assert_eq!(relayed(&whole), relayed(&cut), "it matters how it was cut");
        for choices in [1, 2] {
            let write = |frames: &[Frame]| {
                let encode = (surface_codec(surface)?.stream)(&asked());
                Some(translated(source.reader(choices)?, encode, frames))
            };
            let outcome = write(&whole);
            assert_eq!(outcome, write(&cut), "it matters how it was cut");
            outcome.inspect(|outcome| {
                // a step of few bytes is an event of 3 KiB at the most
                let most = (bytes.len() + 16) << 9;
                assert!(outcome.body.len() + outcome.end.len() <= most);
                checked(surface, choices, outcome);
            });
        }
    }
    for (surface, api) in FLAT.into_iter().filter(|(_, api)| *api == source.api) {
        let write = |frames: &[Frame]| {
            let (read, write) = Via::between(surface, api)?.stream(1, &asked())?;
            Some(translated(read, write, frames))
        };
        let outcome = write(&whole);
        assert_eq!(outcome, write(&cut), "it matters how it was cut");
        outcome.inspect(|outcome| broken(surface, &outcome.body));
    }
}

/// As the gateway does it.
fn translated(decode: Box<dyn Decode>, mut encode: Box<dyn Encode>, frames: &[Frame]) -> Outcome {
    let mut reader = Derived::new(decode);
    let (mut outcome, mut out) = (Outcome::default(), BytesMut::new());
    let mut done = false;
    for i in 0..=frames.len() {
        let mut sink = |delta: &punctual_wire::middle::Delta<'_>| {
            outcome.said.step(delta);
            encode.delta(delta, &mut out);
        };
        let judged = match frames.get(i) {
            Some(frame) => reader.read(frame, &mut sink),
            None => reader.over(&mut sink),
        };
        let told = judged.ends.is_some();
        assert!(!(told && outcome.ended), "the end is told twice");
        outcome.ended |= told;
        outcome.failed = matches!(judged.kind, Kind::Error(_)) || encode.failure().is_some();
        done = judged.done;
        if outcome.failed || done {
            break;
        }
    }
    assert!(outcome.ended || !done, "the last frame is no end");
    outcome.said.lost(encode.lost());
    outcome.body = out.to_vec();
    if !outcome.failed {
        out.clear();
        encode.close(&mut out);
        outcome.end = out.to_vec();
    }
    outcome
}

fn checked(surface: Surface, choices: u32, outcome: &Outcome) {
    broken(surface, &outcome.body);
    written::check(surface, &outcome.body, false);
    if outcome.failed {
        return;
    }
    let complete = [&*outcome.body, &*outcome.end].concat();
    written::check(surface, &complete, true);
    let read = said(Api::of(surface), Framing::Sse, choices, &complete);
    if let Err(what) = outcome.said.is_kept(surface, &read, false) {
        panic!("{surface}: {what}\n{}", told(&complete));
    }
}

/// Reads a complete stream of an API. One that was written here can be read and ends; one made of pieces of the
/// upstream's answer can hold what cannot be read, and ends if the upstream said so.
pub(super) fn said(api: Api, framing: Framing, choices: u32, complete: &[u8]) -> Said {
    let mut said = Said::default();
    let Some(codec) = api.codec() else {
        return said;
    };
    let mut reader = Derived::new((codec.stream)(choices));
    let (ours, mut ends) = (SURFACES.map(Api::of).contains(&api), 0);
    for frame in frames(framing, complete, &[]) {
        let judged = reader.read(&frame, &mut |delta| said.step(delta));
        let held = match judged.kind {
            Kind::Error(_) => false,
            Kind::Unparsed => !ours,
            _ => true,
        };
        assert!(held, "{api:?}: {judged:?} {}", told(frame.raw()));
        ends += usize::from(judged.ends.is_some());
    }
    let judged = reader.over(&mut |delta| said.step(delta));
    ends += usize::from(judged.ends.is_some());
    let once = ends == 1 || (ends == 0 && !ours);
    assert!(once, "{api:?} ends {ends} times: {}", told(complete));
    said
}

/// What is not complete has no end, and one error when it is given one.
fn broken(surface: Surface, body: &[u8]) {
    let last = responses::last_number(body);
    let Some(event) = error_body::error_event(surface, 502, &ErrorFields::default(), last) else {
        return;
    };
    let bytes = [body, &event].concat();
    if surface == Surface::Responses {
        written::check(surface, &bytes, false);
    }
    let frames = frames(Framing::Sse, &bytes, &[]);
    let mut judge = Api::of(surface).judge(surface, 1);
    for (i, frame) in frames.iter().enumerate() {
        let judged = judge.judge(frame);
        assert!(judged.ends.is_none(), "{surface} ends: {}", told(&bytes));
        let is_error = matches!(judged.kind, Kind::Error(_));
        let is_last = i + 1 == frames.len();
        assert_eq!(is_error, is_last, "{surface}: {}", told(&bytes));
    }
}

/// More pieces of state are not kept of one answer.
pub(super) const STATES: usize = 256;

fn judged(judge: &mut dyn Judge, frames: &[Frame]) -> (usize, Tally) {
    let mut ends = 0;
    for frame in frames {
        ends += usize::from(judge.judge(frame).ends.is_some());
    }
    assert!(ends <= 1, "the end is told {ends} times");
    let tally = judge.tally();
    assert!(judge.take_state().len() <= STATES);
    (ends, tally)
}
