//! Judging a stream that is relayed as it came.
//!
//! Tools of the provider and tools with free input stream what they write in events of their own, for which
//! the middle form has no steps: it tells such a thing when it is whole. Whoever relays sees it being written,
//! so to the token clocks and to commit those events are content, as the input of any call is.

use std::borrow::Cow;

use crate::{
    dialect::{End, Judge, Judged, Kind, Tally},
    frame::Frame,
    json,
    middle::Derived,
};

/// The judge of one stream.
pub(super) struct Typed(Derived);

impl Typed {
    pub(super) fn new(derived: Derived) -> Self {
        Self(derived)
    }
}

impl Judge for Typed {
    fn judge(&mut self, frame: &Frame) -> Judged {
        let mut judged = self.0.judge(frame);
        if judged.kind == Kind::Preamble && is_written(frame) {
            judged.kind = Kind::Content;
        }
        judged
    }

    fn tally(&self) -> Tally {
        self.0.tally()
    }

    fn take_state(&mut self) -> Vec<u64> {
        self.0.take_state()
    }
}

/// The judge of a stored response that is told once more. It may have failed, and that is an answer all the
/// same; tokens were counted when it was made.
pub(super) struct Stored {
    derived: Derived,
    ended: bool,
}

impl Stored {
    pub(super) fn new(derived: Derived) -> Self {
        Self {
            derived,
            ended: false,
        }
    }
}

impl Judge for Stored {
    fn judge(&mut self, frame: &Frame) -> Judged {
        // reads what only its maker can continue
        let kind = self.derived.judge(frame).kind;
        if matches!(kind, Kind::Comment | Kind::Unparsed) {
            return Judged::plain(kind);
        }
        let mut judged = Judged::plain(Kind::Content);
        if is_last(frame) && !std::mem::replace(&mut self.ended, true) {
            judged.ends = Some(End::Other);
        }
        judged
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn take_state(&mut self) -> Vec<u64> {
        self.derived.take_state()
    }
}

/// Whether an event tells what became of the response.
fn is_last(frame: &Frame) -> bool {
    let data = frame.data();
    let text = data
        .as_deref()
        .and_then(|data| std::str::from_utf8(data).ok());
    let kind = text.and_then(|text| json::member(text.trim(), "type"));
    let kind = kind
        .and_then(json::text)
        .or(frame.name().map(Cow::Borrowed));
    matches!(
        kind.as_deref(),
        Some(
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled"
        )
    )
}

/// Whether an event brings a piece of what a tool writes: `response.custom_tool_call_input.delta`,
/// `response.code_interpreter_call_code.delta`, `response.image_generation_call.partial_image`.
fn is_written(frame: &Frame) -> bool {
    let named = |name: &str| name.ends_with(".delta") || name.ends_with(".partial_image");
    // the first events are large, and have names
    if frame.name().is_some_and(|name| !named(name)) {
        return false;
    }
    let data = frame.data();
    let text = data
        .as_deref()
        .and_then(|data| std::str::from_utf8(data).ok());
    let names = ["type", "delta", "partial_image_b64"];
    let found = text.and_then(|text| json::members(text.trim(), &names));
    let Some([kind, delta, picture]) = found else {
        return false;
    };
    let kind = kind.and_then(json::text).unwrap_or_default();
    named(frame.name().unwrap_or(&kind)) && delta.or(picture).is_some_and(json::is_text)
}
