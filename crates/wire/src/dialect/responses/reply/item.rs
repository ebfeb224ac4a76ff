//! The items of an answer.

use serde::Serialize;

use super::super::{annotation, kinds};
use crate::{
    json,
    middle::{Asked, Json, Lost, Part, Source},
};

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
    id: String,
    pub(super) r#type: &'static str,
    status: &'static str,
    result: String,
}

/// Makes the ids of one answer's items.
#[derive(Debug)]
pub(super) struct Ids(String);

impl Ids {
    pub(super) fn of(asked: &Asked) -> Self {
        Self(asked.id.to_string())
    }

    fn item(&self, prefix: &str, place: usize) -> String {
        format!("{prefix}_{}_{place}", self.0)
    }

    pub(super) fn message(&self, place: usize) -> Message {
        Message {
            id: self.item("msg", place),
            r#type: "message",
            status: "in_progress",
            role: "assistant",
            content: Vec::new(),
        }
    }

    pub(super) fn reasoning(&self, place: usize) -> Reasoning {
        Reasoning {
            id: self.item("rs", place),
            r#type: "reasoning",
            summary: Vec::new(),
            encrypted_content: None,
            status: "in_progress",
        }
    }

    /// A call; one whose upstream gave it no id gets one.
    pub(super) fn call(&self, place: usize, call_id: &str, name: &str) -> Call {
        Call {
            id: self.item("fc", place),
            r#type: "function_call",
            status: "in_progress",
            arguments: String::new(),
            call_id: match call_id {
                "" => self.item("call", place),
                id => id.to_owned(),
            },
            name: name.to_owned(),
        }
    }

    /// What is whole already; named as lost if it cannot be written.
    pub(super) fn whole(&self, place: usize, part: &Part, lost: &mut Lost) -> Option<Item> {
        match part {
            Part::Other { kind, value } if kinds::is_item(kind) => Some(Item::Other(value.clone())),
            Part::Image {
                source: Source::Inline { data, .. },
                ..
            } => Some(Item::Picture(Picture {
                id: self.item("ig", place),
                r#type: "image_generation_call",
                status: "completed",
                result: data.clone(),
            })),
            other => {
                lost.content(lost_name(other));
                None
            }
        }
    }
}

impl Content {
    pub(super) fn text() -> Self {
        Self::OutputText {
            annotations: Vec::new(),
            logprobs: Vec::new(),
            text: String::new(),
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

/// Adds a part of a whole answer: texts that follow one another are one message.
pub(super) fn add(items: &mut Vec<Item>, part: &Part, ids: &Ids, lost: &mut Lost) {
    let place = items.len();
    let mut item = match part {
        Part::Text { .. } | Part::Refusal { .. } => {
            let content = content(part, lost);
            if let Some(Item::Message(last)) = items.last_mut() {
                last.content.push(content);
                return;
            }
            Item::Message(Message {
                content: vec![content],
                ..ids.message(place)
            })
        }
        Part::Reasoning {
            text,
            signature,
            opaque,
            id,
        } => {
            if signature.is_some() {
                lost.parameter("reasoning.signature");
            }
            let made = ids.reasoning(place);
            let filled = (!text.is_empty()).then(|| Summary::new(text.clone()));
            Item::Reasoning(Reasoning {
                id: id
                    .clone()
                    .filter(|id| id.starts_with("rs_"))
                    .unwrap_or(made.id.clone()),
                summary: filled.into_iter().collect(),
                encrypted_content: opaque.clone(),
                ..made
            })
        }
        Part::ToolCall(call) => {
            if call.signature.is_some() {
                lost.parameter("tool_calls[].signature");
            }
            Item::Call(Call {
                arguments: input(&call.input).to_owned(),
                ..ids.call(place, &call.id, &call.name)
            })
        }
        other => match ids.whole(place, other, lost) {
            Some(item) => item,
            None => return,
        },
    };
    item.end("completed");
    items.push(item);
}

/// A call without input has an empty object here.
pub(super) fn input(json: &str) -> &str {
    if json.trim().is_empty() { "{}" } else { json }
}

fn content(part: &Part, lost: &mut Lost) -> Content {
    match part {
        Part::Text {
            text, citations, ..
        } => {
            let cited = citations.as_ref().map(annotation::all);
            let (annotations, whole) = cited.unwrap_or((Vec::new(), true));
            if !whole {
                lost.content("citations");
            }
            Content::OutputText {
                annotations,
                logprobs: Vec::new(),
                text: text.clone(),
            }
        }
        Part::Refusal { text } => Content::Refusal {
            refusal: text.clone(),
        },
        _ => Content::text(),
    }
}

/// Puts log probabilities to the text they are of; false if that cannot be told.
pub(super) fn probable(items: &mut [Item], chat: &Json) -> bool {
    let Some(content) = chat.member("content") else {
        return true;
    };
    let messages = items.iter_mut().filter_map(|item| match item {
        Item::Message(message) => Some(message),
        _ => None,
    });
    let mut texts = messages
        .flat_map(|message| &mut message.content)
        .filter_map(|content| match content {
            Content::OutputText { logprobs, .. } => Some(logprobs),
            Content::Refusal { .. } => None,
        });
    match (texts.next(), texts.next()) {
        (Some(logprobs), None) => json::elements(content, |one| logprobs.extend(Json::parse(one))),
        _ => false,
    }
}

fn lost_name(part: &Part) -> &'static str {
    match part {
        Part::Image { .. } => "image",
        Part::File { .. } => "file",
        Part::Audio { .. } => "audio",
        Part::ToolResult(_) => "tool_result",
        _ => "other",
    }
}
