//! A whole answer for a caller of this API.
//!
//! Every member that the official SDKs need is there, known or not: an id, a model, a stop reason and both
//! token counts.

use bytes::Bytes;
use serde::Serialize;

use super::{
    blocks::{self, Block, thoughts},
    usage::Written,
    words::{self, Ending, stop_reason},
};
use crate::middle::{Answer, Asked, Choice, Lost, Part};

#[derive(Serialize)]
struct Message<'a> {
    id: &'a str,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Block<'a>>,
    stop_reason: &'a str,
    stop_sequence: Option<&'a str>,
    usage: Written<'a>,
}

pub(super) fn write(answer: &Answer, asked: &Asked, lost: &mut Lost) -> Bytes {
    let mut choices = answer.choices.iter();
    let choice = choices.next();
    if choices.next().is_some() {
        lost.content("choices");
    }
    let (content, ending) = choice.map_or_else(Default::default, |choice| content(choice, lost));
    let sequence = choice.and_then(|choice| choice.stop_sequence.as_deref());
    let finish = choice.and_then(|choice| choice.finish.as_ref());
    let tier = answer.service_tier.as_deref();
    let made = format!("msg_{}", asked.id);
    let message = Message {
        id: answer.id.as_deref().unwrap_or(&made),
        r#type: "message",
        role: "assistant",
        model: answer.model.as_deref().unwrap_or(&asked.model),
        content,
        stop_reason: stop_reason(finish, ending),
        stop_sequence: sequence,
        usage: Written::of(&answer.usage.unwrap_or_default())
            .with_tier(tier.and_then(words::own_tier)),
    };
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&message).unwrap_or_default().into()
}

fn content<'a>(choice: &'a Choice, lost: &mut Lost) -> (Vec<Block<'a>>, Ending) {
    if choice.logprobs.is_some() {
        lost.parameter("logprobs");
    }
    let mut ending = Ending {
        sequence: choice.stop_sequence.is_some(),
        ..Ending::default()
    };
    let mut content = Vec::new();
    for part in &choice.parts {
        match part {
            Part::Text { text, .. } | Part::Refusal { text } if text.is_empty() => {}
            Part::Text {
                text, citations, ..
            } => {
                let own = citations.as_ref().filter(|all| words::are_citations(all));
                if own.is_none() && citations.is_some() {
                    lost.content("citations");
                }
                content.push(Block::Text {
                    text: text.into(),
                    citations: own,
                    cache_control: None,
                });
            }
            Part::Refusal { text } => {
                ending.refused = true;
                content.push(Block::text(text));
            }
            Part::Reasoning {
                text,
                signature,
                opaque,
                ..
            } => content.extend(thoughts(text, signature.as_deref(), opaque.as_deref())),
            Part::ToolCall(call) => {
                ending.calls = true;
                if call.signature.is_some() {
                    lost.parameter("tool_calls[].signature");
                }
                content.push(Block::ToolUse {
                    id: (&call.id).into(),
                    name: (&call.name).into(),
                    input: blocks::input(call),
                });
            }
            Part::Other { kind, value } if words::is_own_block(kind, value) => {
                content.push(Block::Other(value));
            }
            other => lost.content(other.kind().to_owned()),
        }
    }
    (content, ending)
}
