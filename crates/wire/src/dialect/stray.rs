//! Members inside messages and tools that nothing reads.
//!
//! What the middle form has no place for is kept by name, so that whoever writes the question in other words
//! names it as lost. The outermost members are kept where they are read; those further inside (an
//! `annotations` that a message of the model was sent back with, a parameter of tomorrow) are looked for here,
//! by lists of what is read. What says nothing (`null`, an empty list or object) is not missed.

use crate::{json, middle::Json};

/// Kept beyond this many they would not be named one by one anyway.
const MOST: usize = 64;

/// Where they are kept.
pub(super) struct Strays<'e>(pub(super) &'e mut Vec<(String, Json)>);

impl Strays<'_> {
    /// Keeps the members of `object` that are not `known`, as members of `place`.
    pub(super) fn of(&mut self, object: &str, known: &[&str], place: &str) {
        let mut seen = Unknown {
            known,
            found: Vec::new(),
        };
        // what is no object has been refused, or is read as something else
        let _ = json::walk(object, &mut seen);
        for (name, value) in seen.found {
            let name = format!("{place}.{name}");
            let full = self.0.len() >= MOST || self.0.iter().any(|(other, _)| *other == name);
            self.0.extend(
                Json::parse(value)
                    .filter(|_| !full)
                    .map(|json| (name, json)),
            );
        }
    }

    /// The same inside a member of `object`, where that is there.
    pub(super) fn inside(&mut self, object: &str, member: &str, known: &[&str], place: &str) {
        if let Some(inner) = json::member(object, member) {
            self.of(inner, known, &format!("{place}.{member}"));
        }
    }
}

struct Unknown<'k, 'a> {
    known: &'k [&'k str],
    found: Vec<(String, &'a str)>,
}

impl<'a> json::Sink<'a> for Unknown<'_, 'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        if self.known.iter().any(|known| known.as_bytes() == key) {
            return value.skip();
        }
        let value = value
            .given()?
            .filter(|value| !matches!(*value, "[]" | "{}"));
        let name = String::from_utf8_lossy(key);
        self.found
            .extend(value.map(|value| (name.into_owned(), value)));
        Ok(())
    }
}
