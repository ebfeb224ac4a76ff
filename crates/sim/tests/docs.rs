//! Holds `docs/simulator.md` to the words that scripts know: the page repeats what `--help` says of them.

use std::{fs, path::Path};

#[test]
fn every_word_is_documented_as_help_says_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulator.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- words: begin").unwrap();
    let (mark, rest) = rest.split_once("-->\n").unwrap();
    let (documented, after) = rest.split_once("<!-- words: end").unwrap();
    let help = punctual_sim::routes_help().trim_end();
    let words = format!("\n```\n{help}\n```\n\n");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let page = format!("{before}<!-- words: begin{mark}-->\n{words}<!-- words: end{after}");
        return fs::write(path, page).unwrap();
    }
    assert_eq!(
        documented, words,
        "docs/simulator.md differs; UPDATE_DOCS=1 writes it anew"
    );
}
