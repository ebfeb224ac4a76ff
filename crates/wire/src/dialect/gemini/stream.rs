//! Reading a stream of `GenerateContentResponse`s.
//!
//! Framed as server-sent events or as the elements of an array. Every frame is a whole response, whose parts
//! are pieces of the answer and whose counts are those so far. There is no mark for the end: text, counts and
//! even a second `finishReason` can follow the first, so the stream is read to its end.

use super::{
    call::Calls, call::Sink, finish, grounding::Cited, input::OutOfOrder, logprobs, part,
    part::Place,
};
use crate::{
    Class, Verdict,
    dialect::{Finish, call_id},
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
    rfc3339,
};

/// Candidates beyond so many are not followed; Google makes at most 8.
const CANDIDATES: usize = 128;

/// Reads one stream.
#[derive(Debug)]
pub(super) struct Stream {
    choices: usize,
    candidates: Vec<Candidate>,
    /// What ids of calls are made of.
    id: String,
    started: bool,
    ended: bool,
}

/// One candidate so far.
#[derive(Debug, Default)]
struct Candidate {
    index: u32,
    calls: Calls,
    cited: Cited,
    finished: bool,
}

impl Stream {
    /// For an answer with so many candidates.
    pub(super) fn new(choices: u32) -> Self {
        Self {
            choices: usize::try_from(choices)
                .unwrap_or(CANDIDATES)
                .clamp(1, CANDIDATES),
            candidates: Vec::new(),
            id: String::new(),
            started: false,
            ended: false,
        }
    }

    /// Reads a response, or several in an array.
    pub(super) fn read(&mut self, text: &str, sink: Sink<'_>) -> Seen {
        if !json::is_array(text) {
            return self.response(text, sink);
        }
        let mut seen = Seen::Data;
        let whole = json::elements(text, |element| {
            if seen == Seen::Data {
                seen = self.response(element, sink);
            }
        });
        if whole { seen } else { Seen::Unparsed }
    }

    fn response(&mut self, text: &str, sink: Sink<'_>) -> Seen {
        const NAMES: [&str; 7] = [
            "error",
            "responseId",
            "modelVersion",
            "createTime",
            "usageMetadata",
            "candidates",
            "promptFeedback",
        ];
        let Some([error, id, model, created, usage, candidates, feedback]) =
            json::members(text, &NAMES)
        else {
            return Seen::Unparsed;
        };
        if error.is_some() {
            return Seen::Error(Verdict::in_band(text.as_bytes()));
        }
        self.start([id, model, created], sink);
        if let Some(usage) = usage.and_then(finish::usage) {
            sink(Delta::Usage(usage));
        }
        if self.id.is_empty() && candidates.is_some() {
            self.id = call_id::mark();
        }
        let mut sound = Ok(());
        let mut any = false;
        json::elements(candidates.unwrap_or("[]"), |candidate| {
            any = true;
            if sound.is_ok() {
                sound = self.candidate(candidate, sink);
            }
        });
        if let Err(verdict) = sound {
            return Seen::Error(verdict);
        }
        let blocked = feedback.and_then(|feedback| json::member(feedback, "blockReason"));
        if !any && blocked.is_some_and(json::is_text) {
            self.refused(sink);
        }
        let finished = self.candidates.iter().filter(|c| c.finished).count();
        if finished >= self.choices && !std::mem::replace(&mut self.ended, true) {
            sink(Delta::Ended);
        }
        Seen::Data
    }

    fn start(&mut self, said: [Option<&str>; 3], sink: Sink<'_>) {
        // every event says it all again
        if self.started {
            return;
        }
        let filled = |value: Option<&'_ str>| {
            let text = value.and_then(json::text);
            text.filter(|text| !text.is_empty()).map(Into::into)
        };
        let [id, model, created]: [Option<String>; 3] = said.map(filled);
        if id.is_none() && model.is_none() {
            return;
        }
        self.started = true;
        // once a call may have been told, what made its id stays
        if self.id.is_empty() {
            self.id = id.or(created.clone()).unwrap_or_default();
        }
        sink(Delta::Start(Start {
            id: said[0].and_then(json::text).filter(|id| !id.is_empty()),
            model: model.map(Into::into),
            created: created.as_deref().and_then(rfc3339::unix),
        }));
    }

    fn candidate(&mut self, candidate: &str, sink: Sink<'_>) -> Result<(), Verdict> {
        const NAMES: [&str; 7] = [
            "index",
            "content",
            "finishReason",
            "logprobsResult",
            "groundingMetadata",
            "citationMetadata",
            "urlContextMetadata",
        ];
        let Some(
            [
                index,
                content,
                reason,
                probabilities,
                grounding,
                citations,
                fetched,
            ],
        ) = json::members(candidate, &NAMES)
        else {
            return Ok(());
        };
        let index = index.and_then(|index| index.parse().ok()).unwrap_or(0);
        let Some(at) = self.place(index) else {
            sink(Delta::Lost("candidates"));
            return Ok(());
        };
        let Some(candidate) = self.candidates.get_mut(at) else {
            return Ok(());
        };
        let place = Place {
            answer: &self.id,
            choice: index,
        };
        let mut logprobs = probabilities.and_then(logprobs::convert);
        let parts = content.and_then(|content| json::member(content, "parts"));
        let (calls, cited) = (&mut candidate.calls, &mut candidate.cited);
        let (mut order, mut begins) = (Ok(()), Vec::new());
        let is_all = cited.length() == 0;
        json::elements(parts.unwrap_or("[]"), |part| {
            begins.extend(is_all.then(|| cited.length()));
            let heard = &mut |delta: Delta<'_>| {
                cited.hear(&delta);
                sink(delta);
            };
            if order.is_ok() {
                order = part::read(part, &place, calls, &mut logprobs, heard);
            }
        });
        order.map_err(|OutOfOrder| {
            let what = "the streamed arguments of a call are out of order";
            Verdict::of(Class::Malformed, what)
        })?;
        if let Some(grounding) = grounding {
            cited.tell(grounding, &begins, index, sink);
        }
        for (name, value) in [
            ("logprobsResult", logprobs.is_some()),
            ("citationMetadata", citations.is_some_and(|o| o != "{}")),
            ("urlContextMetadata", fetched.is_some_and(|o| o != "{}")),
        ] {
            if value {
                sink(Delta::Lost(name));
            }
        }
        let word = reason.and_then(json::text).unwrap_or_default();
        if let Some(finish) = finish::reason(&word, candidate.calls.any())? {
            candidate.calls.close(index, sink);
            candidate.finished = true;
            tell(index, finish, sink);
        }
        Ok(())
    }

    /// The prompt was refused, and so there is no candidate at all.
    fn refused(&mut self, sink: Sink<'_>) {
        for index in (0_u32..).take(self.choices) {
            if let Some(at) = self.place(index)
                && let Some(candidate) = self.candidates.get_mut(at)
            {
                candidate.finished = true;
                tell(index, Finish::ContentFilter, sink);
            }
        }
    }

    fn place(&mut self, index: u32) -> Option<usize> {
        let known = self.candidates.iter().position(|c| c.index == index);
        known.or_else(|| {
            let fresh = self.candidates.len() < CANDIDATES;
            fresh.then(|| {
                self.candidates.push(Candidate {
                    index,
                    ..Candidate::default()
                });
                self.candidates.len() - 1
            })
        })
    }
}

fn tell(choice: u32, finish: Finish, sink: Sink<'_>) {
    sink(Delta::Finish {
        choice,
        finish,
        stop_sequence: None,
    });
}

impl Decode for Stream {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let Some(data) = frame.data() else {
            return Seen::Comment;
        };
        match std::str::from_utf8(&data).map(str::trim) {
            Ok("") => Seen::Comment,
            Ok(text) => self.read(text, sink),
            Err(_) => Seen::Unparsed,
        }
    }

    /// Fewer candidates than were asked for are whole as well, if each that has begun has ended.
    fn over(&mut self, sink: &mut dyn FnMut(Delta<'_>)) {
        let all = self.candidates.iter().all(|candidate| candidate.finished);
        if all && !self.candidates.is_empty() && !std::mem::replace(&mut self.ended, true) {
            sink(Delta::Ended);
        }
    }
}
