//! The judgement of a stream or of a whole answer, made from its steps: one definition of content, end,
//! usage and finish for every dialect that is read through the middle form.

use super::{Answer, Decode, Delta, Part, Seen};
use crate::{
    dialect::{AnswerSummary, End, Finish, Judge, Judged, Kind, Tally},
    frame::Frame,
    state::Made,
};

/// Judges a stream by what its decoder tells.
pub struct Derived {
    decode: Box<dyn Decode>,
    tally: Tally,
    ended: bool,
    stopped_otherwise: bool,
    has_content: bool,
    /// A tool call has begun and no content was seen.
    open_call: bool,
}

impl Derived {
    /// For one stream.
    pub fn new(decode: Box<dyn Decode>) -> Self {
        Self {
            decode,
            tally: Tally::default(),
            ended: false,
            stopped_otherwise: false,
            has_content: false,
            open_call: false,
        }
    }

    /// Judges a frame, and tells `sink` its steps.
    pub fn read(&mut self, frame: &Frame, sink: &mut dyn FnMut(&Delta<'_>)) -> Judged {
        let mut judged = Judged::plain(Kind::Preamble);
        let mut decode = std::mem::replace(&mut self.decode, Box::new(Nothing));
        let seen = decode.decode(frame, &mut |delta| {
            self.delta(&delta, &mut judged);
            sink(&delta);
        });
        self.decode = decode;
        match seen {
            Seen::Comment => judged.kind = Kind::Comment,
            Seen::Unparsed => judged.kind = Kind::Unparsed,
            Seen::Error(verdict) => judged.kind = Kind::Error(verdict),
            // an end mark before the end condition is met ends nothing
            Seen::Last => judged.done = self.ended,
            Seen::Data => {}
        }
        judged
    }

    /// Judges that the body has ended where it should, and tells `sink` the steps that only this shows.
    pub fn over(&mut self, sink: &mut dyn FnMut(&Delta<'_>)) -> Judged {
        let mut judged = Judged::plain(Kind::Preamble);
        let mut decode = std::mem::replace(&mut self.decode, Box::new(Nothing));
        decode.over(&mut |delta| {
            self.delta(&delta, &mut judged);
            sink(&delta);
        });
        self.decode = decode;
        judged
    }

    fn delta(&mut self, delta: &Delta<'_>, judged: &mut Judged) {
        match delta {
            Delta::Start(start) => {
                self.tally
                    .remember(start.id.as_deref(), start.model.as_deref());
            }
            Delta::Text { .. }
            | Delta::Refusal { .. }
            | Delta::ToolInput { .. }
            | Delta::ToolDone { .. }
            | Delta::Whole { .. } => self.content(judged, false),
            Delta::Reasoning { .. } | Delta::Opaque { .. } => self.content(judged, true),
            Delta::ToolCall { .. } => self.open_call = true,
            Delta::Finish { finish, .. } => {
                self.stopped_otherwise |= !finish.is_stop();
                judged.finish = Some(finish.clone());
                self.tally.finish = Some(finish.clone());
            }
            Delta::Usage(usage) => {
                judged.usage = Some(*usage);
                self.tally.count(*usage);
            }
            Delta::Ended if !self.ended => {
                self.ended = true;
                // a call that never got input is whole at the end
                if self.open_call && !self.has_content {
                    self.content(judged, false);
                }
                judged.ends = Some(match self.stopped_otherwise {
                    true => End::Other,
                    false => End::Stop,
                });
            }
            Delta::Signature { value, .. } | Delta::CallSignature { value, .. } => {
                self.tally.state.add(value);
            }
            Delta::Durations(durations) => self.tally.durations = *durations,
            Delta::Ended | Delta::Citation { .. } | Delta::Lost(_) => {}
        }
        if let Delta::Opaque { value, .. } = delta {
            self.tally.state.add(value);
        }
    }

    fn content(&mut self, judged: &mut Judged, reasoning: bool) {
        let first = judged.kind != Kind::Content;
        judged.reasoning = reasoning && (first || judged.reasoning);
        judged.kind = Kind::Content;
        self.has_content = true;
    }
}

impl Judge for Derived {
    fn judge(&mut self, frame: &Frame) -> Judged {
        self.read(frame, &mut |_| ())
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }

    fn take_state(&mut self) -> Vec<u64> {
        self.tally.state.take()
    }
}

/// Stands in for a decoder while it works.
struct Nothing;

impl Decode for Nothing {
    fn decode(&mut self, _: &Frame, _: &mut dyn FnMut(Delta<'_>)) -> Seen {
        Seen::Unparsed
    }
}

/// The judgement of a whole answer.
pub fn summary(answer: &Answer) -> AnswerSummary {
    let parts = || answer.choices.iter().flat_map(|choice| &choice.parts);
    let finish = answer.choices.iter().rev().find_map(|c| c.finish.clone());
    let stopped = |finish: &Finish| finish.is_stop();
    let all = answer.choices.iter().filter_map(|c| c.finish.as_ref());
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    AnswerSummary {
        usage: answer.usage,
        finish,
        id: filled(&answer.id),
        model: filled(&answer.model),
        has_content: parts().any(is_content),
        end: match all.into_iter().all(stopped) {
            true => End::Stop,
            false => End::Other,
        },
        state: parts().flat_map(states).collect::<Made>().take(),
        durations: answer.durations,
    }
}

/// What of a part only its maker can continue.
fn states(part: &Part) -> impl Iterator<Item = &str> {
    let (signature, opaque) = match part {
        Part::Reasoning {
            signature, opaque, ..
        } => (signature.as_deref(), opaque.as_deref()),
        Part::ToolCall(call) => (call.signature.as_deref(), None),
        _ => (None, None),
    };
    [signature, opaque].into_iter().flatten()
}

/// Whether a whole part is content as the contract defines it.
fn is_content(part: &Part) -> bool {
    match part {
        Part::Text { text, .. } | Part::Refusal { text } => !text.is_empty(),
        Part::Reasoning { text, opaque, .. } => !text.is_empty() || opaque.is_some(),
        Part::ToolCall(_) | Part::Image { .. } | Part::Audio { .. } | Part::File { .. } => true,
        Part::Other { .. } => true,
        Part::ToolResult(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::frame::{Framing, Splitter};

    /// Says at each frame that it is the last; whether the end was told is given.
    struct Last(bool);

    impl Decode for Last {
        fn decode(&mut self, _: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
            if self.0 {
                sink(Delta::Ended);
            }
            Seen::Last
        }
    }

    #[test]
    fn an_end_mark_ends_nothing_before_the_end_condition_is_met() {
        let mut splitter = Splitter::new(Framing::Sse, 64);
        splitter.push(Bytes::from_static(b"data: x\n\n"));
        let frame = splitter.next().unwrap().unwrap();
        for ended in [false, true] {
            let judged = Derived::new(Box::new(Last(ended))).judge(&frame);
            assert_eq!((judged.done, judged.ends.is_some()), (ended, ended));
        }
    }
}
