//! State that a conversation carries and that is only good with whoever made it.
//!
//! `previous_response_id`, encrypted reasoning, thinking signatures, file and container ids. To find the
//! maker again only a fingerprint of each is kept; that two are taken for one another is possible and
//! harmless (the provider refuses what is not its own). Bodies that name none of them, nearly all, cost one
//! search for each name.

use std::{fmt, sync::LazyLock};

use memchr::memmem::Finder;
use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

#[cfg(test)]
mod tests;

/// The fingerprint of a piece of state (64-bit FNV-1a; the text itself is not kept anywhere).
pub fn fingerprint(state: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    state.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// What a request carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Fingerprints, each once.
    pub pieces: Vec<u64>,
    /// Whether it continues something that only its maker has: an earlier response, a conversation.
    pub required: bool,
}

/// More of them decide nothing new.
const PIECES: usize = 1024;

/// Members that hold state, and whether the request makes no sense without its maker.
const MEMBERS: [(&str, bool); 8] = [
    ("previous_response_id", true),
    ("conversation", true),
    ("encrypted_content", false),
    ("signature", false),
    ("thought_signature", false),
    ("file_id", false),
    ("container", false),
    ("container_id", false),
];
/// Types whose `data` is state; elsewhere `data` is a picture. Anthropic's, and OpenRouter's in
/// `reasoning_details`.
const HOLDERS: [&str; 2] = ["redacted_thinking", "reasoning.encrypted"];
/// No type that matters is longer.
const LONGEST: usize = 19;

/// One searcher for each name that begins with no other; to prepare one takes longer than to pass over a body.
static NAMES: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    let names = || MEMBERS.iter().map(|(name, _)| *name).chain(HOLDERS);
    let shortest = |name: &&str| !names().any(|n| n != *name && name.starts_with(n));
    names().filter(shortest).map(Finder::new).collect()
});

/// Finds the state in a request's body, at any depth. What cannot be read holds none.
pub fn carried(body: &str) -> Carried {
    let mut found = Carried::default();
    if NAMES
        .iter()
        .any(|name| name.find(body.as_bytes()).is_some())
    {
        let scan = Scan {
            found: &mut found,
            member: None,
        };
        let _ = scan.deserialize(&mut serde_json::Deserializer::from_str(body));
    }
    found
}

impl Carried {
    fn add(&mut self, state: &str, required: bool) {
        let print = fingerprint(bare(state));
        if state.is_empty() || self.pieces.len() >= PIECES || self.pieces.contains(&print) {
            return;
        }
        self.pieces.push(print);
        self.required |= required;
    }
}

/// State of another API that was marked on its way through the Responses API, without the mark.
fn bare(state: &str) -> &str {
    let marks = ["signature:", "hidden:"];
    marks
        .iter()
        .find_map(|mark| state.strip_prefix(mark))
        .unwrap_or(state)
}

/// Looks through one value.
struct Scan<'f> {
    found: &'f mut Carried,
    /// The value is that of a member which holds state.
    member: Option<bool>,
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
        if let Some(required) = self.member {
            self.found.add(text, required);
        }
        Ok((text.len() <= LONGEST).then(|| text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq
            .next_element_seed(Scan {
                found: &mut *self.found,
                member: None,
            })?
            .is_some()
        {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut redacted, mut data) = (false, None);
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            let held = MEMBERS.iter().find(|(name, _)| *name == key);
            // `conversation` and `container` can be objects that hold nothing but an id
            let inner = self.member.filter(|_| key == "id");
            if key == "data" {
                data = Some(map.next_value::<&serde_json::value::RawValue>()?);
                continue;
            }
            let scan = Scan {
                found: &mut *self.found,
                member: held.map(|(_, required)| *required).or(inner),
            };
            let text = map.next_value_seed(scan)?;
            redacted |= key == "type" && text.is_some_and(|text| HOLDERS.contains(&text.as_str()));
        }
        if let Some(data) = data.filter(|_| redacted)
            && let Some(data) = crate::json::text(data.get())
        {
            self.found.add(&data, false);
        }
        Ok(None)
    }
}
