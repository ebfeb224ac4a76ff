//! State that a conversation carries and that is only good with whoever made it.
//!
//! `previous_response_id`, items by reference, encrypted reasoning, thinking signatures, ids of files, containers
//! and vector stores. To find the maker again only a fingerprint of each is kept; that two are taken for one
//! another is possible and harmless (the provider refuses what is not its own).
//!
//! What a request continues is part of its API: it stands at the top of a question of the Responses API and
//! nowhere else, and is told however the rest of the body reads. The other pieces can be anywhere in a
//! conversation, but not in what callers and tools write as they like: metadata, schemas, arguments. Bodies
//! that name none of them, nearly all, cost one search for each name.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;

use crate::{Surface, json};

mod made;
mod scan;
#[cfg(test)]
mod tests;
mod told;

pub use made::Made;
pub use told::{Told, named};

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
    /// Of items of an earlier response by reference.
    pub items: Vec<u64>,
    /// Of files, containers and vector stores by id.
    pub files: Vec<u64>,
    /// Of what else its maker alone can read: encrypted thoughts and signatures.
    pub pieces: Vec<u64>,
}

/// More of them decide nothing new.
const PIECES: usize = 1024;

/// Members that hold thoughts which only their maker can read.
const THOUGHTS: [&str; 3] = ["encrypted_content", "signature", "thought_signature"];
/// Members that name what is kept with a provider.
const FILES: [&str; 6] = [
    "file_id",
    "file_ids",
    "container",
    "container_id",
    "vector_store_id",
    "vector_store_ids",
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
/// The type whose `id` is that of an item of an earlier response.
const REFERENCE: &str = "item_reference";
/// No type that matters is longer.
const LONGEST: usize = 19;

/// One searcher for each name that begins with no other; to prepare one takes longer than to pass over a body.
static NAMES: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    let names = || {
        let members = THOUGHTS.into_iter().chain(FILES);
        members.chain(HOLDERS).chain([REFERENCE])
    };
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
    if is_named(body) {
        scan::all(body, &mut found);
    }
    found
}

/// Whether there is anything to look for.
fn is_named(body: &str) -> bool {
    let is_there = |name: &Finder<'_>| name.find(body.as_bytes()).is_some();
    NAMES.iter().any(is_there)
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

    fn thought(&mut self, state: &str) {
        if !state.is_empty() {
            once(&mut self.pieces, fingerprint(bare(state)));
        }
    }

    fn file(&mut self, id: &str) {
        if !id.is_empty() {
            once(&mut self.files, fingerprint(id));
        }
    }

    fn item(&mut self, id: &str) {
        if !id.is_empty() {
            once(&mut self.items, fingerprint(id));
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
