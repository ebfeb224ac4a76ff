//! The conversation: instructions apart, and the rest in turns of user and assistant.
//!
//! Converse wants the two to alternate, so neighbours of one side are put together; results of tools are
//! said by the user. Instructions in the middle of a conversation move to its front. Empty texts are a 400
//! there and say nothing, so they are left out.

use serde::Serialize;

use super::{
    block::{Block, CachePoint, Reasoning, ToolResult, ToolUse, call_id},
    media,
};
use crate::middle::{Json, Lost, Message, Part, Role, ToolCall};

#[derive(Debug, Serialize)]
pub(super) struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

/// What has been written so far.
pub(super) struct Turns<'a, 'l> {
    pub(super) system: Vec<Block<'a>>,
    pub(super) turns: Vec<Turn<'a>>,
    /// Names of documents.
    names: Vec<String>,
    /// Whether the model takes signed thoughts back.
    signed: bool,
    lost: &'l mut Lost,
}

impl<'a, 'l> Turns<'a, 'l> {
    pub(super) fn write(messages: &'a [Message], signed: bool, lost: &'l mut Lost) -> Self {
        let mut turns = Self {
            system: Vec::new(),
            turns: Vec::new(),
            names: Vec::new(),
            signed,
            lost,
        };
        for message in messages {
            turns.message(message);
        }
        // there must be a turn, so instructions alone are one
        if turns.turns.is_empty() && !turns.system.is_empty() {
            turns.lost.parameter("messages[].role");
            turns.turns.push(Turn {
                role: "user",
                content: std::mem::take(&mut turns.system),
            });
        }
        turns
    }

    fn message(&mut self, message: &'a Message) {
        if message.name.is_some() {
            self.lost.content("messages[].name");
        }
        let mut blocks = Vec::new();
        for part in &message.parts {
            self.part(part, &mut blocks);
        }
        let role = match message.role {
            Role::System | Role::Developer => {
                let plain = |b: &Block<'_>| matches!(b, Block::Text(_) | Block::CachePoint(_));
                if !blocks.iter().all(plain) {
                    self.lost.content("messages[].content[]");
                }
                if !self.turns.is_empty() {
                    // they are heard, but not where they were said
                    self.lost.parameter("messages[].role");
                }
                self.system.extend(blocks.into_iter().filter(plain));
                return;
            }
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        if blocks.is_empty() {
            return;
        }
        match self.turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.content.append(&mut blocks),
            None => self.turns.push(Turn {
                role,
                content: blocks,
            }),
        }
    }

    fn part(&mut self, part: &'a Part, out: &mut Vec<Block<'a>>) {
        let (block, cache) = match part {
            Part::Text {
                text,
                citations,
                cache,
            } => {
                self.lost.citations(citations.as_ref());
                (text_block(text), cache.as_ref())
            }
            Part::Refusal { text } => (text_block(text), None),
            Part::Image {
                source,
                detail,
                cache,
            } => {
                self.lost.detail(detail.as_deref());
                let block = media::image(source);
                (self.or_lost(block, "image_url"), cache.as_ref())
            }
            Part::File {
                source,
                name,
                cache,
            } => {
                let block = media::file(source, name.as_deref(), &mut self.names);
                (self.or_lost(block, "file"), cache.as_ref())
            }
            Part::Audio { data, format } => {
                let block = media::sound(data, format);
                (self.or_lost(block, "input_audio"), None)
            }
            Part::Reasoning { .. } => (self.thought(part), None),
            Part::ToolCall(call) => (Some(self.call(call)), None),
            Part::ToolResult(result) => (Some(self.result(result)), result.cache.as_ref()),
            Part::Other { kind, .. } => (self.or_lost(None, kind), None),
        };
        let cache = cache.filter(|_| block.is_some());
        out.extend(block);
        out.extend(cache.map(|cache| Block::CachePoint(CachePoint::of(cache))));
    }

    fn or_lost(&mut self, block: Option<Block<'a>>, kind: &str) -> Option<Block<'a>> {
        if block.is_none() {
            self.lost.content(format!("messages[].content[].{kind}"));
        }
        block
    }

    fn call(&mut self, call: &'a ToolCall) -> Block<'a> {
        let input = call.object().unwrap_or_else(|| {
            self.lost
                .content("messages[].tool_calls[].function.arguments");
            Json::of(&serde_json::Map::new())
        });
        Block::ToolUse(ToolUse {
            tool_use_id: call_id(&call.id),
            name: &call.name,
            input,
        })
    }

    /// In a result there are no breakpoints, and no sound.
    fn result(&mut self, result: &'a crate::middle::ToolResult) -> Block<'a> {
        let mut content = Vec::new();
        for part in &result.parts {
            self.part(part, &mut content);
        }
        if content.iter().any(|b| matches!(b, Block::Audio(_))) {
            self.lost.content("messages[].content[].input_audio");
        }
        content.retain(|block| !matches!(block, Block::CachePoint(_) | Block::Audio(_)));
        Block::ToolResult(ToolResult {
            tool_use_id: call_id(&result.id),
            content,
            status: result.is_error.then_some("error"),
        })
    }

    /// A thought goes back only with the signature of the model's maker. One that has an id is an item of
    /// the Responses API.
    fn thought(&mut self, part: &'a Part) -> Option<Block<'a>> {
        let reasoning = match part {
            Part::Reasoning {
                id: None,
                signature: Some(signature),
                text,
                ..
            } if self.signed => Reasoning::ReasoningText { text, signature },
            Part::Reasoning {
                id: None,
                opaque: Some(opaque),
                ..
            } if self.signed => Reasoning::RedactedContent(opaque),
            _ => {
                self.lost.thought();
                return None;
            }
        };
        Some(Block::ReasoningContent(reasoning))
    }
}

fn text_block(text: &str) -> Option<Block<'_>> {
    (!text.is_empty()).then_some(Block::Text(text))
}
