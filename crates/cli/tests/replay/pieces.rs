//! Every stream, cut at every byte, through every surface, without sockets.
//!
//! Where a frame ends must not depend on how bytes came, and nothing behind the splitter sees how they did. So
//! small bodies are cut in two at each place and compared frame by frame, all bodies byte by byte, and what a
//! caller gets is compared where the bytes came one at a time.

use super::{
    carried,
    dialects::{self, Played},
    foreign, heard,
    inside::{self, Made},
    table,
};
use bytes::Bytes;
use punctual_wire::{
    Api, Surface,
    frame::{Frame, Framing, Splitter},
};
use std::{borrow::Cow, fs, path::Path};

/// Bodies up to this size are cut in two at every place, larger ones at some.
const SMALL: usize = 2560;
/// How far these places are apart.
const STEP: usize = 101;

/// What is asked of a frame: its name and its payload. Line ends behind an event may stand with the next one.
type Told = (Option<String>, Option<Vec<u8>>);

/// The frames of a body, and all of their bytes.
fn split<'a>(framing: Framing, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Told>, Vec<u8>) {
    let mut splitter = Splitter::new(framing, 1 << 26);
    let (mut told, mut raw) = (Vec::new(), Vec::new());
    let mut take = |frame: Frame| {
        raw.extend_from_slice(frame.raw());
        if !frame.is_comment_only() {
            let data = frame.data().map(Cow::into_owned);
            told.push((frame.name().map(str::to_owned), data));
        }
    };
    for piece in pieces {
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            frame.unwrap().opened().into_iter().for_each(&mut take);
        }
    }
    let last = splitter.finish().and_then(Frame::opened);
    last.into_iter().for_each(&mut take);
    (told, raw)
}

fn frames_hold(name: &str, framing: Framing, body: &[u8]) {
    let whole = split(framing, [body]);
    // what is inside a chunk is not the bytes that came
    let kept = framing == Framing::Chunks || whole.1 == body;
    assert!(!whole.0.is_empty() && kept, "{name}: bytes are lost");
    assert!(
        split(framing, body.chunks(1)) == whole,
        "{name} byte by byte"
    );
    let step = if body.len() > SMALL { STEP } else { 1 };
    for at in (1..body.len()).step_by(step) {
        let (front, back) = body.split_at(at);
        assert!(split(framing, [front, back]) == whole, "{name} cut at {at}");
    }
}

fn framing(played: &Played, body: &[u8]) -> Framing {
    match body.starts_with(b"[") {
        true => Framing::Array,
        false => played.api().framing(),
    }
}

fn is_stream(played: &Played) -> bool {
    played.case.stream && !played.case.plain().starts_with(b"{") || played.dialect == "ollama"
}

fn all(what: Vec<Played>) -> usize {
    let mut made = 0;
    for played in what.iter().filter(|p| is_stream(p)) {
        let body = played.case.plain();
        frames_hold(played.name(), framing(played, &body), &body);
        for surface in played.surfaces() {
            made += usize::from(translated(played, *surface, &body));
        }
    }
    made
}

/// Translates it; whether there was anything to translate.
fn translated(played: &Played, surface: Surface, body: &[u8]) -> bool {
    if played.case.n > 1 {
        return false;
    }
    let name = format!("{} on {surface}", played.name());
    let framing = framing(played, body);
    let run = |size: usize| inside::stream(surface, played.api(), framing, body.chunks(size));
    let Some(whole) = run(body.len()) else {
        return false;
    };
    assert_eq!(run(1), Some(whole.clone()), "{name}: byte by byte");
    holds(played, surface, &name, &whole);
    true
}

/// What was made is what the upstream said.
fn holds(played: &Played, surface: Surface, name: &str, made: &Made) {
    let case = &played.case;
    let failed = made.error.as_ref().map(|verdict| verdict.class.as_str());
    let empty = made.content == 0 && made.finish.as_ref().is_none_or(|f| f.is_stop());
    let class = match (failed, made.ended) {
        (Some(class), _) => class,
        (None, false) => "truncated",
        (None, true) if empty => "empty_response",
        (None, true) => "ok",
    };
    assert_eq!(class, case.class, "{name}");
    if class != "ok" || surface == Surface::Completions {
        return;
    }
    let finish = made.finish.as_ref().map(|finish| finish.as_str());
    assert_eq!(finish, case.finish.as_deref(), "{name}");
    for (figure, told) in case.usage.iter().zip(made.usage) {
        assert!(figure.holds(told), "{name}: {figure:?} is {told:?}");
    }
    carried::says(
        played,
        surface,
        name,
        &heard::stream(surface.as_str(), &made.bytes),
    );
}

#[test]
fn every_fixture_says_the_same_on_every_surface_cut_at_every_byte() {
    let made = all(dialects::fixtures());
    assert!(made > 150, "only {made} streams translated");
}

#[test]
fn every_recording_says_the_same_on_every_surface_cut_at_every_byte() {
    let Some(all_of_them) = dialects::captures() else {
        println!("no recordings in shared/captures beside the repository: none was cut");
        return;
    };
    let made = all(all_of_them);
    assert!(made > 80, "only {made} streams translated");
}

/// APIs that no surface speaks: their framing is a framing all the same.
#[test]
fn streams_that_no_surface_speaks_are_cut_where_they_should_be() {
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../wire/tests/fixtures");
    for (recorded, fixture, framing) in [
        (
            "27-anthropic-stream-crlf.sse",
            "anthropic/completion-crlf.sse",
            Framing::Sse,
        ),
        ("84-cohere-v2-stream.sse", "other/cohere.sse", Framing::Sse),
        (
            "86-replicate-stream.sse",
            "other/replicate.sse",
            Framing::Sse,
        ),
    ] {
        for (folder, name) in [(ours, fixture), (table::CAPTURES, recorded)] {
            let file = Path::new(folder).join(name);
            match fs::read(&file) {
                Ok(bytes) => frames_hold(name, framing, &foreign::body(&file, bytes)),
                Err(error) if folder == ours => panic!("{name}: {error}"),
                Err(_) => println!("{name} is not there: not cut"),
            }
        }
    }
}

#[test]
fn lines_of_data_that_are_no_json_keep_their_blanks_and_line_ends() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../wire/tests/fixtures/other/replicate.sse"
    );
    let (told, _) = split(Framing::Sse, [fs::read(file).unwrap().as_slice()]);
    let data = |at: usize| String::from_utf8(told[at].1.clone().unwrap()).unwrap();
    assert_eq!(
        [data(0), data(1), data(2)],
        ["", " Two", "lines\n\nof text:"]
    );
    assert_eq!(told[3].0.as_deref(), Some("done"));
}

#[test]
fn a_stream_cut_where_its_messages_end_is_the_same_stream() {
    let all = dialects::fixtures()
        .into_iter()
        .chain(dialects::captures().unwrap_or_default());
    for played in all.filter(|p| p.api() == Api::Converse) {
        let mut splitter = Splitter::new(Framing::EventStream, 1 << 20);
        let body = played.case.plain();
        splitter.push(Bytes::from(body.clone()));
        let frames = std::iter::from_fn(|| splitter.next().map(Result::unwrap));
        let raw: Vec<Bytes> = frames.map(Frame::into_raw).collect();
        let run = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            inside::stream(Surface::Chat, Api::Converse, Framing::EventStream, pieces)
        };
        let apart = run(&mut raw.iter().map(|b| b.as_ref()));
        assert_eq!(
            apart,
            run(&mut [body.as_slice()].into_iter()),
            "{}",
            played.name()
        );
    }
}
