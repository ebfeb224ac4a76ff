//! Writing an answer.
//!
//! Everything is an item, whether the answer is written whole or as a stream, and the stream ends with the
//! whole response once more. Items have ids made of the answer's own; a call keeps the id that its result
//! will name.

mod event;
mod ids;
mod item;
mod kept;
mod parts;
mod pieces;
mod response;
mod thought;
mod writer;

use bytes::Bytes;

use self::{
    ids::Ids,
    item::Item,
    response::{Response, ending},
    writer::Writer,
};
use super::usage::Counts;
use crate::middle::{Answer, Asked, Encode, Lost};

/// Writes a whole answer.
pub(super) fn whole(answer: &Answer, asked: &Asked, lost: &mut Lost) -> Bytes {
    let mut choices = answer.choices.iter();
    let first = choices.next();
    if choices.next().is_some() {
        lost.content("choices");
    }
    let finish = first.and_then(|choice| choice.finish.as_ref());
    let (status, incomplete) = ending(finish);
    let ids = Ids::of(asked);
    let mut items: Vec<Item> = Vec::new();
    for part in first.into_iter().flat_map(|choice| &choice.parts) {
        parts::add(&mut items, part, &ids, lost);
    }
    if let Some(choice) = first {
        if choice.stop_sequence.is_some() {
            lost.parameter("stop_sequence");
        }
        if let Some(logprobs) = &choice.logprobs
            && !parts::probable(&mut items, logprobs)
        {
            lost.parameter("logprobs");
        }
    }
    if let Some(last) = items.last_mut() {
        last.end(status);
    }
    let response = Response {
        id: &response::id(answer.id.as_deref(), asked),
        created_at: answer.created.unwrap_or(asked.now),
        status,
        incomplete_details: incomplete,
        model: answer.model.as_deref().unwrap_or(&asked.model),
        output: &items,
        service_tier: answer.service_tier.as_deref(),
        usage: answer.usage.as_ref().and_then(Counts::of),
        ..Response::default()
    };
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&response).unwrap_or_default().into()
}

/// A writer of a stream.
pub(super) fn stream(asked: &Asked) -> Box<dyn Encode> {
    Box::new(Writer::new(asked.clone()))
}
