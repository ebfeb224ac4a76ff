//! The table of features in the documentation, made of what the product does.
//!
//! A cell is never written by hand: a question that asks for a feature is put into the words of each API and
//! compared with the same question without it, an answer that has it is read, and what a dialect serves is asked
//! of the binary. What is lost without being named has no cell: it fails. `UPDATE_DOCS=1` writes the table anew;
//! without it the file must be what the tests say.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod answers;
mod place;
mod questions;
mod said;
mod served;
#[path = "../support/mod.rs"]
mod support;

use punctual_wire::Api;
use std::{fmt::Write as _, fs};

/// The APIs in which answers are given, and the dialects that speak each.
pub const APIS: [(Api, &str); 6] = [
    (Api::Chat, "`openai`, `generic`, `azure`, `openrouter`"),
    (Api::Responses, "`responses`"),
    (
        Api::Messages,
        "`anthropic`, Claude on `vertex`, `bedrock` with `api: invoke`",
    ),
    (Api::Gemini, "`gemini`, `vertex`"),
    (Api::Converse, "`bedrock`"),
    (Api::Ollama, "`ollama`"),
];

/// A row: what it is about, and a cell for each column.
pub type Row = (String, Vec<&'static str>);

fn table(out: &mut String, columns: &[&str], rows: &[Row]) {
    let _ = writeln!(out, "| | {} |", columns.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(columns.len()));
    for (name, cells) in rows {
        assert_eq!(cells.len(), columns.len(), "{name}");
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    out.push('\n');
}

fn page() -> String {
    let mut out = include_str!("head.md").to_owned();
    out += "## Questions\n\n";
    out += include_str!("questions.md");
    let asked = questions::ASKED.map(|(_, dialects)| dialects);
    table(&mut out, &asked, &questions::rows());
    out += "## Answers\n\n";
    out += include_str!("answers.md");
    let apis = APIS.map(|(_, dialects)| dialects);
    table(&mut out, &apis, &answers::rows());
    out += "## Surfaces\n\n";
    out += include_str!("served.md");
    let dialects = served::DIALECTS.map(|(name, _)| format!("`{name}`"));
    let dialects: Vec<&str> = dialects.iter().map(String::as_str).collect();
    table(&mut out, &dialects, &support::run(served::rows()));
    out.truncate(out.trim_end().len());
    out + "\n"
}

#[test]
fn the_documentation_says_what_each_dialect_can_do() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/features.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(file, page).unwrap();
    }
    let written = fs::read_to_string(file).unwrap_or_default();
    let first = page.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(
        page == written,
        "docs/features.md is not what the tests found; UPDATE_DOCS=1 writes it anew. First: {first:?}"
    );
}
