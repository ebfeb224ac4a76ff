//! The `content` of a message that is written.
//!
//! Every part of the middle form is a part here, or is named; breakpoints of a cache are hints of other APIs that
//! OpenAI refuses, and what a text cites has a place in answers only: both are named too.

use serde::Serialize;

use super::form::{self, Audio, Content as Form, File, Image};
use crate::middle::{Lost, Options, Part, Source};

/// A string, or parts.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(String),
    Parts(Vec<Form<'a>>),
}

impl<'a> Content<'a> {
    /// One text is a string; so are several where the server takes nothing else.
    pub(super) fn of(parts: Vec<Form<'a>>, options: &Options<'_>) -> Self {
        let mut texts = parts.iter().map(|part| match part {
            Form::Text { text } => Some(*text),
            _ => None,
        });
        let plain = options.plain_content || parts.len() < 2;
        match texts.by_ref().collect::<Option<Vec<_>>>() {
            Some(texts) if plain => Self::Text(texts.join("\n")),
            _ => Self::Parts(parts),
        }
    }
}

/// A part of a user's message, of instructions, or of a result; `None` if there is no place for it.
pub(super) fn part<'a>(part: &'a Part, lost: &mut Lost) -> Option<Form<'a>> {
    let (form, cache) = match part {
        Part::Text {
            text,
            citations,
            cache,
        } => {
            lost.citations(citations.as_ref());
            (Some(Form::Text { text }), cache)
        }
        Part::Image {
            source,
            detail,
            cache,
        } => {
            let image = form::address(source).map(|url| Form::ImageUrl {
                image_url: Image {
                    url,
                    detail: detail.as_deref(),
                },
                index: None,
            });
            (image, cache)
        }
        Part::File {
            source,
            name,
            cache,
        } => (file(source, name.as_deref()), cache),
        Part::Audio { data, format } => {
            let input_audio = Audio { data, format };
            (Some(Form::InputAudio { input_audio }), &None)
        }
        Part::Refusal { text } => (Some(Form::Text { text }), &None),
        _ => (None, &None),
    };
    lost.cache(cache.as_ref());
    if form.is_none() {
        lost.content(form::lost_name(part));
    }
    form
}

/// A file is data or an id here: there is no member for an address
/// (<https://platform.openai.com/docs/api-reference/chat/create>).
fn file<'a>(source: &'a Source, name: Option<&'a str>) -> Option<Form<'a>> {
    Some(match source {
        Source::Inline { media_type, .. } if media_type.starts_with("video/") => Form::VideoUrl {
            video_url: Image {
                url: form::address(source)?,
                detail: None,
            },
        },
        Source::Id(id) => Form::File {
            file: File {
                filename: None,
                file_data: None,
                file_id: Some(id),
            },
        },
        Source::Url(_) => return None,
        Source::Inline { media_type, data } => Form::File {
            file: File {
                // OpenAI wants a name beside the data
                filename: Some(name.unwrap_or("file")),
                file_data: match media_type.is_empty() {
                    true => Some(data.clone()),
                    false => source.to_url(),
                },
                file_id: None,
            },
        },
    })
}
