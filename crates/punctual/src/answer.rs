//! A whole answer, whoever gave it.

use crate::{record::CallRecord, wire::middle};
use punctual_wire::{
    Usage,
    dialect::Finish,
    middle::{Choice, Part, ToolCall},
};

/// A whole answer.
///
/// With several choices (`n`), the methods speak of the first; all are in [`choices`](Self::choices).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Answer {
    /// The provider's id of it.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// One, or `n`.
    pub choices: Vec<Choice>,
    /// Tokens, as the provider counted them.
    pub usage: Usage,
    /// Why the model ended.
    pub finish: Option<Finish>,
    /// Every attempt of the call, in order; the last one is the one that answered.
    pub records: Vec<CallRecord>,
}

impl Answer {
    /// An answer that is a text, for members of one's own.
    #[must_use]
    pub fn of_text(text: impl Into<String>) -> Self {
        let choice = Choice {
            parts: vec![Part::text(text)],
            finish: Some(Finish::Stop),
            ..Choice::default()
        };
        middle::Answer {
            choices: vec![choice],
            ..middle::Answer::default()
        }
        .into()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.choices.iter().take(1).flat_map(|choice| &choice.parts)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.parts().filter_map(text).collect()
    }

    /// What the model thought, as far as it is told.
    #[must_use]
    pub fn reasoning(&self) -> String {
        let thought = |part: &Part| match part {
            Part::Reasoning { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.parts().filter_map(thought).collect()
    }

    /// The words of a refusal, if the model declined.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.parts().find_map(|part| match part {
            Part::Refusal { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// The calls of tools, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// As the next message of the conversation.
    #[must_use]
    pub fn message(&self) -> middle::Message {
        middle::Message {
            role: middle::Role::Assistant,
            parts: self.parts().cloned().collect(),
            name: None,
        }
    }
}

impl From<middle::Answer> for Answer {
    fn from(answer: middle::Answer) -> Self {
        let finish = answer
            .choices
            .first()
            .and_then(|choice| choice.finish.clone());
        Self {
            id: answer.id,
            model: answer.model,
            choices: answer.choices,
            usage: answer.usage.unwrap_or_default(),
            finish,
            records: Vec::new(),
        }
    }
}
