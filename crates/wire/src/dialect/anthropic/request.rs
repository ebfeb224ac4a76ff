//! Reads a question of a caller.
//!
//! A member of the wrong type is refused with its name and place, never its value; an absent one and
//! `null` are the same. What the middle form has no place for goes to `extra` by its name, also from
//! inside messages and tools (`messages[].content[].context`), so that whoever writes the question in other
//! words names it as lost.

mod block;
mod messages;
mod options;
mod place;
mod source;
mod tools;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::{
    BadBody,
    middle::{Message, Part, Request, Role, Sampling},
    peek::fault::{missing, object, syntax},
};
use messages::Reader;
use place::{Members, Place};

pub(super) fn read(body: &Bytes) -> Result<Request, BadBody> {
    let text = object(body)?;
    let whole: &RawValue = serde_json::from_str(text).map_err(|_| syntax(text))?;
    let mut members = Place::of(text, whole.get()).members()?;

    let model = members.take("model", "model");
    let model = model.ok_or_else(|| missing("model"))?;
    let name = model.string()?;
    if name.is_empty() {
        return Err(model.wrong("must be a non-empty string"));
    }
    let messages = members.take("messages", "messages");
    let messages = messages.ok_or_else(|| missing("messages"))?;
    let mut reader = Reader::default();
    let mut request = Request {
        model: name,
        stream: members
            .take("stream", "stream")
            .map_or(Ok(false), Place::flag)?,
        messages: system(&mut members, &mut reader)?,
        sampling: sampling(&mut members)?,
        ..Request::default()
    };
    request.messages.extend(reader.messages(messages)?);
    request.extra = reader.extra;
    tools::read(&mut members, &mut request)?;
    options::read(&mut members, &mut request)?;
    for (name, value) in members.rest() {
        request.extra.push((name, value.json()));
    }
    Ok(request)
}

/// `system`, a string or text blocks, is the first message.
fn system(members: &mut Members<'_>, reader: &mut Reader) -> Result<Vec<Message>, BadBody> {
    let Some(system) = members.take("system", "system") else {
        return Ok(Vec::new());
    };
    let parts = reader.content(system, "system[]", false)?;
    let texts = parts.iter().all(|part| matches!(part, Part::Text { .. }));
    if !texts {
        return Err(system.wrong("must be a string or text blocks"));
    }
    let said = parts
        .iter()
        .any(|part| !matches!(part, Part::Text { text, .. } if text.is_empty()));
    Ok(match said {
        true => vec![Message {
            role: Role::System,
            parts,
            name: None,
        }],
        false => Vec::new(),
    })
}

fn sampling(members: &mut Members<'_>) -> Result<Sampling, BadBody> {
    let mut number = |name: &'static str| {
        let value = members.take(name, name);
        value.map(Place::number).transpose()
    };
    let mut sampling = Sampling {
        max_tokens: number("max_tokens")?,
        temperature: number("temperature")?,
        top_p: number("top_p")?,
        top_k: number("top_k")?,
        ..Sampling::default()
    };
    if let Some(stops) = members.take("stop_sequences", "stop_sequences") {
        for stop in stops.elements("stop_sequences[]")? {
            sampling.stop.push(stop.string()?);
        }
    }
    Ok(sampling)
}
