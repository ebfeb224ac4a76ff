//! Rows of the table: what is configured, and what a socket sees of it.
//!
//! A row is run twice, with the key and without it, and its effect must be seen the first time and must not
//! be seen the second. So a row fails when the key is ignored, and also when it would prove nothing.

use crate::stage::Stage;
use std::{path::Path, thread};

/// The proof of one key (or of several that go together).
pub struct Row {
    /// Dotted paths as [`punctual_config::schema::keys`] has them; for variables their names.
    pub covers: &'static [&'static str],
    /// The file; `«…»` is only there in the first run, `«…|…»` has what stands there in the second.
    pub config: &'static str,
    /// The environment of the first run; the second has [`Row::always`] only.
    pub env: &'static [(&'static str, &'static str)],
    /// The environment of both.
    pub always: &'static [(&'static str, &'static str)],
    /// Writes the files that the configuration names.
    pub files: fn(&Path),
    /// Whether the effect is seen.
    pub look: fn(&Stage) -> bool,
}

pub const ROW: Row = Row {
    covers: &[],
    config: "",
    env: &[],
    always: &[],
    files: |_| {},
    look: |_| false,
};

/// Declares rows, each a test of its own, and the list of them.
macro_rules! rows {
    ($($name:ident: $row:expr;)*) => {
        pub const ROWS: &[$crate::row::Row] = &[$($row),*];
        $(#[test] fn $name() { $crate::row::prove(&$row); })*
    };
}
pub(crate) use rows;

/// Runs a row both ways.
pub fn prove(row: &Row) {
    let with: Vec<_> = row.always.iter().chain(row.env).copied().collect();
    thread::scope(|s| {
        let second = s.spawn(|| run(&marked(row.config, false), row.always, row));
        let (seen, story) = run(&marked(row.config, true), &with, row);
        assert!(seen, "{:?} has no effect:\n{story}", row.covers);
        let (seen, story) = second.join().unwrap();
        assert!(
            !seen,
            "the effect of {:?} is there without it, so it proves nothing:\n{story}",
            row.covers
        );
    });
}

fn run(config: &str, env: &[(&str, &str)], row: &Row) -> (bool, String) {
    let stage = Stage::start(config, env, row.files);
    let seen = (row.look)(&stage);
    (seen, stage.story())
}

/// The text with its marked parts, or with what stands in their place.
pub fn marked(text: &str, with: bool) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('«') {
        let (inner, tail) = after.split_once('»').unwrap();
        let (yes, no) = inner.split_once('|').unwrap_or((inner, ""));
        out += before;
        out += if with { yes } else { no };
        rest = tail;
    }
    out + rest
}
