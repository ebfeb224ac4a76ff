//! The parts of a whole answer, as items.

use super::{
    super::{annotation, sealed::Sealed},
    ids::Ids,
    item::{Call, Content, Item, Message, Reasoning, Summary},
};
use crate::{
    json,
    middle::{Json, Lost, Part},
};

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
            if signature.is_some() && opaque.is_some() {
                lost.parameter("reasoning.encrypted_content");
            }
            let own = id.as_deref().filter(|id| id.starts_with("rs_"));
            let opaque = opaque.as_deref().map(|value| match own {
                Some(_) => Sealed::Own(value),
                None => Sealed::Hidden(value),
            });
            let sealed = signature.as_deref().map(Sealed::Signature).or(opaque);
            let made = ids.reasoning(place);
            let filled = (!text.is_empty()).then(|| Summary::new(text.clone()));
            Item::Reasoning(Reasoning {
                id: own.unwrap_or(&made.id).to_owned(),
                summary: filled.into_iter().collect(),
                encrypted_content: sealed.map(Sealed::write),
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
    if json.is_empty() { "{}" } else { json }
}

fn content(part: &Part, lost: &mut Lost) -> Content {
    match part {
        Part::Text {
            text, citations, ..
        } => {
            let cited = citations.as_ref().map(|all| annotation::all(all, text));
            let (annotations, whole) = cited.unwrap_or((Vec::new(), true));
            if !whole {
                lost.content("citations");
            }
            Content::OutputText {
                annotations,
                logprobs: Vec::new(),
                text: text.clone(),
                length: 0,
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
