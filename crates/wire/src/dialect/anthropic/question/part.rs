//! The parts of a message as blocks.
//!
//! What has no block is named by what a caller of chat completions calls it.

use std::borrow::Cow;

use super::{
    super::{
        blocks::{self, Block, Content, Place, thoughts},
        words,
    },
    file,
    served::Served,
};
use crate::middle::{Lost, Part, Role, ToolCall, ToolResult};

/// A part as a block, if it has one. Empty texts are refused by the API and mean nothing.
pub(super) fn blocks<'a>(
    part: &'a Part,
    role: Role,
    served: Served,
    lost: &mut Lost,
) -> Vec<Block<'a>> {
    let instructs = matches!(role, Role::System | Role::Developer);
    let block = match part {
        Part::Text { text, .. } | Part::Refusal { text } if text.is_empty() => return Vec::new(),
        Part::Text {
            text,
            citations,
            cache,
        } => {
            let own = citations.as_ref().filter(|all| words::are_citations(all));
            if own.is_none() && citations.is_some() {
                lost.parameter("messages[].content[].citations");
            }
            Some(Block::Text {
                text: text.into(),
                citations: own,
                cache_control: cache.as_ref(),
            })
        }
        Part::Refusal { text } => Some(Block::text(text)),
        _ if instructs => None,
        Part::Reasoning {
            text,
            signature,
            opaque,
            id,
        } => {
            // one with an id is of the Responses API
            let own = opaque.as_deref().filter(|_| id.is_none());
            if own.is_none() && opaque.is_some() {
                lost.thought();
            }
            return thought(text, signature.as_deref(), own, lost);
        }
        Part::ToolCall(call) => Some(self::call(call, lost)),
        Part::ToolResult(result) => Some(self::result(result, served, lost)),
        other => plain(other, served, lost),
    };
    if block.is_none() {
        lost.content(blocks::name(part));
    }
    block.into_iter().collect()
}

/// Parts that may also stand in the result of a tool.
fn plain<'a>(part: &'a Part, served: Served, lost: &mut Lost) -> Option<Block<'a>> {
    if let Part::Image { source, .. } | Part::File { source, .. } = part
        && !served.reaches(source)
    {
        return None;
    }
    Some(match part {
        Part::Text { text, cache, .. } => Block::Text {
            text: text.into(),
            citations: None,
            cache_control: cache.as_ref(),
        },
        Part::Image {
            source,
            detail,
            cache,
        } => {
            lost.detail(detail.as_deref());
            Block::Image {
                source: Place::of(source)?,
                cache_control: cache.as_ref(),
            }
        }
        Part::File {
            source,
            name,
            cache,
        } => file::block(source, name.as_deref(), cache.as_ref())?,
        Part::Other { kind, value } if words::is_own_block(kind, value) => Block::Other(value),
        _ => return None,
    })
}

/// A thought that can be brought back: one that is signed, or opaque. Those of OpenAI are not: its
/// encrypted reasoning is a Fernet token, which begins with the version 0x80.
fn thought<'a>(
    text: &'a str,
    signature: Option<&'a str>,
    opaque: Option<&'a str>,
    lost: &mut Lost,
) -> Vec<Block<'a>> {
    let own = |state: &&str| !state.is_empty() && !state.starts_with("gAAAA");
    let (signature, brought) = (signature.filter(own), opaque.filter(own));
    let unsigned = !text.is_empty() && signature.is_none();
    if unsigned || brought != opaque {
        lost.thought();
    }
    let words = signature.map_or("", |_| text);
    thoughts(words, signature, brought).collect()
}

fn call<'a>(call: &'a ToolCall, lost: &mut Lost) -> Block<'a> {
    let input = call.arguments(lost);
    if call.signature.is_some() {
        lost.parameter("messages[].tool_calls[].signature");
    }
    Block::ToolUse {
        id: id(&call.id),
        name: (&call.name).into(),
        input,
    }
}

fn result<'a>(result: &'a ToolResult, served: Served, lost: &mut Lost) -> Block<'a> {
    let mut content = Vec::new();
    for part in &result.parts {
        match plain(part, served, lost) {
            Some(Block::Text { text, .. }) if text.is_empty() => {}
            Some(block) => content.push(block),
            None => lost.content(blocks::name(part)),
        }
    }
    Block::ToolResult {
        tool_use_id: id(&result.id),
        content: match content.is_empty() {
            true => Content::Text("".into()),
            false => Content::of(content),
        },
        is_error: result.is_error,
        cache_control: result.cache.as_ref(),
    }
}

/// Ids are letters, digits, `_` and `-`; other servers also use `.` and `:`. A call and its results are
/// renamed alike.
fn id(id: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match id {
        "" => "_".into(),
        id if id.chars().all(plain) => id.into(),
        id => id
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .collect::<String>()
            .into(),
    }
}
