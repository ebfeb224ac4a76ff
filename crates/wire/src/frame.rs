//! The frames of a streamed answer, in whatever framing its dialect has.
//!
//! Server-sent events, lines of JSON, elements of a JSON array and AWS event-stream messages are cut
//! here by one [`Splitter`], so that whoever reads, judges and relays need not know which it is. What must
//! hold for each of them: the same frames however the bytes were cut, each as soon as its last byte is
//! there; no byte lost; at most one frame and its limit held.

use std::borrow::Cow;

use bytes::Bytes;

pub use crate::intake::TooLarge;
use crate::{
    array,
    eventstream::{self, Chunk},
    intake::Intake,
    lines, sse,
};

#[cfg(test)]
pub(crate) mod tests;

/// How frames follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    Lines,
    /// Messages of AWS.
    EventStream,
    /// The same, each with a server-sent event inside.
    Chunks,
    /// The elements of a JSON array.
    Array,
}

impl Framing {
    /// How frames follow one another when they go on to a caller: an event that came in a chunk stands alone.
    pub const fn written(self) -> Self {
        match self {
            Self::Chunks => Self::Sse,
            framing => framing,
        }
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// A server-sent event, or comments.
    Event(sse::Event),
    /// A line.
    Line(lines::Line),
    /// A message.
    Message(eventstream::Message),
    /// An element of an array.
    Element(array::Element),
    /// An event inside a message, or a message; [`opened`](Frame::opened) tells.
    Chunk(Chunk),
}

impl Frame {
    /// What there is to read. Takes as long as the frame is long where it is one inside another
    /// ([`Framing::Chunks`]), and no time elsewhere; `None` if there is nothing in it.
    pub fn opened(self) -> Option<Self> {
        match self {
            Self::Chunk(chunk) => chunk.open(),
            frame => Some(frame),
        }
    }

    /// The bytes as they came.
    pub fn raw(&self) -> &Bytes {
        match self {
            Self::Event(event) => event.raw(),
            Self::Line(line) => line.raw(),
            Self::Message(message) | Self::Chunk(Chunk(message)) => message.raw(),
            Self::Element(element) => element.raw(),
        }
    }

    /// As [`raw`](Self::raw), given away.
    pub fn into_raw(self) -> Bytes {
        match self {
            Self::Event(event) => event.into_raw(),
            Self::Line(line) => line.into_raw(),
            Self::Message(message) | Self::Chunk(Chunk(message)) => message.into_raw(),
            Self::Element(element) => element.into_raw(),
        }
    }

    /// False if the stream ended before the frame did.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Event(event) => event.is_complete(),
            Self::Line(line) => line.is_complete(),
            Self::Message(message) | Self::Chunk(Chunk(message)) => message.is_complete(),
            Self::Element(element) => element.is_complete(),
        }
    }

    /// What must follow the raw bytes so that something else can be written after them.
    pub fn closing(&self) -> &'static [u8] {
        match self {
            Self::Event(event) => event.closing(),
            Self::Line(line) => line.closing(),
            // nothing can end one that was cut
            Self::Message(_) | Self::Chunk(_) => b"",
            // what comes next would need a comma, or none: an array is never relayed as it is
            Self::Element(_) => b"",
        }
    }

    /// The name of an event; of a message, that of its event, exception or error.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Event(event) => event.name(),
            Self::Line(_) | Self::Element(_) | Self::Chunk(_) => None,
            Self::Message(message) => message.name(),
        }
    }

    /// The payload; `None` if there is none, or if it is not opened.
    pub fn data(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Event(event) => event.data(),
            Self::Line(line) => line.data().map(Cow::Borrowed),
            Self::Message(message) => message.data(),
            Self::Element(element) => element.data().map(Cow::Borrowed),
            Self::Chunk(_) => None,
        }
    }

    /// Whether there is nothing but comments and blank lines.
    pub fn is_comment_only(&self) -> bool {
        match self {
            Self::Event(event) => event.is_comment_only(),
            Self::Line(line) => line.data().is_none(),
            Self::Message(_) | Self::Chunk(_) => false,
            Self::Element(element) => element.data().is_none(),
        }
    }
}

/// Cuts a byte stream into [`Frame`]s.
#[derive(Debug)]
pub struct Splitter {
    intake: Intake,
    rule: Rule,
}

/// How frames are found.
#[derive(Debug)]
enum Rule {
    Sse(sse::Rule),
    Lines(lines::Rule),
    EventStream(eventstream::Rule),
    Chunks(eventstream::Rule),
    Array(array::Rule),
}

impl Splitter {
    /// A splitter for one stream that refuses frames over `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Self {
        Self {
            intake: Intake::new(limit),
            rule: match framing {
                Framing::Sse => Rule::Sse(sse::Rule::default()),
                Framing::Lines => Rule::Lines(lines::Rule),
                Framing::EventStream => Rule::EventStream(eventstream::Rule::default()),
                Framing::Chunks => Rule::Chunks(eventstream::Rule::default()),
                Framing::Array => Rule::Array(array::Rule::default()),
            },
        }
    }

    /// Takes the next bytes of the stream. Ask [`next`](Self::next) until it is `None` before
    /// pushing more, or the chunks pile up here.
    pub fn push(&mut self, chunk: Bytes) {
        self.intake.push(chunk);
    }

    /// The next complete frame; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`TooLarge`], once.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: None means not yet"
    )]
    pub fn next(&mut self) -> Option<Result<Frame, TooLarge>> {
        let intake = &mut self.intake;
        match &mut self.rule {
            Rule::Sse(rule) => rule.next(intake).map(|next| next.map(Frame::Event)),
            Rule::Lines(rule) => rule.next(intake).map(|next| next.map(Frame::Line)),
            Rule::EventStream(rule) => rule.next(intake).map(|next| next.map(Frame::Message)),
            Rule::Chunks(rule) => rule
                .next(intake)
                .map(|next| next.map(Chunk).map(Frame::Chunk)),
            Rule::Array(rule) => rule.next(intake).map(|next| next.map(Frame::Element)),
        }
    }

    /// At the end of the stream: what is left, which may be cut short.
    pub fn finish(&mut self) -> Option<Frame> {
        if let Some(Ok(frame)) = self.next() {
            return Some(frame);
        }
        let raw = self.intake.rest()?;
        Some(match &mut self.rule {
            Rule::Sse(rule) => Frame::Event(rule.last(raw)),
            Rule::Lines(rule) => Frame::Line(rule.last(raw)),
            Rule::EventStream(rule) => Frame::Message(rule.last(raw)),
            Rule::Chunks(rule) => Frame::Chunk(Chunk(rule.last(raw))),
            Rule::Array(rule) => Frame::Element(rule.last(raw)),
        })
    }

    /// Bytes of the frame that is not complete yet.
    pub fn held(&self) -> usize {
        self.intake.held()
    }
}
