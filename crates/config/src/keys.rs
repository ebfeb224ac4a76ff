//! Keys of callers: stored as digests, found by the first digits of the digest, compared in constant time.
//!
//! The index is a prefix of SHA-256 of what was presented, so looking it up tells an attacker nothing
//! about any key: nobody can choose a value by the digits of its digest closer than by trying. The whole
//! digest is then compared without leaving early.

use sha2::{Digest, Sha256};
use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};
use subtle::ConstantTimeEq;

/// SHA-256 of a key.
pub type Sum = [u8; 32];
type Prefix = [u8; 4];

/// A caller's key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name; a label.
    pub name: Arc<str>,
    /// Ceiling of its requests.
    pub deadline: Option<Duration>,
    /// Routes it may name; `None` is all.
    pub routes: Option<Vec<String>>,
    /// Whether it may use passthrough; where it says nothing, only without a list of routes.
    pub passthrough: bool,
    /// Heartbeats on its streams, when it says something: `Some(None)` is off.
    pub heartbeat_interval: Option<Option<Duration>>,
}

/// All keys.
#[derive(Clone, Default)]
pub struct Keys {
    keys: Vec<Key>,
    index: HashMap<Prefix, Vec<(Sum, usize)>>,
}

impl Key {
    /// Whether it may name this route.
    #[must_use]
    pub fn may_use(&self, route: &str) -> bool {
        self.routes
            .as_ref()
            .is_none_or(|r| r.iter().any(|name| name == route))
    }
}

impl Keys {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    /// Adds a key under its digests.
    pub(crate) fn add(&mut self, key: Key, sums: &[Sum]) {
        for sum in sums {
            self.index
                .entry(prefix(sum))
                .or_default()
                .push((*sum, self.keys.len()));
        }
        self.keys.push(key);
    }

    /// The key that was presented, if it is one.
    #[must_use]
    pub fn verify(&self, presented: &str) -> Option<&Key> {
        let sum = sum(presented);
        let mut found = None;
        for (known, key) in self.index.get(&prefix(&sum)).into_iter().flatten() {
            if bool::from(known.ct_eq(&sum)) {
                found = Some(*key);
            }
        }
        self.keys.get(found?)
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.keys.iter().map(|k| &k.name))
            .finish()
    }
}

fn prefix(sum: &Sum) -> Prefix {
    let [a, b, c, d, ..] = *sum;
    [a, b, c, d]
}

/// The digest a key is stored as.
#[must_use]
pub fn sum(key: &str) -> Sum {
    Sha256::digest(key.as_bytes()).into()
}

/// A digest as it stands in a file: `sha256:` and 64 hex digits.
#[must_use]
pub fn hash(key: &str) -> String {
    format!("sha256:{}", hex(key.as_bytes()))
}

/// A digest in hex digits.
pub(crate) fn hex(secret: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(secret) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Reads what [`hash`] writes.
pub(crate) fn parse_hash(text: &str) -> Result<Sum, String> {
    let wrong = || "a hash is sha256: and 64 hex digits; punctual keys new prints one".to_owned();
    let hex = text
        .trim()
        .strip_prefix("sha256:")
        .filter(|h| h.len() == 64 && h.bytes().all(|b| b.is_ascii_hexdigit()))
        .ok_or_else(wrong)?;
    let mut out = Sum::default();
    for (byte, pair) in out.iter_mut().zip(hex.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(pair).map_err(|_| wrong())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
    }
    Ok(out)
}

/// A new key, `pk-` and 43 letters of six random bits each, from the system's generator.
///
/// # Errors
/// When the system has no randomness to give.
pub fn new_key() -> Result<String, getrandom::Error> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut random = [0u8; 43];
    getrandom::fill(&mut random)?;
    let letters = random
        .iter()
        .filter_map(|b| LETTERS.get(usize::from(b & 63)));
    Ok("pk-"
        .chars()
        .chain(letters.map(|l| char::from(*l)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key {
            name: name.into(),
            deadline: None,
            routes: Some(vec!["chat".into()]),
            passthrough: false,
            heartbeat_interval: None,
        }
    }

    #[test]
    fn both_live_values_of_a_key_are_it_and_nothing_else_is() {
        let mut keys = Keys::default();
        keys.add(key("a"), &[sum("old"), sum("new")]);
        keys.add(key("b"), &[parse_hash(&hash("b-key")).unwrap()]);
        let name = |k| keys.verify(k).map(|k| k.name.to_string());
        assert_eq!(name("old").as_deref(), Some("a"));
        assert_eq!(name("new").as_deref(), Some("a"));
        assert_eq!(name("b-key").as_deref(), Some("b"));
        for wrong in ["", "ol", "old ", "sha256:"] {
            assert_eq!(name(wrong), None);
        }
        assert!(
            keys.verify("old")
                .is_some_and(|k| k.may_use("chat") && !k.may_use("other"))
        );
    }

    #[test]
    fn a_new_key_is_long_and_new() {
        let (a, b) = (new_key().unwrap(), new_key().unwrap());
        assert!(a.len() == 46 && a.starts_with("pk-") && a != b);
        for bad in [
            "",
            "sha256:",
            &format!("sha256:{}", "g".repeat(64)),
            &format!("sha256:+{}", "a".repeat(63)),
        ] {
            assert!(parse_hash(bad).is_err(), "{bad}");
        }
    }
}
