//! Reading a whole answer.
//!
//! A 200 is not yet an answer: it can hold an error object, a login page, or nothing. Nothing of the body is
//! quoted when it is refused. What an answer says is read by the same eyes as the events of a stream.

use std::collections::{BTreeMap, BTreeSet};

use super::{calls::Calls, citation, event, event::Event, loose, said::Piece};
use crate::{
    Class, Verdict,
    dialect::{Finish, openai::failure},
    json,
    middle::{Answer, Choice, Delta, Json, Lost, Part, ToolCall},
};

/// Reads a chat completion, or a legacy completion.
///
/// # Errors
/// The in-band verdict if it is an error object or a finish reason admits a failure;
/// [`Class::Malformed`] if it is not JSON or has not the shape of an answer.
pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let malformed = |message| Verdict::of(Class::Malformed, message);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    let mut event = Event::default();
    json::walk(text, &mut event).map_err(|_| malformed("the answer is not a JSON object"))?;
    if event.is_error() {
        return Err(Verdict::in_band(body));
    }
    if event.choices.is_empty() {
        return Err(malformed("the answer has no choices"));
    }
    let mut answer = Answer {
        id: event.id().map(Into::into),
        model: event.model().map(Into::into),
        created: event.created(),
        usage: event.usage(),
        service_tier: event.tier().map(Into::into),
        ..Answer::default()
    };
    // two of one number, or of none, would become one in a stream
    let numbers: BTreeSet<_> = event.choices.iter().map(|choice| choice.index).collect();
    let are_told = numbers.len() == event.choices.len();
    for (place, said) in (0..).zip(&event.choices) {
        let choice = choice(said, &mut answer.lost)?;
        answer.choices.push(Choice {
            index: if are_told { said.index } else { place },
            ..choice
        });
    }
    if let (Some(list), Some(first)) = (event.citations, answer.choices.first_mut()) {
        let mut cited = Vec::new();
        citation::addresses(list, |json| cited.extend(Json::parse(json)));
        cite(&mut first.parts, &cited);
    }
    Ok(answer)
}

fn choice(said: &event::Choice<'_>, lost: &mut Lost) -> Result<Choice, Verdict> {
    if let Some(failure) = said.finish.as_deref().and_then(failure::of_finish) {
        return Err(failure);
    }
    let mut parts = Parts::default();
    said.said().pieces(&mut |piece| parts.piece(piece, lost));
    let has_text = |part: &Part| matches!(part, Part::Text { .. });
    if let Some(text) = said.text.and_then(loose::text)
        && !parts.parts.iter().any(has_text)
    {
        parts.piece(Piece::Text(text), lost);
    }
    Ok(Choice {
        index: said.index,
        parts: parts.finish(),
        finish: said.finish.as_deref().and_then(Finish::of),
        stop_sequence: said.stop_sequence().map(Into::into),
        logprobs: said.logprobs().and_then(Json::parse),
    })
}

/// The parts of one choice as they are put together.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    calls: Calls,
    /// By their numbers.
    heads: BTreeMap<u32, ToolCall>,
    cited: Vec<Json>,
}

impl Parts {
    fn piece(&mut self, piece: Piece<'_>, lost: &mut Lost) {
        match piece {
            Piece::Text(text) => self.parts.push(Part::text(text)),
            Piece::Refusal(text) => self.parts.push(Part::Refusal { text: text.into() }),
            Piece::Reasoning(text) => self.parts.push(Part::reasoning(text)),
            Piece::Signature(value) => self.sign(value.into()),
            Piece::Opaque(value) => self.parts.push(Part::Reasoning {
                text: String::new(),
                signature: None,
                opaque: Some(value.into()),
                id: None,
            }),
            Piece::Call(fragment) => {
                let heads = &mut self.heads;
                self.calls
                    .whole(fragment, 0, &mut |delta| call(heads, delta));
            }
            Piece::Whole(part) => self.parts.push(part),
            Piece::Citation(json) => self.cited.extend(Json::parse(json)),
            Piece::Lost(name) => lost.content(name),
        }
    }

    /// The thought before it is signed; without one, a thought that is not told.
    fn sign(&mut self, value: String) {
        match self.parts.last_mut() {
            Some(Part::Reasoning {
                signature: signature @ None,
                opaque: None,
                ..
            }) => *signature = Some(value),
            _ => self.parts.push(Part::Reasoning {
                text: String::new(),
                signature: Some(value),
                opaque: None,
                id: None,
            }),
        }
    }

    fn finish(mut self) -> Vec<Part> {
        let heads = &mut self.heads;
        self.calls.finish(0, &mut |delta| call(heads, delta));
        cite(&mut self.parts, &self.cited);
        let heads = self.heads.into_values();
        self.parts.extend(heads.map(Part::ToolCall));
        self.parts
    }
}

fn call(heads: &mut BTreeMap<u32, ToolCall>, delta: Delta<'_>) {
    match delta {
        Delta::ToolCall {
            index, id, name, ..
        } => {
            let call = ToolCall {
                id: id.into(),
                name: name.into(),
                input: String::new(),
                signature: None,
            };
            heads.insert(index, call);
        }
        Delta::ToolInput { index, json, .. } => {
            if let Some(head) = heads.get_mut(&index) {
                head.input.push_str(&json);
            }
        }
        Delta::CallSignature { index, value, .. } => {
            if let Some(head) = heads.get_mut(&index) {
                head.signature = Some(value.into());
            }
        }
        _ => {}
    }
}

/// Annotations are of the whole message here; they go with its last text.
fn cite(parts: &mut [Part], cited: &[Json]) {
    let texts = parts.iter_mut().rev().filter_map(|part| match part {
        Part::Text { citations, .. } => Some(citations),
        _ => None,
    });
    if let Some(citations) = texts.into_iter().next().filter(|_| !cited.is_empty()) {
        *citations = Some(Json::of(cited));
    }
}
