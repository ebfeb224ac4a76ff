//! Judging a stream that is relayed as it came.
//!
//! Tools of the provider and tools with free input stream what they write in events of their own, for which
//! the middle form has no steps: it tells such a thing when it is whole. Whoever relays sees it being written,
//! so to the token clocks and to commit those events are content, as the input of any call is.

use crate::{
    dialect::{Judge, Judged, Kind, Tally},
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
