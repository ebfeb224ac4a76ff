//! What is wrong with a configuration, where, and what to write instead.
//!
//! A check that stops at the first mistake is run once per mistake, so problems are collected, and each
//! stands alone: severity, place, one sentence, and where it is known the fix. Errors stop `serve`,
//! warnings never do. No problem shows a secret: a value that came from the environment or a file is
//! shown as it was written (`${NAME}`).

use serde::Serialize;
use std::fmt::Write as _;

/// Whether `serve` may start all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It may not.
    Error,
    /// It may; something is probably not meant so.
    Warning,
}

/// One thing wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// The file, as it was named; `None` for the environment.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Which setting: `targets.fast.first_token_timeout`, or the name of an environment variable.
    pub path: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

impl Problem {
    /// Whether it stops `serve`.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// `file:line:column`, as far as it is known.
    #[must_use]
    pub fn place(&self) -> String {
        let mut out = self
            .file
            .clone()
            .unwrap_or_else(|| "environment".to_owned());
        if let (Some(line), Some(column)) = (self.line, self.column) {
            let _ = write!(out, ":{line}:{column}");
        }
        out
    }
}

/// Problems for a terminal: two lines each, errors and warnings in the order of the file.
#[must_use]
pub fn render(problems: &[Problem]) -> String {
    let mut out = String::new();
    for p in problems {
        let severity = match p.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let subject = if p.path.is_empty() {
            String::new()
        } else {
            format!("{}: ", p.path)
        };
        let _ = writeln!(out, "{}: {severity}: {subject}{}", p.place(), p.message);
        if let Some(s) = &p.suggestion {
            let _ = writeln!(out, "    {s}");
        }
    }
    out
}

/// Problems as a JSON array, one object each with the fields of [`Problem`].
#[must_use]
pub fn render_json(problems: &[Problem]) -> String {
    serde_json::to_string_pretty(problems).unwrap_or_else(|_| "[]".to_owned())
}

/// The name in `known` that `word` was probably meant to be.
#[must_use]
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    let most = word.chars().count() / 3;
    known
        .into_iter()
        .map(|k| {
            (
                distance(&word, &k.to_ascii_lowercase().replace('-', "_")),
                k,
            )
        })
        .filter(|(d, _)| *d <= most)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (mut before, mut row): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |r: &[usize], n: usize| r.get(n).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&row, j) + usize::from(x != y))
                .min(at(&row, j + 1) + 1)
                .min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found_and_nothing_far_fetched() {
        let known = ["first_token_timeout", "timeout", "model", "max_queue"];
        assert_eq!(
            closest("first_token_timeuot", known),
            Some("first_token_timeout")
        );
        assert_eq!(
            closest("firstTokenTimeout", known),
            Some("first_token_timeout")
        );
        assert_eq!(closest("modle", known), Some("model"));
        assert_eq!(closest("max-queue", known), Some("max_queue"));
        assert_eq!(closest("banana", known), None);
        assert_eq!(distance("", "abc"), 3);
    }
}
