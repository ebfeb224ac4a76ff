//! Text of an answer whose escapes need not be right.
//!
//! Servers that cut tokens inside a surrogate pair send halves of it. A question with such a half is
//! refused; in an answer each half becomes U+FFFD, because the rest of the text is good.

use std::{borrow::Cow, fmt};

use serde::de::{Deserializer, Error, Visitor};

use crate::json;

/// The text of a string token that is not empty; `None` for every other value.
pub(super) fn text(value: &str) -> Option<Cow<'_, str>> {
    if !json::is_text(value) {
        return None;
    }
    json::text(value).or_else(|| {
        let mut source = serde_json::Deserializer::from_str(value);
        source.deserialize_bytes(Bytes).ok().map(Cow::Owned)
    })
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn half_of_a_pair_does_not_cost_the_rest() {
        assert_eq!(text(r#""a\u00e9""#).as_deref(), Some("a\u{e9}"));
        let half = text(r#""a\ud83d b""#).unwrap();
        assert!(half.starts_with('a') && half.ends_with(" b") && half.contains('\u{fffd}'));
        assert_eq!(text(r#""""#), None);
        assert_eq!(text("7"), None);
    }
}
