//! State that a conversation carries and that is only good with whoever made it.
//!
//! `previous_response_id`, encrypted reasoning, thinking signatures, file and container ids. To find the
//! maker again only a fingerprint of each is kept; that two are taken for one another is possible and
//! harmless (the provider refuses what is not its own).
//!
//! What a request continues is part of its API: it stands at the top of a question of the Responses API and
//! nowhere else, and is told however the rest of the body reads. The other pieces can be anywhere in a
//! conversation, but not in what callers and tools write as they like: metadata, schemas, arguments. Bodies
//! that name none of them, nearly all, cost one search for each name.

use std::{borrow::Cow, fmt, sync::LazyLock};

use memchr::memmem::Finder;
use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::{Surface, json};

mod made;
#[cfg(test)]
mod tests;

pub use made::Made;

/// The fingerprint of a piece of state (64-bit FNV-1a; the text itself is not kept anywhere).
pub fn fingerprint(state: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    state.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// What a request carries, as fingerprints, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Of what it continues and only its maker has: an earlier response, a conversation.
    pub required: Vec<u64>,
    /// Of what else its maker alone can read.
    pub pieces: Vec<u64>,
}

/// More of them decide nothing new.
const PIECES: usize = 1024;

/// Members that hold state.
const MEMBERS: [&str; 6] = [
    "encrypted_content",
    "signature",
    "thought_signature",
    "file_id",
    "container",
    "container_id",
];
/// Members whose values are the caller's own, or a tool's.
const FOREIGN: [&str; 5] = [
    "metadata",
    "arguments",
    "parameters",
    "input_schema",
    "schema",
];
/// Types whose `data` is state; elsewhere `data` is a picture. Anthropic's, and OpenRouter's in
/// `reasoning_details`.
const HOLDERS: [&str; 2] = ["redacted_thinking", "reasoning.encrypted"];
/// No type that matters is longer.
const LONGEST: usize = 19;

/// One searcher for each name that begins with no other; to prepare one takes longer than to pass over a body.
static NAMES: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    let names = || MEMBERS.into_iter().chain(HOLDERS);
    let shortest = |name: &&str| !names().any(|n| n != *name && name.starts_with(n));
    names().filter(shortest).map(Finder::new).collect()
});

/// Finds the state in a request's body. `continued` are the values of `previous_response_id` and
/// `conversation` at its top, as they are spelled. Other state in what cannot be read through is not found.
pub(crate) fn carried(surface: Surface, body: &str, continued: [Option<&str>; 2]) -> Carried {
    let mut found = Carried::default();
    if surface == Surface::Responses {
        for value in continued.into_iter().flatten() {
            match json::is_object(value) {
                true => drop(json::walk(value, &mut Ids(&mut found))),
                false => found.requires(value),
            }
        }
    }
    if NAMES
        .iter()
        .any(|name| name.find(body.as_bytes()).is_some())
    {
        let scan = Scan {
            found: &mut found,
            held: false,
            top: true,
        };
        let _ = scan.deserialize(&mut serde_json::Deserializer::from_str(body));
    }
    found
}

/// The ids of an object, each of them should there be several: which one counts is the reader's to say.
struct Ids<'f>(&'f mut Carried);

impl<'a> json::Sink<'a> for Ids<'_> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key.eq_ignore_ascii_case(b"id") {
            true => self.0.requires(value.raw()?),
            false => value.skip()?,
        }
        Ok(())
    }
}

impl Carried {
    /// Adds an id, as it is spelled; one that is no text in Unicode is bound by its spelling.
    fn requires(&mut self, id: &str) {
        if json::is_text(id) {
            let text = json::text(id).unwrap_or(Cow::Borrowed(id));
            once(&mut self.required, fingerprint(&text));
        }
    }

    fn add(&mut self, state: &str) {
        if !state.is_empty() {
            once(&mut self.pieces, fingerprint(bare(state)));
        }
    }
}

fn once(prints: &mut Vec<u64>, print: u64) {
    if prints.len() < PIECES && !prints.contains(&print) {
        prints.push(print);
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
    held: bool,
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
        if self.held {
            self.found.add(text);
        }
        Ok((text.len() <= LONGEST).then(|| text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq
            .next_element_seed(Scan {
                found: &mut *self.found,
                held: false,
                top: false,
            })?
            .is_some()
        {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut redacted, mut data) = (false, None);
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
            let scan = Scan {
                found: &mut *self.found,
                // `container` can be an object that holds its id
                held: MEMBERS.contains(&key) || (self.held && key == "id"),
                top: false,
            };
            let text = map.next_value_seed(scan)?;
            redacted |= key == "type" && text.is_some_and(|text| HOLDERS.contains(&text.as_str()));
        }
        if let Some(data) = data.filter(|_| redacted)
            && let Some(data) = json::text(data.get())
        {
            self.found.add(&data);
        }
        Ok(None)
    }
}
