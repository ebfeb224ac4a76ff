//! Changing a few bytes of a large body without copying the rest.
//!
//! The upstream gets the caller's own bytes, with the model's name and perhaps
//! `stream_options.include_usage` replaced by position: every other byte, number and unknown
//! member included, is a slice of the original. The parts are sent as the frames of one body of
//! exact length.

use std::ops::Range;

use bytes::Bytes;

use crate::{Peek, json};

#[cfg(test)]
mod tests;

/// Replaces the bytes `at` of a body by `text`; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which bytes of the original.
    pub at: Range<usize>,
    /// What stands there instead.
    pub text: Bytes,
}

/// The body for one attempt: `model` put in, and usage reporting switched on if `include_usage`.
/// The parts, none empty, are to be sent one after another.
pub fn request(body: &Bytes, peek: &Peek, model: &str, include_usage: bool) -> Vec<Bytes> {
    let rename = (model != peek.model).then(|| Edit {
        at: peek.model_span.clone(),
        text: token(model),
    });
    let usage = peek.usage_edit.clone().filter(|_| include_usage);
    splice(body, rename.into_iter().chain(usage))
}

/// Prefix, model as a JSON string, suffix. A model that is the one in the body, however it is
/// spelled there, leaves the bytes as they are.
pub fn splice_model(body: &Bytes, span: Range<usize>, model: &str) -> [Bytes; 3] {
    let before = part(body, 0..span.start);
    let after = part(body, span.end..body.len());
    let old = part(body, span);
    let same = std::str::from_utf8(&old)
        .ok()
        .and_then(json::text)
        .is_some_and(|old| old == model);
    [before, if same { old } else { token(model) }, after]
}

/// Applies `edits` in order of position; one that overlaps an earlier one is left out.
pub fn splice(body: &Bytes, edits: impl IntoIterator<Item = Edit>) -> Vec<Bytes> {
    let mut edits: Vec<Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| edit.at.start);
    let (mut parts, mut done) = (Vec::with_capacity(edits.len() * 2 + 1), 0);
    for edit in edits {
        if edit.at.start >= done && edit.at.end >= edit.at.start {
            parts.push(part(body, done..edit.at.start));
            parts.push(edit.text);
            done = edit.at.end;
        }
    }
    parts.push(part(body, done..body.len()));
    parts.retain(|part| !part.is_empty());
    parts
}

fn token(model: &str) -> Bytes {
    Bytes::from(serde_json::Value::from(model).to_string())
}

/// A slice that is cut to what there is.
fn part(body: &Bytes, range: Range<usize>) -> Bytes {
    let end = range.end.min(body.len());
    body.slice(range.start.min(end)..end)
}
