//! The conversation, as items in a row.
//!
//! One message of the model becomes as many items as it takes to keep its parts in order: texts that follow
//! one another are one message, each call, result and thought is an item of its own.

use serde::Serialize;

use super::{
    super::kinds,
    content::{Content, Piece, cached, joined, piece},
    role,
};
use crate::middle::{Json, Lost, Message, Options, Part, Role, ToolResult};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item<'a> {
    Message {
        role: &'static str,
        content: Content<'a>,
    },
    FunctionCall {
        call_id: &'a str,
        name: &'a str,
        arguments: &'a str,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Content<'a>,
    },
    Reasoning {
        #[serde(skip_serializing_if = "str::is_empty")]
        id: &'a str,
        summary: Vec<Piece<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        encrypted_content: Option<&'a str>,
    },
    #[serde(untagged)]
    Other(&'a Json),
}

/// The text of a leading system message, and the messages after it.
pub(super) fn instructions<'a>(
    messages: &'a [Message],
    lost: &mut Lost,
) -> (Option<String>, &'a [Message]) {
    let text = |part: &Part| matches!(part, Part::Text { .. });
    match messages.split_first() {
        Some((first, rest)) if first.role == Role::System && first.parts.iter().all(text) => {
            named(first, lost);
            let texts = first.parts.iter().filter_map(|part| match part {
                Part::Text { text, cache, .. } => {
                    cached(cache.as_ref(), lost);
                    Some(text.as_str())
                }
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n\n");
            (Some(text).filter(|text| !text.is_empty()), rest)
        }
        _ => (None, messages),
    }
}

pub(super) fn items<'a>(
    messages: &'a [Message],
    options: &Options<'_>,
    lost: &mut Lost,
) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    for message in messages {
        named(message, lost);
        let mut said = Said {
            role: message.role,
            plain: options.plain_content,
            pieces: Vec::new(),
            items: &mut items,
        };
        for part in &message.parts {
            said.part(part, lost);
        }
        said.flush();
    }
    items
}

fn named(message: &Message, lost: &mut Lost) {
    if message.name.is_some() {
        lost.parameter("messages[].name");
    }
}

/// One message while its parts are written.
struct Said<'i, 'a> {
    role: Role,
    plain: bool,
    pieces: Vec<Piece<'a>>,
    items: &'i mut Vec<Item<'a>>,
}

impl<'a> Said<'_, 'a> {
    fn part(&mut self, part: &'a Part, lost: &mut Lost) {
        let item = match part {
            Part::ToolCall(call) => {
                if call.signature.is_some() {
                    lost.parameter("messages[].tool_calls[].signature");
                }
                Item::FunctionCall {
                    call_id: &call.id,
                    name: &call.name,
                    arguments: match call.input.as_str() {
                        "" => "{}",
                        _ => &call.input,
                    },
                }
            }
            Part::ToolResult(result) => Item::FunctionCallOutput {
                call_id: &result.id,
                output: output(result, lost),
            },
            // without an id it is another provider's, which this one would refuse
            Part::Reasoning {
                text,
                opaque,
                id: Some(id),
                ..
            } => Item::Reasoning {
                id,
                summary: match text.as_str() {
                    "" => Vec::new(),
                    text => vec![Piece::SummaryText { text }],
                },
                encrypted_content: opaque.as_deref(),
            },
            Part::Other { kind, value } if kinds::is_item(kind, value) => Item::Other(value),
            _ => {
                self.pieces.extend(piece(part, self.role, lost));
                return;
            }
        };
        self.flush();
        self.items.push(item);
    }

    /// Ends the message that is being put together.
    fn flush(&mut self) {
        if self.pieces.is_empty() {
            return;
        }
        self.items.push(Item::Message {
            role: role(self.role),
            content: joined(std::mem::take(&mut self.pieces), self.plain),
        });
    }
}

fn output<'a>(result: &'a ToolResult, lost: &mut Lost) -> Content<'a> {
    cached(result.cache.as_ref(), lost);
    if result.is_error {
        lost.parameter("messages[].content[].is_error");
    }
    let pieces = result
        .parts
        .iter()
        .filter_map(|part| piece(part, Role::Tool, lost));
    // servers of this API that know no parts here know a string
    match joined(pieces.collect(), true) {
        Content::Pieces(pieces) if pieces.is_empty() => Content::Text("".into()),
        content => content,
    }
}
