//! Keeps configured secrets out of everything that leaves by telemetry.
//!
//! Texts arrive already free of secrets; this is the second fence. It knows the secrets of the
//! configuration in force and replaces each occurrence. A text shorter than the shortest secret cannot hold
//! one and is not looked at; in any other each place is asked once whether a secret could begin there, so
//! that ids and names cost a few instructions a byte however many secrets there are.

use std::{
    borrow::Cow,
    sync::{Arc, PoisonError, RwLock},
};

const MARK: &str = "[redacted]";

/// Shorter values are no secrets but words, and would tear holes into ordinary text.
const SHORTEST: usize = 6;

/// The secrets of a configuration; its `Debug` shows how many there are.
#[derive(Clone, Default)]
pub struct Redaction {
    secrets: Vec<String>,
    shortest: usize,
    beginnings: Beginnings,
}

impl std::fmt::Debug for Redaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Redaction")
            .field(&self.secrets.len())
            .finish()
    }
}

impl Redaction {
    /// Replaces these; values under six bytes are ignored.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<_> = secrets
            .into_iter()
            .filter(|s| s.len() >= SHORTEST)
            .collect();
        // a secret that contains another goes first, or its tail would stay
        secrets.sort_unstable_by_key(|s| std::cmp::Reverse(s.len()));
        let shortest = secrets.last().map_or(usize::MAX, String::len);
        let mut beginnings = Beginnings::default();
        for start in secrets.iter().filter_map(|s| s.as_bytes().first_chunk()) {
            beginnings.add(*start);
        }
        Self {
            secrets,
            shortest,
            beginnings,
        }
    }

    /// The text without them.
    #[must_use]
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        if text.len() < self.shortest || !self.beginnings.any_in(text.as_bytes()) {
            return out;
        }
        for secret in &self.secrets {
            if holds(out.as_bytes(), secret.as_bytes()) {
                out = Cow::Owned(out.replace(secret.as_str(), MARK));
            }
        }
        out
    }
}

/// How all secrets begin, by a fingerprint of their first four bytes: whatever is not among these begins
/// none.
#[derive(Clone)]
struct Beginnings([u64; 64]);

impl Default for Beginnings {
    fn default() -> Self {
        Self([0; 64])
    }
}

impl Beginnings {
    /// The word and the bit of a beginning. Prefixes such as `sk-` are shared with what is no secret, so the
    /// multiplier spreads the byte behind them (the golden ratio, as Knuth hashes).
    const fn place(start: [u8; 4]) -> (usize, u64) {
        let hash = u32::from_le_bytes(start).wrapping_mul(0x9E37_79B1) >> 20;
        ((hash >> 6) as usize, 1 << (hash & 63))
    }

    fn add(&mut self, start: [u8; 4]) {
        let (word, bit) = Self::place(start);
        self.0[word] |= bit;
    }

    fn any_in(&self, text: &[u8]) -> bool {
        text.array_windows().any(|start| {
            let (word, bit) = Self::place(*start);
            self.0[word] & bit != 0
        })
    }
}

/// Whether `secret` stands in `text`. Both are short, so that preparing a search would cost more than it saves.
fn holds(text: &[u8], secret: &[u8]) -> bool {
    let Some((first, tail)) = secret.split_first() else {
        return false;
    };
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = rest.get(at + 1..).unwrap_or_default();
        if rest.starts_with(tail) {
            return true;
        }
    }
    false
}

/// The redaction in force; a reload replaces it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Current(Arc<RwLock<Arc<Redaction>>>);

impl Current {
    pub(crate) fn new(redaction: Redaction) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(redaction))))
    }

    pub(crate) fn replace(&self, redaction: Redaction) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(redaction);
    }

    pub(crate) fn get(&self) -> Arc<Redaction> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_of_a_secret_is_replaced_and_the_longest_goes_first() {
        let r = Redaction::new(["sk-live-1".into(), "sk-live-123".into(), "abc".into()]);
        assert_eq!(
            r.scrub("sk-live-123 and sk-live-1, abc"),
            "[redacted] and [redacted], abc"
        );
        assert!(matches!(r.scrub("nothing here"), Cow::Borrowed(_)));
        assert!(!format!("{r:?}").contains("sk-"));
    }

    #[test]
    fn a_secret_is_found_wherever_it_stands() {
        let r = Redaction::new(["aaab-c".into()]);
        for (text, clean) in [
            ("aaab-c", "[redacted]"),
            ("aaaab-c", "a[redacted]"),
            ("aaab-caaab-c", "[redacted][redacted]"),
            ("aaab-aaab", "aaab-aaab"),
        ] {
            assert_eq!(r.scrub(text), clean);
        }
    }

    #[test]
    fn one_secret_of_many_is_found_and_other_texts_are_left_alone() {
        let secrets: Vec<_> = (0..200)
            .map(|n| format!("sk-{n:03}-{}", n * 7919))
            .collect();
        let r = Redaction::new(secrets.clone());
        for secret in &secrets {
            assert_eq!(r.scrub(&format!("é{secret}.")), "é[redacted].");
            assert_eq!(r.scrub(secret), MARK);
        }
        assert_eq!(r.scrub("sk-200-1583800"), "sk-200-1583800");
    }

    #[test]
    fn a_reload_changes_what_is_replaced() {
        let current = Current::default();
        assert_eq!(current.get().scrub("hunter22"), "hunter22");
        current.replace(Redaction::new(["hunter22".into()]));
        assert_eq!(current.clone().get().scrub("hunter22"), "[redacted]");
    }
}
