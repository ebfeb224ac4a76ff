//! What is said about a request, held against what its caller's socket and its upstream's socket saw.
//!
//! One table of every way a request can end ([`kinds`]). Each is played against the real binary, which sends
//! its spans as OTLP protobuf to a collector on a socket; the same questions are then asked of all: exactly
//! one complete tree, exactly one log line, metrics that add up, and all of them say what the caller saw.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod attributes;
mod counts;
mod course;
mod kinds;
mod line;
mod panics;
mod play;
mod schema;
mod secrets;
mod stage;
mod told;
mod tree;
mod verdict;

#[path = "../support/mod.rs"]
mod support;

use course::Numbers;
use kinds::{Caller as Does, Kind};
use stage::Stage;
use support::{canary::Canary, run};
use told::Told;
use verdict::Verdict;

#[test]
fn every_way_to_end_leaves_one_complete_tree_one_line_and_one_count() {
    run(async {
        let kinds = kinds::all();
        let (stage, canary) = (Stage::set(&kinds).await, Canary::start());
        let (ending, others): (Vec<Kind>, Vec<Kind>) = kinds
            .iter()
            .partition(|k| matches!(k.caller, Does::Drained(_) | Does::Late));
        let mut numbers = Numbers::default();
        let mut played = Vec::new();
        for kind in &others {
            played.extend(stage.play(kind, &mut numbers).await);
        }
        let mut complaints = counted(&stage, played.len()).await;
        played.extend(stage.drain(&ending, &mut numbers).await);
        let told = Told::before_the_end_of(stage, played.len()).await;
        complaints.extend(told.judge(&played, canary.worst()));
        complaints.extend(panics::play(kinds::panicked::KINDS).await);
        let kinds = kinds.len() + kinds::panicked::KINDS.len();
        println!("{kinds} kinds in {} requests", played.len());
        assert!(
            complaints.is_empty(),
            "{} complaints:\n{}",
            complaints.len(),
            complaints.join("\n")
        );
    });
}

/// Complaints about what a scrape shows once these requests are over.
async fn counted(stage: &Stage, requests: usize) -> Vec<String> {
    let mut verdict = Verdict::about("/metrics");
    let lines = stage.gateway.log(requests);
    let shown = counts::scraped(&stage.admin("/metrics").await);
    counts::compare(&shown, &counts::of_lines(&lines), &mut verdict);
    let total = |family: &str| counts::total(&shown, family);
    verdict.is(
        "requests in flight",
        total("punctual_requests_in_flight"),
        0.0,
    );
    let streams = lines
        .iter()
        .filter(|l| l["stream"] == true && l["outcome"] != "rejected");
    let streamed = total("punctual_time_to_first_content_seconds_count")
        + total("punctual_streams_without_content_total");
    verdict.is("streams", streamed, counts::float(streams.count()));
    verdict.is(
        "lost telemetry",
        total("punctual_telemetry_dropped_total"),
        0.0,
    );
    let accepted = total("punctual_connections_accepted_total");
    verdict.is(
        "connections were counted",
        accepted >= counts::float(requests),
        true,
    );
    verdict.complaints
}
