//! Citations of a text.
//!
//! This API writes them flat (`{"type":"url_citation","url":…}`), chat completions put the same members one
//! level deeper (`{"type":"url_citation","url_citation":{…}}`). Of those of other APIs what has an address is one
//! here too; the others point into documents that do not exist here.

use std::ops::Range;

use serde::Serialize;

use crate::{dialect::citation::Address, json, middle::Json};

const KINDS: [&str; 4] = [
    "url_citation",
    "file_citation",
    "container_file_citation",
    "file_path",
];

#[derive(Serialize)]
struct Cited<'a> {
    r#type: &'static str,
    start_index: usize,
    end_index: usize,
    url: &'a str,
    title: &'a str,
}

/// One citation as this API writes it; `None` if it cannot be. `place` is what it is of, in characters of the
/// text, unless it says that itself.
pub(super) fn of(citation: &str, place: Option<Range<usize>>) -> Option<Json> {
    let kind = json::member(citation, "type").and_then(json::text);
    let kind = kind.unwrap_or_default();
    if !KINDS.contains(&kind.as_ref()) {
        let source = Address::of(citation, place)?;
        return Some(Json::of(&Cited {
            r#type: "url_citation",
            start_index: source.place.start,
            end_index: source.place.end,
            url: &source.url,
            title: &source.title,
        }));
    }
    let Some(inner) = json::member(citation, &kind).filter(|inner| json::is_object(inner)) else {
        return Json::parse(citation);
    };
    let members = inner.strip_prefix('{')?.trim_start();
    let comma = if members == "}" { "" } else { "," };
    Json::parse(&format!("{{\"type\":\"{kind}\"{comma}{members}"))
}

/// All of a text's citations that can be written; false if some cannot.
pub(super) fn all(citations: &Json, text: &str) -> (Vec<Json>, bool) {
    let (mut found, mut whole) = (Vec::new(), true);
    let place = 0..text.chars().count();
    whole &= json::elements(citations.as_str(), |citation| {
        match of(citation, Some(place.clone())) {
            Some(annotation) => found.push(annotation),
            None => whole = false,
        }
    });
    (found, whole)
}
