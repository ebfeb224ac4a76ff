//! The parts of a message, in a question or in an answer.

use super::{Json, Lost};

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Citations or annotations, in the spelling of the dialect they came from.
        citations: Option<Json>,
        /// A cache breakpoint (`cache_control`).
        cache: Option<Json>,
    },
    /// A picture.
    Image {
        /// Where it is.
        source: Source,
        /// `low`, `high`, `auto`.
        detail: Option<String>,
        /// A cache breakpoint.
        cache: Option<Json>,
    },
    /// A document, a video or any other file.
    File {
        /// Where it is.
        source: Source,
        /// Its name or title.
        name: Option<String>,
        /// A cache breakpoint.
        cache: Option<Json>,
    },
    /// Sound.
    Audio {
        /// Base64.
        data: String,
        /// `wav`, `mp3` and the like, without `audio/`.
        format: String,
    },
    /// What the model thought.
    Reasoning {
        /// In words; a summary where the provider gives no more.
        text: String,
        /// Proves to its own provider that it is unchanged.
        signature: Option<String>,
        /// Encrypted or redacted thoughts: opaque, only good with the provider that made them.
        opaque: Option<String>,
        /// The item's id, where it has one.
        id: Option<String>,
    },
    /// The model calls a tool.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
    /// The model declines.
    Refusal {
        /// Its words.
        text: String,
    },
    /// Something that only its own dialect has: the `type`, and the whole value.
    Other {
        /// Its `type`.
        kind: String,
        /// As it came.
        value: Json,
    },
}

impl Part {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            citations: None,
            cache: None,
        }
    }

    /// Plain reasoning.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning {
            text: text.into(),
            signature: None,
            opaque: None,
            id: None,
        }
    }

    /// What it is called.
    pub fn kind(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::Image { .. } => "image",
            Self::File { .. } => "file",
            Self::Audio { .. } => "input_audio",
            Self::Reasoning { .. } => "reasoning",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Refusal { .. } => "refusal",
            Self::Other { kind, .. } => kind,
        }
    }
}

/// Where a picture or a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// At an address, which the provider fetches.
    Url(String),
    /// Here.
    Inline {
        /// `image/png` and the like; empty if not told.
        media_type: String,
        /// Base64.
        data: String,
    },
    /// Uploaded to the provider before.
    Id(String),
}

impl Source {
    /// By an address, which may be a `data:` URL with base64.
    pub fn of_url(url: &str) -> Self {
        let inline = url.strip_prefix("data:").and_then(|rest| {
            let (head, data) = rest.split_once(',')?;
            let media_type = head.strip_suffix(";base64")?;
            // parameters such as `;charset=…` are no part of the type
            let media_type = media_type.split(';').next().unwrap_or_default();
            Some(Self::Inline {
                media_type: media_type.to_owned(),
                data: data.to_owned(),
            })
        });
        inline.unwrap_or_else(|| Self::Url(url.to_owned()))
    }

    /// As an address: a `data:` URL for what is here; `None` for an id.
    pub fn to_url(&self) -> Option<String> {
        match self {
            Self::Url(url) => Some(url.clone()),
            Self::Inline { media_type, data } => Some(format!("data:{media_type};base64,{data}")),
            Self::Id(_) => None,
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// What its result names. Dialects without ids get made-up ones (see each codec).
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON as the model wrote it, perhaps broken or cut; empty for none.
    pub input: String,
    /// Gemini's `thoughtSignature` of the call.
    pub signature: Option<String>,
}

impl ToolCall {
    /// The input for a dialect that wants an object, not a string: as it is if it is one, `{}` if it is
    /// empty, `None` if it is something else and can therefore not be passed on.
    pub fn object(&self) -> Option<Json> {
        match self.input.trim().is_empty() {
            true => Json::parse("{}"),
            false => Json::parse(&self.input).filter(Json::is_object),
        }
    }

    /// The [`object`](Self::object), or an empty one in place of input that is lost.
    pub fn arguments(&self, lost: &mut Lost) -> Json {
        self.object().unwrap_or_else(|| {
            lost.content("messages[].tool_calls[].function.arguments");
            Json::of(&serde_json::Map::new())
        })
    }
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// The tool's name, where the dialect says it or it can be found by the id.
    pub name: Option<String>,
    /// Text, pictures, files.
    pub parts: Vec<Part>,
    /// The tool failed.
    pub is_error: bool,
    /// A cache breakpoint.
    pub cache: Option<Json>,
}

impl ToolResult {
    /// All text of it, joined by nothing.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}
