//! Judging the events of a chat or completions stream.
//!
//! The end condition is a finish reason on every one of the `n` choices, or `[DONE]`; after it
//! come usage, a second finish, more text even, and all of that is judged alike. Errors inside
//! the stream are errors however they come: `event: error`, llama.cpp's `error:` field, or a
//! top-level `error` that is not null, whatever follows.

use super::{choice::Choice, chunk::Chunk, glance};
use crate::{
    Surface, Usage, Verdict,
    dialect::{End, Finish, Judged, Kind, Tally},
    frame::Frame,
    json,
    sse::Event,
    usage,
};

/// Larger events are not parsed: one of 16 MiB would hold a worker for 28 ms, one of this size for 2 ms.
const PARSE_LIMIT: usize = 1 << 20;
/// Finish reasons of choices beyond this index are not counted.
const MAX_CHOICES: usize = 1 << 16;

/// Judges one stream, event by event.
#[derive(Debug)]
pub struct Judge {
    n: usize,
    /// By index, which choices have finished.
    finished: Vec<bool>,
    /// How many of them.
    finishes: usize,
    stopped_otherwise: bool,
    ended: bool,
    has_content: bool,
    /// A tool call has begun and no content was seen.
    open_call: bool,
    usage: Usage,
    inputs_differ: bool,
    finish: Option<Finish>,
    id: Option<String>,
    model: Option<String>,
}

impl Judge {
    /// For one streamed answer with `n` choices; the surfaces of this dialect are judged alike.
    pub fn new(_surface: Surface, n: u32) -> Self {
        Self {
            n: usize::try_from(n)
                .unwrap_or(MAX_CHOICES)
                .clamp(1, MAX_CHOICES),
            finished: Vec::new(),
            finishes: 0,
            stopped_otherwise: false,
            ended: false,
            has_content: false,
            open_call: false,
            usage: Usage::default(),
            inputs_differ: false,
            finish: None,
            id: None,
            model: None,
        }
    }

    fn event(&mut self, event: &Event) -> Judged {
        let lines = event.lines();
        if !lines.any {
            return Judged::plain(Kind::Comment);
        }
        if let Some(error) = lines.error {
            return Judged::plain(Kind::Error(Verdict::in_band(error)));
        }
        // one that was cut must be parsed to be told from a whole one; there is one in a stream
        if event.raw().len() > PARSE_LIMIT && event.is_complete() {
            return self.glance(lines.name, event.raw());
        }
        match (lines.name, &lines.data) {
            (Some("error"), data) => {
                let verdict = Verdict::in_band(data.as_deref().unwrap_or_default());
                Judged::plain(Kind::Error(verdict))
            }
            (Some("ping"), _) => Judged::plain(Kind::Comment),
            (_, None) => Judged::plain(Kind::Preamble),
            (_, Some(data)) => match std::str::from_utf8(data).map(str::trim) {
                Ok("[DONE]") => self.done(),
                Ok("") => Judged::plain(Kind::Preamble),
                Ok(text) => self.chunk(text),
                Err(_) => Judged::plain(Kind::Unparsed),
            },
        }
    }

    fn done(&mut self) -> Judged {
        let kind = if self.closes_call() {
            Kind::Content
        } else {
            Kind::Done
        };
        Judged {
            done: true,
            ends: self.end(),
            ..Judged::plain(kind)
        }
    }

    fn chunk(&mut self, text: &str) -> Judged {
        let mut chunk = Chunk::default();
        if json::walk(text, &mut chunk).is_err() {
            return Judged::plain(Kind::Unparsed);
        }
        if chunk.is_error() {
            return Judged::plain(Kind::Error(Verdict::in_band(text.as_bytes())));
        }
        remember(&mut self.id, chunk.id);
        remember(&mut self.model, chunk.model);
        let usage = chunk.usage();
        self.count(usage);

        let mut judged = Judged {
            usage,
            ..Judged::plain(Kind::Preamble)
        };
        if chunk.choices.is_empty() && usage.is_some() {
            judged.kind = Kind::UsageOnly;
        }
        for choice in &chunk.choices {
            self.choice(choice, &mut judged);
        }
        judged
    }

    fn choice(&mut self, choice: &Choice<'_>, judged: &mut Judged) {
        if let Some(verdict) = choice.failure() {
            judged.kind = Kind::Error(verdict);
        }
        let held = choice.held();
        self.open_call |= held.call;
        if held.content {
            // of several choices in one event, one that shows something decides
            let hidden = judged.kind != Kind::Content || judged.reasoning;
            judged.reasoning = hidden && !held.visible;
            self.content(judged);
        }
        if let Some(finish) = choice.finish.as_deref().and_then(Finish::of) {
            self.finish(choice.index, finish, judged);
        }
    }

    fn finish(&mut self, index: usize, finish: Finish, judged: &mut Judged) {
        self.stopped_otherwise |= !finish.is_stop();
        judged.finish = Some(finish.clone());
        self.finish = Some(finish);
        if index < MAX_CHOICES {
            if self.finished.len() <= index {
                self.finished.resize(index + 1, false);
            }
            if let Some(slot) = self.finished.get_mut(index) {
                self.finishes += usize::from(!std::mem::replace(slot, true));
            }
        }
        if self.finishes >= self.n {
            if self.closes_call() {
                judged.reasoning = false;
                self.content(judged);
            }
            judged.ends = judged.ends.or_else(|| self.end());
        }
    }

    fn content(&mut self, judged: &mut Judged) {
        self.has_content = true;
        if !matches!(judged.kind, Kind::Error(_)) {
            judged.kind = Kind::Content;
        }
    }

    /// A call that never got arguments is whole once the end is reached.
    fn closes_call(&mut self) -> bool {
        let closes = self.open_call && !self.has_content;
        self.has_content |= closes;
        closes
    }

    fn end(&mut self) -> Option<End> {
        let end = if self.stopped_otherwise {
            End::Other
        } else {
            End::Stop
        };
        (!std::mem::replace(&mut self.ended, true)).then_some(end)
    }

    /// Over the limit: content, unless its name or its first bytes say that it is an error.
    fn glance(&mut self, name: Option<&str>, raw: &[u8]) -> Judged {
        if name == Some("error") || glance::is_error(raw) {
            return Judged::plain(Kind::Error(Verdict::in_band(b"")));
        }
        self.has_content = true;
        let usage = glance::usage(raw);
        self.count(usage);
        let mut judged = Judged {
            usage,
            ..Judged::plain(Kind::Content)
        };
        if let Some(finish) = glance::finish(raw) {
            self.finish(0, finish, &mut judged);
        }
        judged
    }

    fn count(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        self.inputs_differ |=
            matches!((self.usage.input, usage.input), (Some(old), Some(new)) if old != new);
        self.usage.update(usage);
    }

    /// Whether any content was seen.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// Whether the end condition is met.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// How the stream ended so far: what `ends` said, or would say.
    pub fn end_so_far(&self) -> End {
        if self.stopped_otherwise {
            End::Other
        } else {
            End::Stop
        }
    }

    /// The token counts so far, the last of each field.
    pub fn usage(&self) -> usage::Usage {
        self.usage
    }

    /// Whether prompt tokens were reported with different values: the counts are doubtful.
    pub fn inputs_differ(&self) -> bool {
        self.inputs_differ
    }

    /// The last finish reason.
    pub fn finish_reason(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// The first id of the answer that is not empty.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The first model name that is not empty.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}

fn remember(kept: &mut Option<String>, value: Option<&str>) {
    if kept.is_none() {
        let text = value.and_then(json::text).filter(|text| !text.is_empty());
        *kept = text.map(Into::into);
    }
}

impl super::super::Judge for Judge {
    fn judge(&mut self, frame: &Frame) -> Judged {
        match frame {
            Frame::Event(event) => self.event(event),
            _ => Judged::plain(Kind::Unparsed),
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            usage: self.usage,
            finish: self.finish.clone(),
            id: self.id.clone(),
            model: self.model.clone(),
            inputs_differ: self.inputs_differ,
            ..Tally::default()
        }
    }
}
