//! The shapes that are written, in OpenAI's order of members.
//!
//! Questions, whole answers and chunks share most of them. Numbers and schemas are written as they were
//! spelled.

use std::borrow::Cow;

use serde::Serialize;

use crate::middle::{Part, Source, ToolCall};

mod detail;
mod usage;

pub(super) use detail::Detail;
pub(super) use usage::Usage;

/// A part of `content`, or of `images`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Content<'a> {
    Text {
        text: &'a str,
    },
    ImageUrl {
        image_url: Image<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
    },
    VideoUrl {
        video_url: Image<'a>,
    },
    InputAudio {
        input_audio: Audio<'a>,
    },
    File {
        file: File<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct Image<'a> {
    pub(super) url: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Audio<'a> {
    pub(super) data: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) format: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct File<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) filename: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file_data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file_id: Option<&'a str>,
}

/// The address of a picture; `None` for one that is only known by an id.
pub(super) fn address(source: &Source) -> Option<Cow<'_, str>> {
    match source {
        Source::Url(url) => Some(Cow::Borrowed(url)),
        _ => source.to_url().map(Cow::Owned),
    }
}

/// An element of `tool_calls`.
#[derive(Debug, Default, Serialize)]
pub(super) struct Call<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<Function<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<Extra<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    pub(super) arguments: &'a str,
}

/// Where Gemini's own chat completions put the signature of a call.
#[derive(Debug, Serialize)]
pub(super) struct Extra<'a> {
    google: Signed<'a>,
}

#[derive(Debug, Serialize)]
struct Signed<'a> {
    thought_signature: &'a str,
}

impl<'a> Extra<'a> {
    pub(super) fn signature(thought_signature: &'a str) -> Self {
        Self {
            google: Signed { thought_signature },
        }
    }
}

impl<'a> Call<'a> {
    /// A whole call, without its signature; one without input has an empty object, which readers parse.
    pub(super) fn whole(call: &'a ToolCall) -> Self {
        Self {
            id: Some(&call.id),
            r#type: Some("function"),
            function: Some(Function {
                name: Some(&call.name),
                arguments: match call.input.is_empty() {
                    true => "{}",
                    false => &call.input,
                },
            }),
            ..Self::default()
        }
    }
}

/// The name under which a part is told to be lost.
pub(super) fn lost_name(part: &Part) -> Cow<'static, str> {
    let kind = match part {
        Part::Image { .. } => "image_url",
        part => part.kind(),
    };
    format!("messages[].content[].{kind}").into()
}
