//! Why a line is no script.
//!
//! Scripts are typed by hand, mostly into a model name, and the message comes back as the body of a 400:
//! it names the word, the value and what to write instead.

use crate::words::words;

/// A word or value that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("script word `{word}`: {value:?}: {fix}")]
pub struct ScriptError {
    /// The word in question.
    pub word: String,
    /// What was written.
    pub value: String,
    /// What to write instead.
    pub fix: String,
}

impl ScriptError {
    pub(crate) fn new(word: &str, value: &str, fix: impl Into<String>) -> Self {
        Self {
            word: word.into(),
            value: value.into(),
            fix: fix.into(),
        }
    }

    /// No such word; suggests the nearest one.
    pub(super) fn unknown(word: &str, said: &str) -> Self {
        let near = words()
            .map(|w| (distance(word, w.name), w.name))
            .min()
            .filter(|(d, _)| *d <= 3);
        let fix = match near {
            Some((_, name)) => format!("no such word, did you mean `{name}`?"),
            None => "no such word; `GET /_sim/words` lists them all".to_owned(),
        };
        Self::new(word, said, fix)
    }
}

/// Edits between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.chars().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(x != y))
                .min(above + 1)
                .min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
