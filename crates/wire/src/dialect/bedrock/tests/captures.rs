//! Streams as they were recorded, where they are at hand.

use std::{fs, path::Path};

use super::*;
use crate::{
    dialect::{
        Finish, Judge, Kind,
        bedrock::{INVOKE, UPSTREAM},
    },
    middle::Derived,
};

/// The recorded stream, in pieces of `size` bytes.
fn recorded(framing: Framing, names: &[&str], size: usize) -> Option<Vec<Frame>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    let read = |name: &&str| fs::read(folder.join(name)).ok();
    let Some(bytes) = names.iter().map(read).collect::<Option<Vec<_>>>() else {
        println!("captures are not here: {names:?} not read");
        return None;
    };
    let bytes = bytes.concat();
    Some(frames(framing, &bytes.chunks(size).collect::<Vec<_>>()))
}

fn judged(mut judge: Derived, frames: &[Frame]) -> (Option<Finish>, Option<u64>, usize) {
    let all: Vec<_> = frames.iter().map(|frame| judge.judge(frame)).collect();
    assert!(
        all.iter()
            .all(|j| !matches!(j.kind, Kind::Error(_) | Kind::Unparsed))
    );
    assert_eq!(all.iter().filter(|j| j.ends.is_some()).count(), 1);
    assert!(all.last().unwrap().done);
    let tally = judge.tally();
    let content = all.iter().filter(|j| j.kind == Kind::Content).count();
    (tally.finish, tally.usage.output, content)
}

#[test]
fn recorded_streams_are_read_to_their_end() {
    let converse = |names: &[&str], finish: Finish, output: u64, content: usize| {
        for size in [1, 7, 4096] {
            let Some(frames) = recorded(Framing::EventStream, names, size) else {
                return;
            };
            let found = judged(Derived::new((UPSTREAM.stream)(1)), &frames);
            assert_eq!(
                found,
                (Some(finish.clone()), Some(output), content),
                "{names:?}"
            );
        }
    };
    converse(
        &["41-bedrock-converse-stream.eventstream"],
        Finish::Stop,
        82,
        29,
    );
    converse(
        &["42-bedrock-converse-redacted-thinking.eventstream"],
        Finish::Stop,
        253,
        12,
    );
    converse(
        &["44-bedrock-converse-tool.eventstream"],
        Finish::ToolCalls,
        58,
        19,
    );
    let split = [
        "48-bedrock-split-1",
        "49-bedrock-split-2",
        "50-bedrock-split-3",
    ];
    let split = split.map(|name| format!("{name}.eventstream"));
    converse(
        &split.each_ref().map(String::as_str),
        Finish::ToolCalls,
        44,
        5,
    );
    let invoked = &["46-bedrock-invoke-stream-claude.eventstream"];
    for size in [1, 7, 4096] {
        if let Some(frames) = recorded(Framing::Chunks, invoked, size) {
            let (finish, output, _) = judged(Derived::new((INVOKE.stream)(1)), &frames);
            assert_eq!((finish, output), (Some(Finish::ToolCalls), Some(134)));
        }
    }
}
