//! One item of an answer's output.
//!
//! Read whole, from an answer or from the event that closes the item. Leniently: a piece that is absent or of
//! a surprising type is nothing.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, de::Visitor};

use super::request::citations;
use crate::{
    json,
    middle::{Json, Part, ToolCall},
};

/// The text of a string token; half of a surrogate pair becomes replacement characters.
pub(super) fn words(value: &str) -> Option<Cow<'_, str>> {
    let lossy = || {
        let unpaired: Unpaired = serde_json::from_str(value).ok()?;
        Some(Cow::Owned(
            String::from_utf8_lossy(&unpaired.0).into_owned(),
        ))
    };
    json::text(value).or_else(lossy)
}

/// The input of a call: a text, or an object where a server does not serialise it.
pub(super) fn input(value: &str) -> Option<Cow<'_, str>> {
    match json::is_object(value) {
        true => Some(Cow::Borrowed(value)),
        false => words(value),
    }
}

/// A member that is a text.
pub(super) fn text<'a>(object: &'a str, name: &str) -> Option<Cow<'a, str>> {
    json::member(object, name).and_then(words)
}

/// As [`text`], none if empty.
pub(super) fn filled<'a>(object: &'a str, name: &str) -> Option<Cow<'a, str>> {
    text(object, name).filter(|text| !text.is_empty())
}

/// What an item is.
pub(super) fn kind(item: &str) -> Cow<'_, str> {
    text(item, "type").unwrap_or_default()
}

/// Log probabilities of a piece of text, if there are any.
pub(super) fn logprobs(text: &str) -> Option<&str> {
    let logprobs = json::member(text, "logprobs")?;
    let mut any = false;
    json::elements(logprobs, |_| any = true);
    any.then_some(logprobs)
}

/// The parts of an item, in order, and the log probabilities of its texts.
pub(super) fn parts(item: &str, parts: &mut Vec<Part>, logprobs: &mut Vec<Json>) {
    match kind(item).as_ref() {
        "message" => message(item, parts, logprobs),
        "function_call" => parts.push(Part::ToolCall(call(item))),
        "reasoning" => parts.push(Part::Reasoning {
            text: thought(item),
            signature: None,
            opaque: encrypted(item).map(Cow::into_owned),
            id: filled(item, "id").map(Cow::into_owned),
        }),
        _ => parts.extend(other(item)),
    }
}

fn message(item: &str, parts: &mut Vec<Part>, probable: &mut Vec<Json>) {
    let Some(content) = json::member(item, "content") else {
        return;
    };
    json::elements(content, |piece| match kind(piece).as_ref() {
        "output_text" | "text" => {
            parts.push(Part::Text {
                text: text(piece, "text").unwrap_or_default().into_owned(),
                citations: citations(piece),
                cache: None,
            });
            if let Some(logprobs) = logprobs(piece) {
                json::elements(logprobs, |one| probable.extend(Json::parse(one)));
            }
        }
        "refusal" => parts.push(Part::Refusal {
            text: text(piece, "refusal").unwrap_or_default().into_owned(),
        }),
        _ => parts.extend(other(piece)),
    });
}

/// A call; the item's own id stands in for an absent `call_id`.
pub(super) fn call(item: &str) -> ToolCall {
    let id = filled(item, "call_id").or_else(|| filled(item, "id"));
    ToolCall {
        id: id.unwrap_or_default().into_owned(),
        name: text(item, "name").unwrap_or_default().into_owned(),
        input: json::member(item, "arguments")
            .and_then(input)
            .unwrap_or_default()
            .into_owned(),
        signature: None,
    }
}

/// The words of a thought, or its summary where there are none.
pub(super) fn thought(item: &str) -> String {
    let joined = |name| {
        let mut texts: Vec<String> = Vec::new();
        if let Some(list) = json::member(item, name) {
            json::elements(list, |piece| {
                texts.extend(filled(piece, "text").map(Cow::into_owned));
            });
        }
        texts.join("\n\n")
    };
    let words = joined("content");
    match words.is_empty() {
        true => joined("summary"),
        false => words,
    }
}

/// The encrypted form of a thought.
pub(super) fn encrypted(item: &str) -> Option<Cow<'_, str>> {
    filled(item, "encrypted_content")
}

/// Anything else that says what it is.
pub(super) fn other(item: &str) -> Option<Part> {
    let kind = kind(item);
    (!kind.is_empty()).then_some(())?;
    Some(Part::Other {
        kind: kind.into_owned(),
        value: Json::parse(item)?,
    })
}

/// The bytes of a string whose surrogates need not be paired.
struct Unpaired(Vec<u8>);

impl<'de> Deserialize<'de> for Unpaired {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(bytes.to_vec())
            }
        }
        source.deserialize_bytes(Bytes).map(Self)
    }
}
