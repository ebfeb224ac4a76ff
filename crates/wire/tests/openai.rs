//! Every fixture of the OpenAI dialect, and every recorded stream it stands for, comes out as the
//! table says, however its bytes are cut.
//!
//! The recordings are third-party data in a folder beside the repository; without it only the
//! fixtures are played.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test: what is missing fails it, and it says when recordings are not there"
)]

mod replay;

use std::{collections::BTreeSet, fs, path::Path};

use replay::{Row, body, fixtures, rows, seen};

/// Below this size a body is also cut at every single byte, and in two at each place.
const SMALL: usize = 4_096;

/// Cuts for `length` bytes, the same in every run.
fn random_cuts(length: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut cuts: Vec<usize> = (0..=length / 40)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % (length as u64 + 1)).unwrap()
        })
        .collect();
    cuts.sort_unstable();
    cuts
}

fn ways(length: usize) -> Vec<Vec<usize>> {
    let mut ways = vec![vec![]];
    ways.extend((1..20).map(|seed| random_cuts(length, seed)));
    if length <= SMALL {
        ways.push((0..length).collect());
        ways.extend((0..length).step_by(7).map(|at| vec![at]));
    }
    ways
}

#[test]
fn every_fixture_comes_out_as_the_table_says_however_it_is_cut() {
    let rows = rows();
    for row in &rows {
        let body = body(&fixtures().join(&row.fixture));
        for cuts in ways(body.len()) {
            assert_eq!(
                seen(row, &body, &cuts),
                row.expected,
                "{} cut at {cuts:?}",
                row.fixture
            );
        }
    }
    let listed: BTreeSet<String> = rows.iter().map(|row| row.fixture.clone()).collect();
    let files = fs::read_dir(fixtures().join("openai")).unwrap();
    let present: BTreeSet<String> = files
        .map(|file| format!("openai/{}", file.unwrap().file_name().to_string_lossy()))
        .collect();
    assert_eq!(
        listed, present,
        "the table and the folder list the same files"
    );
    assert_eq!(listed.len(), rows.len(), "no fixture is listed twice");
}

/// `None`, with one line that says so, when there are no recordings.
fn captures() -> Option<&'static Path> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/captures"
    ));
    if !folder.is_dir() {
        println!("no recordings in ../shared/captures: only the fixtures were played");
        return None;
    }
    Some(folder)
}

#[test]
fn every_recording_comes_out_as_its_fixture_however_it_is_cut() {
    let Some(folder) = captures() else { return };
    let recorded = |row: &Row| row.capture.as_ref().map(|name| folder.join(name));
    let mut played = 0;
    for row in rows() {
        let Some(file) = recorded(&row) else { continue };
        let body = body(&file);
        let whole = seen(&row, &body, &[]);
        assert_eq!(
            whole.kind(),
            row.expected.kind(),
            "{}: {whole:?}",
            file.display()
        );
        for cuts in ways(body.len()) {
            assert_eq!(
                seen(&row, &body, &cuts),
                whole,
                "{} cut at {cuts:?}",
                file.display()
            );
        }
        played += 1;
    }
    assert!(played >= 31, "{played} recordings played");
}

#[test]
fn every_recording_of_this_dialect_has_a_fixture() {
    let Some(folder) = captures() else { return };
    let others = [
        "Responses",
        "Anthropic",
        "Gemini",
        "Vertex",
        "Bedrock",
        "Ollama",
        "Cohere",
        "Replicate",
    ];
    let index = fs::read_to_string(folder.join("INDEX.md")).unwrap();
    let table = index.lines().filter_map(|line| {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let (file, provider) = (cells.next()?, cells.next()?);
        let row = file.starts_with(|c: char| c.is_ascii_digit());
        (row && !others.iter().any(|other| provider.contains(other))).then(|| file.to_owned())
    });
    let recorded: BTreeSet<String> = table.collect();
    let covered: BTreeSet<String> = rows().into_iter().filter_map(|row| row.capture).collect();
    assert_eq!(recorded, covered);
}
