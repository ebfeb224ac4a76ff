//! What upstreams really send, played through the real binary: every fixture of the OpenAI dialect and every
//! recorded answer of it, cut at random and at every byte.
//!
//! A caller must get the same bytes however the network cut them, apart from what the contract says of the
//! preamble's comments and of `[DONE]`; and the log line must tell the same story. What failed must fail as
//! the table of failures says, with one error and never a `[DONE]`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod across;
mod carried;
mod dialects;
mod expected;
mod foreign;
mod golden;
mod heard;
mod inside;
mod log;
mod oddities;
mod pieces;
mod play;
mod sse;
#[path = "../support/mod.rs"]
mod support;
mod table;

use play::{Stage, Take};
use punctual_sim::{Cuts, Script};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use support::run;
use table::Case;

/// One test at a time: the last one measures.
static HOUSE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    HOUSE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Recordings of APIs that no dialect here speaks: Anthropic's old text completions, Cohere's and Replicate's own.
const UNPLAYED: [&str; 3] = [
    "27-anthropic-stream-crlf.sse",
    "84-cohere-v2-stream.sse",
    "86-replicate-stream.sse",
];

/// Bodies up to this size are also sent one byte at a time.
const SMALL: usize = 2048;
/// Bodies up to this size are also cut in two at every place.
const TINY: usize = 1100;

#[test]
fn every_fixture_reaches_the_caller_as_it_was_sent_wherever_it_is_cut() {
    let _alone = alone();
    let cases = table::fixtures();
    let tiny = cases.iter().filter(|c| c.body.len() <= TINY).count();
    assert!(cases.len() > 70 && tiny > 40, "the table has lost rows");
    println!("{} answers played", run(play::all(cuts(cases))));
}

#[test]
fn every_recorded_answer_reaches_the_caller_as_it_was_sent_wherever_it_is_cut() {
    let _alone = alone();
    let Some(cases) = table::captures() else {
        println!("no recordings in shared/captures beside the repository: none was played");
        return;
    };
    assert_eq!(cases.len(), 31, "the recordings of the OpenAI dialect");
    println!("{} answers played", run(play::all(cuts(cases))));
}

#[test]
fn every_fixture_reaches_callers_of_every_surface() {
    let _alone = alone();
    println!("{} answers played", run(across::all(dialects::fixtures())));
}

#[test]
fn every_recorded_answer_reaches_callers_of_every_surface() {
    let _alone = alone();
    let Some(recorded) = dialects::captures() else {
        println!("no recordings in shared/captures beside the repository: none was played");
        return;
    };
    assert_eq!(recorded.len(), 54, "the recordings");
    let played: HashSet<&str> = recorded
        .iter()
        .flat_map(|p| p.case.name.split('+'))
        .collect();
    let mut left: Vec<String> = table::recordings();
    left.retain(|file| !played.contains(file.as_str()));
    assert_eq!(left, UNPLAYED, "recordings that nobody plays");
    println!("{} answers played", run(across::all(recorded)));
}

#[test]
fn the_first_content_is_told_when_it_came_and_neither_before_nor_after() {
    let _alone = alone();
    let cases = table::fixtures()
        .into_iter()
        .chain(table::captures().unwrap_or_default());
    run(play::timed(cases.map(Arc::new).collect()));
}

/// The ways each case is cut. A failing case has a stage of its own for each, because a target's health would
/// answer for it.
fn cuts(cases: Vec<Case>) -> Vec<Stage> {
    let mut stages = Vec::new();
    for case in cases.into_iter().map(Arc::new) {
        let mut takes: Vec<Cuts> = (1..=3).map(Cuts::Random).chain([Cuts::Whole]).collect();
        if case.body.len() <= SMALL {
            takes.push(Cuts::EveryByte);
        }
        if !case.succeeds() {
            stages.extend(
                takes
                    .into_iter()
                    .map(|cuts| Stage::new(&case, [take(&case, cuts)])),
            );
            continue;
        }
        let mut takes: Vec<Take> = takes.into_iter().map(|cuts| take(&case, cuts)).collect();
        if case.stream && case.body.len() <= TINY {
            takes.extend((1..case.body.len()).map(|at| {
                let two = take(&case, Cuts::At(vec![at]));
                // so that the pieces are read apart
                Take {
                    script: two.script.with("gap=1ms").unwrap(),
                    ..two
                }
            }));
        }
        stages.push(Stage::new(&case, takes));
    }
    stages
}

fn take(case: &Case, cuts: Cuts) -> Take {
    Take {
        name: format!("{} cut {cuts:?}", case.name),
        script: script(case, cuts),
    }
}

fn script(case: &Case, cuts: Cuts) -> Script {
    let encoding: &[(&str, &str)] = if case.gzip {
        &[("content-encoding", "gzip")]
    } else {
        &[]
    };
    // a value that no header can have is left out
    let content_type = case.content_type.as_deref().unwrap_or("\n");
    Script::raw(case.status, content_type, encoding, case.body.clone(), cuts)
}
