//! Citations of Converse, which are those of its makers' models in Bedrock's words
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html>).
//!
//! A place in a document of the question is what Anthropic's own API calls a `char_location` and its like, and is
//! read as that; a source on the web is an address, which callers of OpenAI's APIs can be told.

use serde_json::{Map, Value};

use crate::{json, middle::Json};

/// The kinds of places, what each is called in Anthropic's API, and the names of its numbers there.
const PLACES: [(&str, &str, [&str; 3]); 4] = [
    (
        "documentChar",
        "char_location",
        ["document_index", "start_char_index", "end_char_index"],
    ),
    (
        "documentPage",
        "page_location",
        ["document_index", "start_page_number", "end_page_number"],
    ),
    (
        "documentChunk",
        "content_block_location",
        ["document_index", "start_block_index", "end_block_index"],
    ),
    (
        "searchResultLocation",
        "search_result_location",
        [
            "search_result_index",
            "start_block_index",
            "end_block_index",
        ],
    ),
];

/// One citation; as it is spelled where its place is of no kind that is known.
pub(super) fn read(citation: &str) -> Option<Json> {
    let names = ["title", "source", "sourceContent", "location"];
    let [title, source, content, location] = json::members(citation, &names)?;
    let text = |value: Option<&str>| value.and_then(json::text).map(String::from);
    let mut cited = String::new();
    json::elements(content.unwrap_or("[]"), |piece| {
        cited.extend(json::member(piece, "text").and_then(json::text));
    });
    let mut out = Map::new();
    if let Some(web) = location.and_then(|location| json::member(location, "web")) {
        out.insert("url".into(), text(json::member(web, "url"))?.into());
        out.insert("title".into(), text(title).unwrap_or_default().into());
        if !cited.is_empty() {
            out.insert("cited_text".into(), cited.into());
        }
        return Some(Json::of(&out));
    }
    let found = PLACES
        .iter()
        .find_map(|(name, kind, numbers)| Some((kind, numbers, json::member(location?, name)?)));
    let Some((kind, names, place)) = found else {
        return Json::parse(citation);
    };
    let members = ["documentIndex", "searchResultIndex", "start", "end"];
    let [document, result, start, end] = json::members(place, &members)?;
    out.insert("type".into(), (*kind).into());
    for (name, value) in names.iter().zip([document.or(result), start, end]) {
        let number = value.and_then(json::count).map_or(Value::Null, Value::from);
        out.insert((*name).into(), number);
    }
    out.insert("cited_text".into(), cited.into());
    let title = text(title).map_or(Value::Null, Value::from);
    match *kind {
        "search_result_location" => {
            out.insert("title".into(), title);
            out.insert("source".into(), text(source).unwrap_or_default().into());
        }
        _ => {
            out.insert("document_title".into(), title);
        }
    }
    Some(Json::of(&out))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_place_is_told_in_anthropics_words_and_a_source_by_its_address() {
        for (location, expected) in [
            (
                r#"{"web":{"url":"https://example.com/","domain":"example.com"}}"#,
                r#"{"cited_text":"so","title":"t","url":"https://example.com/"}"#,
            ),
            (
                r#"{"documentChar":{"documentIndex":0,"start":3,"end":5}}"#,
                r#"{"cited_text":"so","document_index":0,"document_title":"t","end_char_index":5,"start_char_index":3,"type":"char_location"}"#,
            ),
            (
                r#"{"documentPage":{"documentIndex":1,"start":1,"end":2}}"#,
                r#"{"cited_text":"so","document_index":1,"document_title":"t","end_page_number":2,"start_page_number":1,"type":"page_location"}"#,
            ),
            (
                r#"{"documentChunk":{"documentIndex":0,"start":0,"end":1}}"#,
                r#"{"cited_text":"so","document_index":0,"document_title":"t","end_block_index":1,"start_block_index":0,"type":"content_block_location"}"#,
            ),
            (
                r#"{"searchResultLocation":{"searchResultIndex":0,"start":0,"end":1}}"#,
                r#"{"cited_text":"so","end_block_index":1,"search_result_index":0,"source":"s","start_block_index":0,"title":"t","type":"search_result_location"}"#,
            ),
        ] {
            let citation = format!(
                r#"{{"title":"t","source":"s","sourceContent":[{{"text":"so"}}],"location":{location}}}"#
            );
            assert_eq!(read(&citation).unwrap().as_str(), expected, "{location}");
        }
        let novel = r#"{"location":{"ofTomorrow":{}}}"#;
        assert_eq!(read(novel).unwrap().as_str(), novel);
    }
}
