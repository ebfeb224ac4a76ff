//! Citations of a text.
//!
//! This API writes them flat (`{"type":"url_citation","url":…}`), chat completions put the same members one
//! level deeper (`{"type":"url_citation","url_citation":{…}}`). Citations of other APIs point into blocks
//! that do not exist here.

use crate::{json, middle::Json};

const KINDS: [&str; 4] = [
    "url_citation",
    "file_citation",
    "container_file_citation",
    "file_path",
];

/// One citation as this API writes it; `None` if it cannot be.
pub(super) fn of(citation: &str) -> Option<Json> {
    let kind = json::member(citation, "type").and_then(json::text)?;
    if !KINDS.contains(&kind.as_ref()) {
        return None;
    }
    let Some(inner) = json::member(citation, &kind).filter(|inner| json::is_object(inner)) else {
        return Json::parse(citation);
    };
    let members = inner.strip_prefix('{')?.trim_start();
    let comma = if members == "}" { "" } else { "," };
    Json::parse(&format!("{{\"type\":\"{kind}\"{comma}{members}"))
}

/// All of a text's citations that can be written; false if some cannot.
pub(super) fn all(citations: &Json) -> (Vec<Json>, bool) {
    let (mut found, mut whole) = (Vec::new(), true);
    whole &= json::elements(citations.as_str(), |citation| match of(citation) {
        Some(annotation) => found.push(annotation),
        None => whole = false,
    });
    (found, whole)
}
