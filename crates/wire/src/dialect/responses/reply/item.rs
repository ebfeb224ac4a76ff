//! The items of an answer, as they are written.
//!
//! One kind for all of them, because an item is written up to three times: when it begins, when it ends, and
//! in the whole response. The members of each have the order of the API's own answers.

use serde::Serialize;

use crate::middle::Json;

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Item {
    Message(Message),
    Reasoning(Reasoning),
    Call(Call),
    Picture(Picture),
    /// Of this API, as it came.
    Other(Json),
}

#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) status: &'static str,
    pub(super) role: &'static str,
    pub(super) content: Vec<Content>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Content {
    OutputText {
        annotations: Vec<Json>,
        logprobs: Vec<Json>,
        text: String,
        /// Characters of a text that goes on.
        #[serde(skip)]
        length: usize,
    },
    Refusal {
        refusal: String,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct Reasoning {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) summary: Vec<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encrypted_content: Option<String>,
    pub(super) status: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) r#type: &'static str,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) status: &'static str,
    pub(super) arguments: String,
    pub(super) call_id: String,
    pub(super) name: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Picture {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) status: &'static str,
    pub(super) result: String,
}

impl Content {
    pub(super) fn text() -> Self {
        Self::OutputText {
            annotations: Vec::new(),
            logprobs: Vec::new(),
            text: String::new(),
            length: 0,
        }
    }

    pub(super) fn refusal() -> Self {
        Self::Refusal {
            refusal: String::new(),
        }
    }
}

impl Summary {
    pub(super) fn new(text: String) -> Self {
        Self {
            r#type: "summary_text",
            text,
        }
    }
}

impl Item {
    /// Sets the status it ends with.
    pub(super) fn end(&mut self, status: &'static str) {
        match self {
            Self::Message(item) => item.status = status,
            Self::Reasoning(item) => item.status = status,
            Self::Call(item) => item.status = status,
            Self::Picture(_) | Self::Other(_) => {}
        }
    }
}
