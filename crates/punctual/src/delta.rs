//! The steps of a streamed answer.

use crate::record::CallRecord;
use punctual_wire::{Usage, dialect::Finish, middle};
use std::borrow::Cow;

/// A step of a streamed answer. Texts are never empty.
///
/// `choice` is 0 unless several answers were asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Delta {
    /// Text.
    Text {
        /// Of which choice.
        choice: u32,
        /// A piece of it.
        text: String,
    },
    /// What the model thinks.
    Reasoning {
        /// Of which choice.
        choice: u32,
        /// A piece of it.
        text: String,
    },
    /// The words of a refusal.
    Refusal {
        /// Of which choice.
        choice: u32,
        /// A piece of it.
        text: String,
    },
    /// A call of a tool begins.
    ToolCall {
        /// Of which choice.
        choice: u32,
        /// Which call, from 0.
        index: u32,
        /// What its result must name.
        id: String,
        /// The tool.
        name: String,
    },
    /// A piece of a call's input.
    ToolInput {
        /// Of which choice.
        choice: u32,
        /// Which call.
        index: u32,
        /// A fragment of JSON.
        json: String,
    },
    /// What the answer says about itself, once it is known.
    Meta {
        /// The provider's id of the answer.
        id: Option<String>,
        /// The model that answers.
        model: Option<String>,
    },
    /// Any other content, as a whole: a picture, a sound, the signature of a thought.
    Part {
        /// Of which choice.
        choice: u32,
        /// What it is.
        part: middle::Part,
    },
    /// The answer is complete. Always the last step, and there is none of a stream that broke off.
    Done(Done),
}

/// How a streamed answer ended.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Done {
    /// Why the model ended.
    pub finish: Option<Finish>,
    /// Tokens, as the provider counted them.
    pub usage: Usage,
    /// Every attempt of the call.
    pub records: Vec<CallRecord>,
}

impl Done {
    /// An end for this reason.
    #[must_use]
    pub fn because(finish: Finish) -> Self {
        Self {
            finish: Some(finish),
            ..Self::default()
        }
    }

    /// With these counts.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

impl Delta {
    /// A piece of the first choice's text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            choice: 0,
            text: text.into(),
        }
    }

    /// The text, if it is some of the first choice's.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { choice: 0, text } => Some(text),
            _ => None,
        }
    }

    /// Whether it is content by the contract's definition.
    pub(crate) fn is_content(&self) -> bool {
        match self {
            Self::Text { text, .. } | Self::Reasoning { text, .. } | Self::Refusal { text, .. } => {
                !text.is_empty()
            }
            Self::ToolInput { json, .. } => !json.is_empty(),
            Self::Part { .. } => true,
            Self::ToolCall { .. } | Self::Meta { .. } | Self::Done(_) => false,
        }
    }

    /// A step of the middle form; `None` for what is told at the end, or not at all.
    pub(crate) fn of(delta: &middle::Delta<'_>) -> Option<Self> {
        use middle::Delta as D;
        let own = |text: &Cow<'_, str>| text.clone().into_owned();
        Some(match delta {
            D::Start(start) => Self::Meta {
                id: start.id.as_ref().map(own),
                model: start.model.as_ref().map(own),
            },
            D::Text { choice, text, .. } => Self::Text {
                choice: *choice,
                text: own(text),
            },
            D::Refusal { choice, text } => Self::Refusal {
                choice: *choice,
                text: own(text),
            },
            D::Reasoning { choice, text } => Self::Reasoning {
                choice: *choice,
                text: own(text),
            },
            D::Signature { choice, value } => Self::thought(*choice, Some(own(value)), None),
            D::Opaque { choice, value } => Self::thought(*choice, None, Some(own(value))),
            D::ToolCall {
                choice,
                index,
                id,
                name,
            } => Self::ToolCall {
                choice: *choice,
                index: *index,
                id: own(id),
                name: own(name),
            },
            D::ToolInput {
                choice,
                index,
                json,
            } => Self::ToolInput {
                choice: *choice,
                index: *index,
                json: own(json),
            },
            D::Whole { choice, part } => Self::Part {
                choice: *choice,
                part: part.clone(),
            },
            _ => return None,
        })
    }

    fn thought(choice: u32, signature: Option<String>, opaque: Option<String>) -> Self {
        let part = middle::Part::Reasoning {
            text: String::new(),
            signature,
            opaque,
            id: None,
        };
        Self::Part { choice, part }
    }
}
