//! Judging a stream that is relayed as it came.
//!
//! The input of the provider's own tools and a compacted history come in deltas for which the middle form
//! has no steps: it tells such a block when it is whole. Whoever relays sees it being written, so to the
//! token clocks and to commit those deltas are content, as the input of any call is.

use crate::{
    dialect::{Judge, Judged, Kind, Tally},
    frame::Frame,
    json,
    middle::Derived,
};

/// The judge of one stream.
pub(super) struct Written(Derived);

impl Written {
    pub(super) fn new(derived: Derived) -> Self {
        Self(derived)
    }
}

impl Judge for Written {
    fn judge(&mut self, frame: &Frame) -> Judged {
        let mut judged = self.0.judge(frame);
        if judged.kind == Kind::Preamble && is_written(frame).unwrap_or(false) {
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

/// Whether an event brings a piece of such a block.
fn is_written(frame: &Frame) -> Option<bool> {
    // the first events are large, and have names
    if frame
        .name()
        .is_some_and(|name| name != "content_block_delta")
    {
        return None;
    }
    let data = frame.data()?;
    let text = std::str::from_utf8(&data).ok()?.trim();
    let delta = json::member(text, "delta")?;
    let [kind, input, content] = json::members(delta, &["type", "partial_json", "content"])?;
    let piece = match kind? {
        "\"input_json_delta\"" => input,
        "\"compaction_delta\"" => content,
        _ => None,
    };
    piece.map(json::is_text)
}
