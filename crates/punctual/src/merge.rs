//! Merging what a program adds to a request's body.
//!
//! Objects are merged member by member, at any depth; everything else is replaced; `null` removes. Members
//! keep their places and numbers their spelling, so nothing is read that is not an object on both sides.

use crate::leaf::mistake;
use bytes::Bytes;
use punctual_core::Failure;
use punctual_wire::middle::Json;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;
use std::fmt;

/// The members of an object, in order, as they were spelled.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// `body` with `extra` merged into it.
pub(crate) fn merge(body: &Bytes, extra: &Result<Json, String>) -> Result<Bytes, Box<Failure>> {
    let extra = extra
        .as_ref()
        .map_err(|why| mistake("bad_client", why.clone()))?;
    let body = std::str::from_utf8(body).unwrap_or_default();
    let merged = merged(body, extra.as_str());
    let text = "the extra body of a client is no JSON object; write it as one".to_owned();
    merged
        .map(Bytes::from)
        .ok_or_else(|| mistake("bad_client", text))
}

fn merged(old: &str, new: &str) -> Option<String> {
    let Members(new) = serde_json::from_str(new).ok()?;
    let Members(mut members) = serde_json::from_str(old).unwrap_or(Members(Vec::new()));
    for (name, value) in new {
        let at = members.iter().position(|(known, _)| *known == name);
        if value.get().trim() == "null" {
            at.map(|at| members.remove(at));
            continue;
        }
        let before = at
            .and_then(|at| members.get(at))
            .map_or("", |(_, value)| value.get());
        let value = match merged(before, value.get()) {
            Some(object) => RawValue::from_string(object).ok()?,
            None => value,
        };
        match at.and_then(|at| members.get_mut(at)) {
            Some(member) => member.1 = value,
            None => members.push((name, value)),
        }
    }
    serde_json::to_string(&Members(members)).ok()
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn objects_merge_at_any_depth_null_removes_and_numbers_keep_their_spelling() {
        for (old, new, expected) in [
            (
                r#"{"a":1,"b":2}"#,
                r#"{"b":3,"c":4}"#,
                r#"{"a":1,"b":3,"c":4}"#,
            ),
            (r#"{"a":1,"b":2}"#, r#"{"a":null,"z":null}"#, r#"{"b":2}"#),
            (
                r#"{"o":{"x":1.10,"y":{"k":1}},"t":0.1234567890123456789}"#,
                r#"{"o":{"y":{"k":null,"l":1e400},"z":[1]}}"#,
                r#"{"o":{"x":1.10,"y":{"l":1e400},"z":[1]},"t":0.1234567890123456789}"#,
            ),
            (
                r#"{"a":[1]}"#,
                r#"{"a":{"b":null,"c":1}}"#,
                r#"{"a":{"c":1}}"#,
            ),
            (r#"{"a":{"b":1}}"#, r#"{"a":[2]}"#, r#"{"a":[2]}"#),
        ] {
            assert_eq!(merged(old, new).as_deref(), Some(expected));
        }
        assert_eq!(merged("{}", "[1]"), None);
        assert_eq!(merged("{}", "{"), None);
    }
}
