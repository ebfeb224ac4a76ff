//! What a writer has still to write, because it takes long.
//!
//! A writer that holds the whole answer for its last event writes what it holds once more where something ends:
//! a text before the call behind it, all of it at the end. Until then a step costs what it brings, however much
//! is held. So nothing is owed but a step that ends something, with all behind it, so that the order stays.

use crate::aside::LARGE;
use bytes::BytesMut;
use punctual_wire::middle::{Delta, Encode};
use std::borrow::Cow;

/// Steps in order, and perhaps the end.
#[derive(Default)]
pub(super) struct Owed {
    steps: Vec<Delta<'static>>,
    close: bool,
    /// What was written last: more of it ends nothing.
    last: Option<Going>,
}

impl Owed {
    /// Writes a step, or keeps it for later.
    pub(super) fn step(&mut self, delta: &Delta<'_>, encode: &mut dyn Encode, out: &mut BytesMut) {
        let waits = !self.is_none() || (self.ends(delta) && encode.kept() > LARGE);
        match own(delta).filter(|_| waits) {
            Some(step) => self.steps.push(step),
            None => {
                // one that cannot be kept is written now, and so is what is before it
                self.pay(encode, out);
                self.write(delta, encode, out);
            }
        }
    }

    /// Writes the end, or keeps it for later.
    pub(super) fn close(&mut self, encode: &mut dyn Encode, out: &mut BytesMut) {
        match !self.is_none() || encode.kept() > LARGE {
            true => self.close = true,
            false => encode.close(out),
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.steps.is_empty() && !self.close
    }

    /// Writes all that is owed.
    pub(super) fn pay(&mut self, encode: &mut dyn Encode, out: &mut BytesMut) {
        for step in std::mem::take(&mut self.steps) {
            self.write(&step, encode, out);
        }
        if std::mem::take(&mut self.close) {
            encode.close(out);
        }
    }

    fn write(&mut self, delta: &Delta<'_>, encode: &mut dyn Encode, out: &mut BytesMut) {
        encode.delta(delta, out);
        if !is_beside(delta) {
            self.last = going(delta);
        }
    }

    /// Whether `delta` may end what was written before it.
    fn ends(&self, delta: &Delta<'_>) -> bool {
        !is_beside(delta) && (going(delta).is_none() || going(delta) != self.last)
    }
}

/// What is told beside the content, and ends none of it.
fn is_beside(delta: &Delta<'_>) -> bool {
    matches!(
        delta,
        Delta::Start(_)
            | Delta::Usage(_)
            | Delta::Durations(_)
            | Delta::Finish { .. }
            | Delta::Ended
            | Delta::Lost(_)
    )
}

/// Content that may come in many steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Going {
    Text,
    Refusal,
    Thought,
    Input(u32),
}

/// What a step goes on with; `None` for one that begins or ends something each time.
fn going(delta: &Delta<'_>) -> Option<Going> {
    match delta {
        Delta::Text { .. } => Some(Going::Text),
        Delta::Refusal { .. } => Some(Going::Refusal),
        Delta::Reasoning { .. } => Some(Going::Thought),
        Delta::ToolInput { index, .. } => Some(Going::Input(*index)),
        _ => None,
    }
}

/// A step that can be kept. What is written of one that cannot is little, or comes with what ends nothing.
fn own(delta: &Delta<'_>) -> Option<Delta<'static>> {
    let kept = |text: &Cow<'_, str>| Cow::Owned(text.to_string());
    Some(match delta {
        Delta::Text {
            choice,
            text,
            logprobs: None,
        } => Delta::Text {
            choice: *choice,
            text: kept(text),
            logprobs: None,
        },
        Delta::Refusal { choice, text } => Delta::Refusal {
            choice: *choice,
            text: kept(text),
        },
        Delta::Reasoning { choice, text } => Delta::Reasoning {
            choice: *choice,
            text: kept(text),
        },
        Delta::Signature { choice, value } => Delta::Signature {
            choice: *choice,
            value: kept(value),
        },
        Delta::Opaque { choice, value } => Delta::Opaque {
            choice: *choice,
            value: kept(value),
        },
        Delta::ToolCall {
            choice,
            index,
            id,
            name,
        } => Delta::ToolCall {
            choice: *choice,
            index: *index,
            id: kept(id),
            name: kept(name),
        },
        Delta::CallSignature {
            choice,
            index,
            value,
        } => Delta::CallSignature {
            choice: *choice,
            index: *index,
            value: kept(value),
        },
        Delta::ToolInput {
            choice,
            index,
            json,
        } => Delta::ToolInput {
            choice: *choice,
            index: *index,
            json: kept(json),
        },
        Delta::ToolDone { choice, index } => Delta::ToolDone {
            choice: *choice,
            index: *index,
        },
        Delta::Whole { choice, part } => Delta::Whole {
            choice: *choice,
            part: part.clone(),
        },
        Delta::Finish {
            choice,
            finish,
            stop_sequence,
        } => Delta::Finish {
            choice: *choice,
            finish: finish.clone(),
            stop_sequence: stop_sequence.as_ref().map(kept),
        },
        Delta::Usage(usage) => Delta::Usage(*usage),
        Delta::Durations(durations) => Delta::Durations(*durations),
        Delta::Ended => Delta::Ended,
        Delta::Lost(name) => Delta::Lost(name),
        _ => return None,
    })
}
