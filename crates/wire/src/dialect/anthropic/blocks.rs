//! The blocks as they are written, in questions and in answers.
//!
//! Members stand in the order of Anthropic's own examples; what is absent is left out, because an
//! explicit `null` is refused in some places.

use std::borrow::Cow;

use serde::Serialize;

use crate::middle::{Json, Part, Source, ToolCall};

/// One block.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        citations: Option<&'a Json>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<&'a Json>,
    },
    Image {
        source: Place<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<&'a Json>,
    },
    Document {
        source: Place<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<&'a Json>,
    },
    Thinking {
        thinking: Cow<'a, str>,
        signature: Cow<'a, str>,
    },
    RedactedThinking {
        data: Cow<'a, str>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Json,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Content<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<&'a Json>,
    },
    /// As it came.
    #[serde(untagged)]
    Other(&'a Json),
}

impl<'a> Block<'a> {
    pub(super) fn text(text: &'a str) -> Self {
        Self::Text {
            text: text.into(),
            citations: None,
            cache_control: None,
        }
    }
}

/// Blocks, or one plain text.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

impl<'a> Content<'a> {
    /// One text that has nothing beside it is written as a string.
    pub(super) fn of(mut blocks: Vec<Block<'a>>) -> Self {
        if let [
            Block::Text {
                text,
                citations: None,
                cache_control: None,
            },
        ] = &mut *blocks
        {
            return Self::Text(std::mem::take(text));
        }
        Self::Blocks(blocks)
    }
}

/// Where a picture or a document is.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Place<'a> {
    Base64 {
        media_type: &'a str,
        data: &'a str,
    },
    Text {
        media_type: &'static str,
        data: String,
    },
    Url {
        url: &'a str,
    },
    File {
        file_id: &'a str,
    },
}

impl<'a> Place<'a> {
    /// `None` for an id that is not of this API.
    pub(super) fn of(source: &'a Source) -> Option<Self> {
        Some(match source {
            Source::Url(url) => Self::Url { url },
            Source::Id(file_id) if file_id.starts_with("file_") => Self::File { file_id },
            Source::Id(_) => return None,
            Source::Inline { media_type, data } => Self::Base64 {
                media_type: super::words::media_type(media_type, data),
                data,
            },
        })
    }
}

/// The thought of a part: in words, signed or not, or opaque, or both.
///
/// A caller is told thoughts of every provider, because whoever made them takes them back.
pub(super) fn thoughts<'a>(
    text: &'a str,
    signature: Option<&'a str>,
    opaque: Option<&'a str>,
) -> impl Iterator<Item = Block<'a>> {
    let said = (!text.is_empty() || signature.is_some()).then(|| Block::Thinking {
        thinking: text.into(),
        signature: signature.unwrap_or_default().into(),
    });
    let hidden = opaque.map(|data| Block::RedactedThinking { data: data.into() });
    said.into_iter().chain(hidden)
}

/// The input of a call in an answer: the caller's tools get what the model wrote, as a string where it is
/// no JSON, and can refuse it; an invented `{}` they would run.
pub(super) fn input(call: &ToolCall) -> Json {
    let spelled = || Json::parse(&call.input).unwrap_or_else(|| Json::of(&call.input));
    call.object().unwrap_or_else(spelled)
}

/// What a part of a question is called in a list of losses.
pub(super) fn name(part: &Part) -> Cow<'static, str> {
    let name = match part {
        Part::Reasoning { .. } => return "messages[].reasoning".into(),
        Part::Other { kind, .. } => return format!("messages[].content[].{kind}").into(),
        other => other.kind(),
    };
    format!("messages[].content[].{name}").into()
}
