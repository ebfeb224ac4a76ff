//! The state in a body, found in one pass over it.
//!
//! Nothing is built: strings are looked at as they go by, and what callers and tools write as they like is passed
//! over. A body that turns out not to be JSON in the middle has told what came before that.

use super::{Carried, FILES, FOREIGN, HOLDERS, LONGEST, REFERENCE, THOUGHTS};
use crate::json;
use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt};

/// What a member's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    Thought,
    File,
}

impl Holds {
    fn of(key: &str) -> Self {
        match key {
            key if THOUGHTS.contains(&key) => Self::Thought,
            key if FILES.contains(&key) => Self::File,
            _ => Self::Nothing,
        }
    }
}

/// Finds the state in a body that is JSON; what cannot be read through is left.
pub(super) fn all(body: &str, found: &mut Carried) {
    let scan = Scan {
        found,
        holds: Holds::Nothing,
        top: true,
    };
    let _ = scan.deserialize(&mut serde_json::Deserializer::from_str(body));
}

/// Looks through one value.
struct Scan<'f> {
    found: &'f mut Carried,
    holds: Holds,
    /// The value is the whole body.
    top: bool,
}

impl<'de> DeserializeSeed<'de> for Scan<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_any(self)
    }
}

/// The value of a short string is told, for `type`.
impl<'de> Visitor<'de> for Scan<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        match self.holds {
            Holds::Nothing => {}
            Holds::Thought => self.found.thought(text),
            Holds::File => self.found.file(text),
        }
        Ok((text.len() <= LONGEST).then(|| text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq
            .next_element_seed(Scan {
                found: &mut *self.found,
                // `file_ids`
                holds: self.holds,
                top: false,
            })?
            .is_some()
        {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut kind, mut data, mut id) = (None, None, None);
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            let key = &*key;
            // a tool's input; at the top it is the conversation
            let foreign = FOREIGN.contains(&key) || (key == "input" && !self.top);
            if foreign {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if key == "data" {
                data = Some(map.next_value::<&serde_json::value::RawValue>()?);
                continue;
            }
            if key == "id" && self.holds != Holds::File {
                id = Some(map.next_value::<&serde_json::value::RawValue>()?);
                continue;
            }
            let scan = Scan {
                found: &mut *self.found,
                holds: match key {
                    // `container` can be an object that holds its id
                    "id" => self.holds,
                    key => Holds::of(key),
                },
                top: false,
            };
            let text = map.next_value_seed(scan)?;
            if key == "type" {
                kind = text.or(kind);
            }
        }
        let kind = kind.as_deref().unwrap_or_default();
        let text = |value: Option<&'de serde_json::value::RawValue>| json::text(value?.get());
        if HOLDERS.contains(&kind)
            && let Some(data) = text(data)
        {
            self.found.thought(&data);
        }
        if kind == REFERENCE
            && let Some(id) = text(id)
        {
            self.found.item(&id);
        }
        Ok(None)
    }
}
