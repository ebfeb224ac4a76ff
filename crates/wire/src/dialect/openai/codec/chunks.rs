//! Writing a stream of chunks.
//!
//! What the SDKs that put chunks together need: `delta` is always an object, the role comes with the first
//! piece of each choice, a finish reason comes once and last, and the chunk with the token counts has no
//! choices and is only there for those who asked.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::BytesMut;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{finish, form};
use crate::{
    Usage, json,
    middle::{Asked, Delta, Encode, Lost, Start},
};

mod piece;

use piece::{Piece, State};

/// Bytes that hold most chunks: memory is asked for once, not for each of the many small writes.
const CHUNK: usize = 320;

/// A writer of one stream.
pub(super) fn writer(asked: &Asked) -> Box<dyn Encode> {
    Box::new(Chunks {
        asked: asked.clone(),
        start: Start::default(),
        head: None,
        choices: BTreeMap::new(),
        usage: None,
        lost: Lost::default(),
    })
}

struct Chunks {
    asked: Asked,
    /// What the answer said about itself before its first chunk was written.
    start: Start<'static>,
    /// What every chunk says, the same in all.
    head: Option<Head>,
    choices: BTreeMap<u32, State>,
    usage: Option<Usage>,
    lost: Lost,
}

struct Head {
    id: String,
    model: String,
    created: u64,
}

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [Choice<'a>],
    /// `null` in all chunks but the last, for those who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<form::Usage>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    delta: Piece<'a>,
    logprobs: Option<&'a RawValue>,
    finish_reason: Option<&'static str>,
}

impl Encode for Chunks {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        match delta {
            Delta::Start(start) => self.start(start),
            Delta::Finish {
                choice,
                finish,
                stop_sequence,
            } => {
                self.choices.entry(*choice).or_default().finish = Some(finish.clone());
                if stop_sequence.is_some() {
                    self.lost.parameter("stop_sequence");
                }
            }
            Delta::Usage(usage) => self.usage.get_or_insert_default().update(*usage),
            Delta::Lost(name) => self.lost.content(*name),
            said => self.say(said, out),
        }
    }

    fn close(&mut self, out: &mut BytesMut) {
        if self.choices.is_empty() {
            self.choices.insert(0, State::default());
        }
        for (index, state) in std::mem::take(&mut self.choices) {
            let mut delta = Piece::default();
            if !state.begun {
                (delta.role, delta.content) = (Some("assistant"), Some(""));
            }
            let choice = Choice {
                index,
                delta,
                logprobs: None,
                finish_reason: Some(finish::word(state.finish.as_ref(), state.has_calls)),
            };
            self.write(&[choice], None, out);
        }
        if let Some(usage) = self.usage.filter(|_| self.asked.include_usage) {
            self.write(&[], Some(form::Usage::of(&usage)), out);
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn lost(&self) -> &Lost {
        &self.lost
    }
}

impl Chunks {
    /// The first id and model that say something are kept.
    fn start(&mut self, start: &Start<'_>) {
        let [id, model] = start.repeated();
        for (kept, value) in [(&mut self.start.id, id), (&mut self.start.model, model)] {
            if let Some(value) = value.filter(|_| kept.is_none()) {
                *kept = Some(Cow::Owned(value.to_owned()));
            }
        }
        self.start.created = self.start.created.or(start.created);
    }

    /// Writes what is said to the caller.
    fn say(&mut self, said: &Delta<'_>, out: &mut BytesMut) {
        let Some(index) = said.choice() else {
            return;
        };
        let state = self.choices.entry(index).or_default();
        let mut delta = match state.piece(said) {
            Some(Ok(piece)) => piece,
            Some(Err(name)) => return self.lost.content(name),
            None => return,
        };
        if !std::mem::replace(&mut state.begun, true) {
            delta.role = Some("assistant");
        }
        let logprobs = match said {
            Delta::Text { logprobs, .. } => logprobs.and_then(|l| serde_json::from_str(l).ok()),
            _ => None,
        };
        let choice = Choice {
            index,
            delta,
            logprobs,
            finish_reason: None,
        };
        self.write(&[choice], None, out);
    }

    fn write(&mut self, choices: &[Choice<'_>], usage: Option<form::Usage>, out: &mut BytesMut) {
        let (asked, start) = (&self.asked, &self.start);
        let head = self.head.get_or_insert_with(|| Head {
            id: match &start.id {
                Some(id) => id.to_string(),
                None => format!("chatcmpl-{}", asked.id),
            },
            model: start.model.as_deref().unwrap_or(&asked.model).to_owned(),
            created: start.created.unwrap_or(asked.now),
        });
        let chunk = Chunk {
            id: &head.id,
            object: "chat.completion.chunk",
            created: head.created,
            model: &head.model,
            choices,
            usage: (asked.include_usage || usage.is_some()).then_some(usage),
        };
        out.reserve(CHUNK);
        out.extend_from_slice(b"data: ");
        json::write_line(out, &chunk);
        out.extend_from_slice(b"\n\n");
    }
}
