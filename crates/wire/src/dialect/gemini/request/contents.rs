//! The conversation as `contents`.
//!
//! Google knows two speakers, user and model, and instructions that stand before everything. Calls that the
//! model made at once must be in one content, and their results in one that follows it, or the request is
//! refused; so messages of the model, and results, that follow one another are joined. What the user says is
//! left in the messages it came in.

use serde::Serialize;

use super::{
    model::Generation,
    parts::{Part, Writer},
};
use crate::middle::{Lost, Request, Role};

/// A message.
#[derive(Serialize)]
pub(super) struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Part<'a>>,
}

/// Instructions, and everything else.
pub(super) fn of<'a>(
    request: &'a Request,
    generation: Generation,
    lost: &mut Lost,
) -> (Option<Content<'a>>, Vec<Content<'a>>) {
    let mut instructions = Vec::new();
    let mut contents: Vec<(Role, Content<'a>)> = Vec::new();
    let mut writer = Writer {
        generation,
        names: request.called(),
        lost,
    };
    for message in &request.messages {
        if message.name.is_some() {
            writer.lost.parameter("messages[].name");
        }
        let parts = writer.parts(message);
        let role = match message.role {
            Role::System | Role::Developer => {
                if !contents.is_empty() {
                    // they are heard, but not where they were said
                    writer.lost.parameter("messages[].role");
                }
                instructions.extend(parts);
                continue;
            }
            role => role,
        };
        if parts.is_empty() {
            continue;
        }
        match contents.last_mut() {
            Some((last, content)) if *last == role && role != Role::User => {
                content.parts.extend(parts);
            }
            _ => contents.push((role, Content::of(role, parts))),
        }
    }
    // there must be a content, so instructions alone are one
    if contents.is_empty() && !instructions.is_empty() {
        writer.lost.parameter("messages[].role");
        let parts = std::mem::take(&mut instructions);
        contents.push((Role::User, Content::of(Role::User, parts)));
    }
    let system = (!instructions.is_empty()).then_some(Content {
        role: None,
        parts: instructions,
    });
    let contents = contents.into_iter().map(|(_, content)| content).collect();
    (system, contents)
}

impl<'a> Content<'a> {
    fn of(role: Role, parts: Vec<Part<'a>>) -> Self {
        let role = Some(match role {
            Role::Assistant => "model",
            _ => "user",
        });
        Self { role, parts }
    }
}
