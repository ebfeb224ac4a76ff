//! Streams of the Responses API as providers send them: every fixture comes out as the table says, and every
//! recording is of the same kind, however the bytes are cut.
//!
//! The recordings are third-party data in a folder beside the repository; without it only the fixtures are
//! played.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: what is missing fails it, and it says when recordings are not there"
)]

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use bytes::{Bytes, BytesMut};
use punctual_wire::{
    dialect::{
        Kind,
        responses::{SURFACE, UPSTREAM, judge},
    },
    frame::{Frame, Framing, Splitter},
    middle::{Asked, Delta, Seen},
};

/// Texts are as they were told; calls are `id name input` each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Answer {
    start: String,
    text: String,
    refusal: String,
    reasoning: String,
    calls: Vec<String>,
    /// Sealed thoughts, hosted items and citations.
    others: usize,
    finish: String,
    usage: (u64, u64),
    ended: usize,
    last: usize,
    /// The class of the first error.
    error: String,
    /// Frames that cannot be read.
    unparsed: usize,
    /// The first frame with content.
    commit: Option<usize>,
}

fn frames(body: &[u8], cuts: &[usize]) -> Vec<Frame> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 24);
    let mut frames = Vec::new();
    let mut from = 0;
    for at in cuts.iter().copied().chain([body.len()]) {
        splitter.push(Bytes::copy_from_slice(body.get(from..at).unwrap()));
        from = at;
        while let Some(next) = splitter.next() {
            frames.push(next.unwrap());
        }
    }
    frames.extend(splitter.finish());
    frames
}

/// What a reader is given of a frame: its name and its data.
type Read<'a> = (Option<&'a str>, Option<Cow<'a, [u8]>>);

fn said(frames: &[Frame]) -> Vec<Read<'_>> {
    let data = frames.iter().filter(|frame| !frame.is_comment_only());
    data.map(|frame| (frame.name(), frame.data())).collect()
}

fn seen(frames: &[Frame]) -> Answer {
    let (mut answer, mut calls) = (Answer::default(), Vec::new());
    let mut decode = (UPSTREAM.stream)(1);
    let mut judge = judge(1);
    let data = frames.iter().filter(|frame| !frame.is_comment_only());
    for (number, frame) in data.enumerate() {
        let judged = judge.judge(frame);
        if judged.kind == Kind::Content {
            answer.commit.get_or_insert(number);
        }
    }
    for frame in frames {
        let told = decode.decode(frame, &mut |delta| step(&mut answer, &mut calls, &delta));
        match told {
            Seen::Error(verdict) if answer.error.is_empty() => {
                answer.error = verdict.class.as_str().to_owned();
            }
            Seen::Last => answer.last += 1,
            Seen::Unparsed => answer.unparsed += 1,
            _ => {}
        }
    }
    answer.calls = calls;
    answer
}

fn step(answer: &mut Answer, calls: &mut Vec<String>, delta: &Delta<'_>) {
    match delta {
        Delta::Start(start) => {
            let id = start.id.as_deref().unwrap_or_default();
            answer.start = format!("{id} {}", start.model.as_deref().unwrap_or_default());
        }
        Delta::Text { text, .. } => answer.text.push_str(text),
        Delta::Refusal { text, .. } => answer.refusal.push_str(text),
        Delta::Reasoning { text, .. } => answer.reasoning.push_str(text),
        Delta::ToolCall { id, name, .. } => calls.push(format!("{id} {name} ")),
        Delta::ToolInput { index, json, .. } => {
            let call = usize::try_from(*index)
                .ok()
                .and_then(|at| calls.get_mut(at));
            call.unwrap().push_str(json);
        }
        Delta::Opaque { .. } | Delta::Whole { .. } | Delta::Citation { .. } => answer.others += 1,
        Delta::Finish { finish, .. } => answer.finish = finish.as_str().to_owned(),
        Delta::Usage(usage) => {
            answer.usage = (usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        }
        Delta::Ended => answer.ended += 1,
        _ => {}
    }
}

/// The fixtures, the recording each stands for, and what is told of it.
fn table() -> Vec<(&'static str, Option<&'static str>, Answer)> {
    let complete = |start: &str, finish: &str, usage, commit| Answer {
        start: start.to_owned(),
        finish: finish.to_owned(),
        usage,
        commit: Some(commit),
        ended: 1,
        last: 1,
        ..Answer::default()
    };
    let call = |id: &str, input: &str| format!("{id} clock {input}");
    vec![
        (
            "background.sse",
            Some("13-openai-responses-stream-tool.sse"),
            Answer {
                text: "Four legs".to_owned(),
                ..complete("resp_back gpt-4o", "stop", (9, 3), 5)
            },
        ),
        (
            "error-flat.sse",
            None,
            Answer {
                start: "resp_flat gpt-5".to_owned(),
                text: "Once".to_owned(),
                error: "server_error".to_owned(),
                commit: Some(4),
                ..Answer::default()
            },
        ),
        (
            "incomplete.sse",
            Some("16-openai-responses-incomplete.sse"),
            Answer {
                others: 1,
                ..complete("resp_cut gpt-5", "length", (20, 32), 3)
            },
        ),
        (
            "only-the-end.sse",
            None,
            Answer {
                text: "All at once".to_owned(),
                calls: vec!["call_1 f {}".to_owned()],
                ..complete("resp_end local", "tool_calls", (5, 6), 0)
            },
        ),
        (
            "openrouter.sse",
            Some("60-openrouter-responses-cot.sse"),
            Answer {
                text: "4".to_owned(),
                reasoning: "Two and two.".to_owned(),
                last: 2,
                ..complete("gen-1 openai/gpt-oss", "stop", (78, 12), 4)
            },
        ),
        (
            "quota-error.sse",
            Some("15-openai-responses-quota-error.jsonl"),
            Answer {
                start: "resp_quota gpt-5-nano".to_owned(),
                error: "quota_exhausted".to_owned(),
                ..Answer::default()
            },
        ),
        (
            "refusal-filtered.sse",
            None,
            Answer {
                refusal: "I will not.".to_owned(),
                ..complete("resp_no gpt-5", "content_filter", (5, 4), 4)
            },
        ),
        (
            "tools.sse",
            None,
            Answer {
                calls: vec![
                    call("call_a", r#"{"zone":"UTC"}"#),
                    call("call_b", r#"{"zone":"CET"}"#),
                ],
                ..complete("resp_tools gpt-4.1", "tool_calls", (40, 30), 3)
            },
        ),
        (
            "truncated.sse",
            None,
            Answer {
                start: "resp_trunc gpt-5".to_owned(),
                text: "Once upon".to_owned(),
                commit: Some(4),
                unparsed: 1,
                ..Answer::default()
            },
        ),
        (
            "web-search.sse",
            None,
            Answer {
                text: "Rain.".to_owned(),
                others: 2,
                ..complete("resp_web gpt-4.1", "stop", (300, 9), 5)
            },
        ),
        (
            "whole-call.sse",
            None,
            Answer {
                calls: vec![call("call_a", r#"{"zone":"UTC"}"#)],
                ..complete("resp_tools gpt-4.1", "tool_calls", (40, 30), 3)
            },
        ),
        (
            "xai.sse",
            Some("74-xai-responses-stream.sse"),
            Answer {
                text: "probe é😀".to_owned(),
                reasoning: "A probe.\n\n\nRepeat it.".to_owned(),
                ..complete("req_x grok-4", "stop", (199, 82), 4)
            },
        ),
    ]
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/responses")
}

/// Every byte alone, and in two at each place.
fn cuts(length: usize) -> impl Iterator<Item = Vec<usize>> {
    let alone = std::iter::once((0..length).collect());
    alone.chain((0..length).step_by(3).map(|at| vec![at]))
}

#[test]
fn every_fixture_comes_out_as_the_table_says_however_it_is_cut() {
    for (name, _, expected) in table() {
        let body = fs::read(fixtures().join(name)).unwrap();
        let whole = frames(&body, &[]);
        assert_eq!(seen(&whole), expected, "{name}");
        for cuts in cuts(body.len()) {
            let same = said(&frames(&body, &cuts)) == said(&whole);
            assert!(same, "{name} cut at {:?}", cuts.first());
        }
    }
    let listed: BTreeSet<_> = table().iter().map(|row| row.0.to_owned()).collect();
    let files = fs::read_dir(fixtures()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let present: BTreeSet<_> = names.filter(|name| !name.starts_with('.')).collect();
    assert_eq!(
        listed, present,
        "the table and the folder list the same files"
    );
}

#[test]
fn every_fixture_that_ends_is_the_same_after_it_was_written_for_a_caller() {
    for (name, _, expected) in table() {
        if expected.ended == 0 {
            continue;
        }
        let body = fs::read(fixtures().join(name)).unwrap();
        let asked = Asked {
            id: "abc".into(),
            ..Asked::default()
        };
        let (mut encode, mut out) = ((SURFACE.stream)(&asked), BytesMut::new());
        let mut decode = (UPSTREAM.stream)(1);
        for frame in frames(&body, &[]) {
            decode.decode(&frame, &mut |delta| encode.delta(&delta, &mut out));
        }
        encode.close(&mut out);
        assert!(encode.lost().is_empty(), "{name}: {:?}", encode.lost());
        let again = seen(&frames(&out, &[]));
        let model = expected.start.split(' ').next_back().unwrap();
        let kept = expected.start.starts_with("resp_");
        let start = match kept {
            true => expected.start.clone(),
            false => format!("resp_abc {model}"),
        };
        let expected = Answer {
            start,
            last: 1,
            commit: again.commit,
            ..expected
        };
        assert_eq!(again, expected, "{name}");
    }
}

/// `None`, with one line that says so, when there are no recordings.
fn recordings() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if !folder.is_dir() {
        println!("no recordings in ../shared/captures: only the fixtures were played");
    }
    folder.is_dir().then_some(folder)
}

/// A recording as a stream: payloads alone get their lines.
fn recorded(file: &Path) -> Vec<u8> {
    let body = fs::read(file).unwrap();
    if file.extension().is_none_or(|ext| ext != "jsonl") {
        return body;
    }
    let text = String::from_utf8(body).unwrap();
    let event = |line: &str| format!("data: {line}\n\n");
    text.lines().map(event).collect::<String>().into_bytes()
}

/// What two answers of the same kind have in common.
fn kind(answer: &Answer) -> (String, String, usize, usize, usize, [bool; 6]) {
    let some = [
        !answer.text.is_empty(),
        !answer.reasoning.is_empty(),
        !answer.calls.is_empty(),
        answer.others > 0,
        answer.usage.0 > 0 && answer.usage.1 > 0,
        answer.commit.is_some(),
    ];
    let Answer {
        finish,
        error,
        ended,
        last,
        unparsed,
        ..
    } = answer.clone();
    (finish, error, ended, last, unparsed, some)
}

#[test]
fn every_recording_comes_out_as_its_fixture_however_it_is_cut() {
    let Some(folder) = recordings() else { return };
    let index = fs::read_to_string(folder.join("INDEX.md")).unwrap();
    let rows = index.lines().filter_map(|line| {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let (file, provider) = (cells.next()?, cells.next()?);
        provider.contains("Responses").then(|| file.to_owned())
    });
    let recordings: BTreeSet<String> = rows.collect();
    let table = table();
    let covered = table.iter().filter_map(|row| row.1.map(str::to_owned));
    assert_eq!(recordings, covered.collect::<BTreeSet<_>>());
    for (_, name, expected) in &table {
        let Some(name) = name else { continue };
        let body = recorded(&folder.join(name));
        let whole = frames(&body, &[]);
        let answer = seen(&whole);
        assert_eq!(kind(&answer), kind(expected), "{name}: {answer:?}");
        for cuts in cuts(body.len()) {
            let same = said(&frames(&body, &cuts)) == said(&whole);
            assert!(same, "{name} cut at {:?}", cuts.first());
        }
    }
}
