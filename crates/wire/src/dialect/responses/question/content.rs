//! Parts of a message, or of what a tool answered.

use std::borrow::Cow;

use serde::Serialize;

use super::super::annotation;
use crate::middle::{Json, Lost, Part, Role, Source};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece<'a> {
    InputText {
        text: &'a str,
    },
    OutputText {
        text: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        annotations: Vec<Json>,
    },
    Refusal {
        refusal: &'a str,
    },
    SummaryText {
        text: &'a str,
    },
    InputImage {
        #[serde(skip_serializing_if = "Option::is_none")]
        image_url: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
        detail: &'a str,
    },
    InputFile {
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
    },
}

/// All pieces, as one string if they are one text, or all are and `plain` is wanted.
pub(super) fn joined(pieces: Vec<Piece<'_>>, plain: bool) -> Content<'_> {
    match pieces.as_slice() {
        [Piece::InputText { text }] => Content::Text(Cow::Borrowed(text)),
        several if plain && several.iter().all(|piece| text(piece).is_some()) => {
            Content::Text(Cow::Owned(several.iter().filter_map(text).collect()))
        }
        _ => Content::Pieces(pieces),
    }
}

fn text<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    match piece {
        Piece::InputText { text } | Piece::OutputText { text, .. } => Some(text),
        _ => None,
    }
}

/// One part in the mouth of `role`; `None` and named as lost if it cannot be said.
pub(super) fn piece<'a>(part: &'a Part, role: Role, lost: &mut Lost) -> Option<Piece<'a>> {
    let model = role == Role::Assistant;
    match part {
        Part::Text {
            text,
            citations,
            cache,
        } => {
            cached(cache.as_ref(), lost);
            let (annotations, whole) = citations
                .as_ref()
                .map_or((Vec::new(), true), |all| annotation::all(all, text));
            if !whole || (!model && !annotations.is_empty()) {
                lost.content("messages[].content[].citations");
            }
            Some(match model {
                true => Piece::OutputText { text, annotations },
                false => Piece::InputText { text },
            })
        }
        Part::Refusal { text } => Some(match model {
            true => Piece::Refusal { refusal: text },
            false => Piece::InputText { text },
        }),
        Part::Image {
            source,
            detail,
            cache,
        } if !model => {
            cached(cache.as_ref(), lost);
            Some(Piece::InputImage {
                image_url: source.to_url(),
                file_id: uploaded(source),
                detail: detail.as_deref().unwrap_or("auto"),
            })
        }
        Part::File {
            source,
            name,
            cache,
        } if !model => {
            cached(cache.as_ref(), lost);
            Some(file(source, name.as_deref(), lost))
        }
        Part::Reasoning { .. } => {
            lost.thought();
            None
        }
        other => {
            lost.content(lost_name(other));
            None
        }
    }
}

/// Only a file that is sent along has a name; one that is fetched or was uploaded has its own.
fn file<'a>(source: &'a Source, name: Option<&'a str>, lost: &mut Lost) -> Piece<'a> {
    let inline = match source {
        Source::Inline { media_type, data } if media_type.is_empty() => Some(data.clone()),
        Source::Inline { .. } => source.to_url(),
        _ => None,
    };
    if inline.is_none() && name.is_some() {
        lost.parameter("messages[].content[].file.filename");
    }
    Piece::InputFile {
        filename: name.filter(|_| inline.is_some()),
        file_data: inline,
        file_url: match source {
            Source::Url(url) => Some(url),
            _ => None,
        },
        file_id: uploaded(source),
    }
}

fn uploaded(source: &Source) -> Option<&str> {
    match source {
        Source::Id(id) => Some(id),
        _ => None,
    }
}

/// Cache breakpoints: this API caches by itself.
pub(super) fn cached(cache: Option<&Json>, lost: &mut Lost) {
    if cache.is_some() {
        lost.parameter("messages[].content[].cache_control");
    }
}

fn lost_name(part: &Part) -> &'static str {
    match part {
        Part::Image { .. } => "messages[].content[].image_url",
        Part::File { .. } => "messages[].content[].file",
        Part::Audio { .. } => "messages[].content[].input_audio",
        Part::ToolCall(_) => "messages[].tool_calls",
        Part::ToolResult(_) => "messages[].content[].tool_result",
        _ => "messages[].content[].type",
    }
}
