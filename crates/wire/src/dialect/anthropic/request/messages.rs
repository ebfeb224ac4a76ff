//! The conversation.
//!
//! Results of tools stand in messages of the user here and in messages of their own in the middle form;
//! a message that has both is taken apart where they meet, in its order.

use std::collections::HashMap;

use super::{block, place::Place};
use crate::{
    BadBody,
    middle::{Json, Message, Part, Role},
};

pub(super) const CONTENT: &str = "messages[].content";
pub(super) const BLOCK: &str = "messages[].content[]";

/// What is learnt on the way through the messages.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Members without a place, each name once.
    pub(super) extra: Vec<(String, Json)>,
    /// The tools' names by their calls' ids.
    pub(super) names: HashMap<String, String>,
}

impl Reader {
    pub(super) fn messages(&mut self, messages: Place<'_>) -> Result<Vec<Message>, BadBody> {
        let mut all = Vec::new();
        for message in messages.elements("messages[]")? {
            let mut members = message.members()?;
            let role = members.take("role", "messages[].role");
            let word = role.map(Place::raw);
            let role = match word {
                Some("\"user\"") => Role::User,
                Some("\"assistant\"") => Role::Assistant,
                Some("\"system\"") => Role::System,
                _ => {
                    let at = role.unwrap_or(message);
                    return Err(at.wrong("must have the role user, assistant or system"));
                }
            };
            let content = members.take("content", CONTENT);
            let Some(content) = content else {
                return Err(message.wrong("has no `content`; it is required"));
            };
            let parts = self.content(content, BLOCK, true)?;
            members.keep("messages[]", &mut self.extra);
            split(role, parts, &mut all);
        }
        Ok(all)
    }

    /// A string or blocks, each of which is called `param`. `nested` blocks may hold blocks.
    pub(super) fn content(
        &mut self,
        content: Place<'_>,
        param: &'static str,
        nested: bool,
    ) -> Result<Vec<Part>, BadBody> {
        if content.is_string() {
            return Ok(vec![Part::text(content.string()?)]);
        }
        let mut parts = Vec::new();
        let blocks = content
            .elements(param)
            .map_err(|_| content.wrong("must be a string or an array of blocks"))?;
        for block in blocks {
            block::read(block, self, nested, &mut parts)?;
        }
        Ok(parts)
    }
}

/// One message for each run of results and of everything else.
fn split(role: Role, parts: Vec<Part>, all: &mut Vec<Message>) {
    let first = all.len();
    for part in parts {
        let result = matches!(part, Part::ToolResult(_));
        let role = if result { Role::Tool } else { role };
        match all.get_mut(first..).and_then(<[_]>::last_mut) {
            Some(Message {
                role: last, parts, ..
            }) if *last == role => parts.push(part),
            _ => all.push(Message {
                role,
                parts: vec![part],
                name: None,
            }),
        }
    }
}
