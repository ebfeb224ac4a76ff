//! A JSON value as it was spelled.
//!
//! `0.1234567890123`, `1e400` and `10000000000000000000000000` go through a gateway unharmed only if
//! nobody turns them into a double on the way; schemas and tool arguments keep the order of their
//! members for the same reason.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json;

/// A JSON value, kept as text. Always valid JSON.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// `text` as a value; `None` if it is not JSON.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// What serialises to it; `null` for what cannot be serialised.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        let raw = serde_json::value::to_raw_value(value);
        Self(raw.unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// As it is spelled.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// A whole number, in any spelling of one that has no fraction or exponent.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_str().parse().ok()
    }

    /// The text of a string.
    pub fn as_text(&self) -> Option<String> {
        json::text(self.as_str()).map(Into::into)
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        json::is_object(self.as_str())
    }

    /// One member of an object; `None` if absent or `null`.
    pub fn member(&self, name: &str) -> Option<&str> {
        json::member(self.as_str(), name)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Json {
    /// By spelling.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
