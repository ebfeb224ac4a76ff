//! Reading a stream of chat completion chunks, of whatever server.
//!
//! The end condition is a finish reason on every one of the `n` choices, or `[DONE]`; after it come usage, a
//! second finish, more text even, and all of that is told alike. Errors are errors however they come:
//! `event: error`, llama.cpp's `error:` field, a top-level `error`, or a finish reason that admits a failure.

use std::{borrow::Cow, collections::BTreeMap};

use super::{calls::Calls, citation, event, event::Event};
use crate::{
    Verdict,
    dialect::{Finish, openai::failure},
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
};

mod told;

use told::Told;

/// Finish reasons of choices beyond this index are not counted.
const MAX_CHOICES: usize = 1 << 16;

/// A reader of a stream with `n` choices.
pub(super) fn reader(n: u32) -> Box<dyn Decode> {
    let n = usize::try_from(n).unwrap_or(MAX_CHOICES);
    Box::new(Stream {
        n: n.clamp(1, MAX_CHOICES),
        ..Stream::default()
    })
}

#[derive(Debug, Default)]
struct Stream {
    n: usize,
    /// By index, which choices have finished.
    finished: Vec<bool>,
    /// How many of them.
    finishes: usize,
    ended: bool,
    calls: BTreeMap<u32, Calls>,
    id: Option<String>,
    model: Option<String>,
    created: Option<u64>,
    /// The addresses beside the choices were told.
    cited: bool,
}

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Decode for Stream {
    fn decode(&mut self, frame: &Frame, sink: Sink<'_>) -> Seen {
        let Frame::Event(frame) = frame else {
            return Seen::Unparsed;
        };
        let lines = frame.lines();
        if !lines.any {
            return Seen::Comment;
        }
        if let Some(error) = lines.error {
            return Seen::Error(Verdict::in_band(error));
        }
        match (lines.name, &lines.data) {
            (Some("error"), data) => {
                Seen::Error(Verdict::in_band(data.as_deref().unwrap_or_default()))
            }
            (Some("ping"), _) => Seen::Comment,
            (_, None) => Seen::Data,
            (_, Some(data)) => match std::str::from_utf8(data).map(str::trim) {
                Ok("[DONE]") => self.done(sink),
                Ok("") => Seen::Data,
                Ok(text) => self.event(text, sink),
                Err(_) => Seen::Unparsed,
            },
        }
    }
}

impl Stream {
    fn done(&mut self, sink: Sink<'_>) -> Seen {
        for (choice, calls) in &mut self.calls {
            calls.finish(*choice, sink);
        }
        self.end(sink);
        // some servers end each of several choices with a mark of its own
        match self.finishes > 0 && self.finishes < self.n {
            true => Seen::Data,
            false => Seen::Last,
        }
    }

    fn end(&mut self, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.ended, true) {
            sink(Delta::Ended);
        }
    }

    fn event(&mut self, text: &str, sink: Sink<'_>) -> Seen {
        let mut event = Event::default();
        if json::walk(text, &mut event).is_err() {
            return Seen::Unparsed;
        }
        if event.is_error() {
            return Seen::Error(Verdict::in_band(text.as_bytes()));
        }
        self.start(&event, sink);
        let mut failure = None;
        for choice in &event.choices {
            failure = self.choice(choice, sink).or(failure);
        }
        if let Some(citations) = event.citations.filter(|_| !self.cited) {
            citation::addresses(citations, |json| {
                self.cited = true;
                sink(Delta::Citation {
                    choice: 0,
                    json,
                    reach: None,
                });
            });
        }
        if let Some(usage) = event.usage() {
            sink(Delta::Usage(usage));
        }
        failure.map_or(Seen::Data, Seen::Error)
    }

    /// Tells what the answer says about itself, once more if there is news.
    fn start(&mut self, event: &Event<'_>, sink: Sink<'_>) {
        let mut news = false;
        for (kept, value) in [(&mut self.id, event.id()), (&mut self.model, event.model())] {
            if let Some(value) = value.filter(|_| kept.is_none()) {
                *kept = Some(value.into_owned());
                news = true;
            }
        }
        if self.created.is_none() {
            self.created = event.created();
            news |= self.created.is_some();
        }
        if news {
            sink(Delta::Start(Start {
                id: self.id.as_deref().map(Cow::Borrowed),
                model: self.model.as_deref().map(Cow::Borrowed),
                created: self.created,
            }));
        }
    }

    /// Tells what a choice says; the failure that its finish reason admits.
    fn choice(&mut self, choice: &event::Choice<'_>, sink: Sink<'_>) -> Option<Verdict> {
        let calls = self.calls.entry(choice.index).or_default();
        Told {
            choice: choice.index,
            logprobs: choice.logprobs(),
            has_text: false,
        }
        .tell(&choice.said(), choice.text, calls, sink);
        let word = choice.finish.as_deref()?;
        let failure = failure::of_finish(word);
        if let Some(finish) = Finish::of(word).filter(|_| failure.is_none()) {
            calls.finish(choice.index, sink);
            sink(Delta::Finish {
                choice: choice.index,
                finish,
                stop_sequence: choice.stop_sequence(),
            });
            self.count(choice.index);
            if self.finishes >= self.n {
                self.end(sink);
            }
        }
        failure
    }

    fn count(&mut self, choice: u32) {
        let index = usize::try_from(choice).unwrap_or(MAX_CHOICES);
        if index < MAX_CHOICES {
            if self.finished.len() <= index {
                self.finished.resize(index + 1, false);
            }
            if let Some(slot) = self.finished.get_mut(index) {
                self.finishes += usize::from(!std::mem::replace(slot, true));
            }
        }
    }
}
