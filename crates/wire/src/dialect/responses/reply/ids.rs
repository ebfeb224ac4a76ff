//! New items, and their ids.
//!
//! An id is made of the answer's and of the item's place, so that it is the same wherever the item is written
//! and different from every other in a conversation.

use std::borrow::Cow;

use super::{
    super::kinds,
    item::{Call, Item, Message, Picture, Reasoning},
};
use crate::middle::{Asked, Lost, Part, Source};

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
            Part::Other { kind, value } if kinds::is_item(kind, value) => {
                Some(Item::Other(value.clone()))
            }
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

fn lost_name(part: &Part) -> Cow<'static, str> {
    let name = match part {
        Part::Image { .. } => "image",
        Part::File { .. } => "file",
        Part::Audio { .. } => "audio",
        Part::ToolResult(_) => "tool_result",
        Part::Other { kind, .. } => return kind.clone().into(),
        _ => "other",
    };
    name.into()
}
