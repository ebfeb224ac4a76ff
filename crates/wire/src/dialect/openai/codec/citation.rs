//! Citations in the form of chat completions, `{"type":"url_citation","url_citation":{…}}`.
//!
//! Every API that searches the web names its sources in a spelling of its own; what has an address can be
//! said here. Places inside a document cannot.

use std::ops::Range;

use serde::Serialize;

use crate::{dialect::citation, json, middle::Json};

#[derive(Serialize)]
struct Annotation<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    r#type: &'static str,
    url_citation: Address<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Address<'a> {
    /// As it came.
    Spelled(&'a Json),
    Made {
        url: &'a str,
        title: &'a str,
        start_index: usize,
        end_index: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<&'a str>,
    },
}

/// `citation` of any dialect as an annotation; `None` if it has no address. `index` is its place among
/// all of a stream, which the Python SDK needs to put lists together; `place` is what it is of, in characters
/// of the text, unless it says that itself.
pub(super) fn annotation(
    citation: &str,
    index: Option<usize>,
    place: Option<Range<usize>>,
) -> Option<Json> {
    if let Some(spelled) = json::member(citation, "url_citation").and_then(Json::parse) {
        return Some(made(index, Address::Spelled(&spelled)));
    }
    let source = citation::Address::of(citation, place)?;
    let address = Address::Made {
        url: &source.url,
        title: &source.title,
        start_index: source.place.start,
        end_index: source.place.end,
        content: source.content.as_deref(),
    };
    Some(made(index, address))
}

fn made(index: Option<usize>, url_citation: Address<'_>) -> Json {
    Json::of(&Annotation {
        index,
        r#type: "url_citation",
        url_citation,
    })
}

/// Perplexity's list of bare addresses, each as an annotation.
pub(super) fn addresses(list: &str, mut each: impl FnMut(&str)) {
    json::elements(list, |url| {
        let Some(url) = json::text(url).filter(|url| !url.is_empty()) else {
            return;
        };
        let address = Address::Made {
            url: &url,
            title: "",
            start_index: 0,
            end_index: 0,
            content: None,
        };
        each(made(None, address).as_str());
    });
}

#[cfg(test)]
mod tests {
    use super::annotation;

    #[test]
    fn sources_of_every_api_are_named_alike() {
        let chat = r#"{"type":"url_citation","url_citation":{"url":"u","start_index":1.0,"x":1}}"#;
        assert_eq!(annotation(chat, None, None).unwrap().as_str(), chat);
        let responses =
            r#"{"type":"url_citation","url":"u","title":"t","start_index":3,"end_index":9}"#;
        let anthropic = r#"{"type":"web_search_result_location","url":"u","title":"t","encrypted_index":"x","cited_text":"c"}"#;
        let gemini = r#"{"web":{"uri":"u","title":"t"}}"#;
        for (citation, rest) in [
            (responses, r#""start_index":3,"end_index":9}}"#),
            (
                anthropic,
                r#""start_index":0,"end_index":0,"content":"c"}}"#,
            ),
            (gemini, r#""start_index":0,"end_index":0}}"#),
        ] {
            let expected = format!(
                r#"{{"index":2,"type":"url_citation","url_citation":{{"url":"u","title":"t",{rest}"#
            );
            assert_eq!(
                annotation(citation, Some(2), None).unwrap().as_str(),
                expected
            );
        }
        let place = r#"{"type":"char_location","document_index":0,"cited_text":"c"}"#;
        assert_eq!(annotation(place, None, None), None);
        assert_eq!(annotation("7", None, None), None);
    }
}
