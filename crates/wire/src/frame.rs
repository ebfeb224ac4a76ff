//! The frames of a streamed answer, in whatever framing its dialect has.
//!
//! Server-sent events, lines of JSON, elements of a JSON array and AWS event-stream messages are cut
//! here by one [`Splitter`], so that whoever reads, judges and relays need not know which it is. Each
//! keeps the promises of [`sse`]: independent of how the bytes were cut, bounded, and no byte lost.

use std::borrow::Cow;

use bytes::Bytes;

pub use crate::sse::TooLarge;
use crate::{array, eventstream, lines, sse};

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
    /// The elements of a JSON array.
    Array,
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
}

impl Frame {
    /// The bytes as they came.
    pub fn raw(&self) -> &Bytes {
        match self {
            Self::Event(event) => event.raw(),
            Self::Line(line) => line.raw(),
            Self::Message(message) => message.raw(),
            Self::Element(element) => element.raw(),
        }
    }

    /// As [`raw`](Self::raw), given away.
    pub fn into_raw(self) -> Bytes {
        match self {
            Self::Event(event) => event.into_raw(),
            Self::Line(line) => line.into_raw(),
            Self::Message(message) => message.into_raw(),
            Self::Element(element) => element.into_raw(),
        }
    }

    /// False if the stream ended before the frame did.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Event(event) => event.is_complete(),
            Self::Line(line) => line.is_complete(),
            Self::Message(message) => message.is_complete(),
            Self::Element(element) => element.is_complete(),
        }
    }

    /// What must follow the raw bytes so that something else can be written after them.
    pub fn closing(&self) -> &'static [u8] {
        match self {
            Self::Event(event) => event.closing(),
            Self::Line(line) => line.closing(),
            // nothing can end one that was cut
            Self::Message(_) => b"",
            // what comes next would need a comma, or none: an array is never relayed as it is
            Self::Element(_) => b"",
        }
    }

    /// The name of an event; of a message, that of its event, exception or error.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Event(event) => event.name(),
            Self::Line(_) | Self::Element(_) => None,
            Self::Message(message) => message.name(),
        }
    }

    /// The payload; `None` if there is none.
    pub fn data(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Event(event) => event.data(),
            Self::Line(line) => line.data().map(Cow::Borrowed),
            Self::Message(message) => message.data(),
            Self::Element(element) => element.data().map(Cow::Borrowed),
        }
    }

    /// Whether there is nothing but comments and blank lines.
    pub fn is_comment_only(&self) -> bool {
        match self {
            Self::Event(event) => event.is_comment_only(),
            Self::Line(line) => line.data().is_none(),
            Self::Message(_) => false,
            Self::Element(element) => element.data().is_none(),
        }
    }
}

/// Cuts a byte stream into [`Frame`]s.
#[derive(Debug)]
pub enum Splitter {
    /// Server-sent events.
    Sse(sse::Splitter),
    /// Lines.
    Lines(lines::Splitter),
    /// Messages.
    EventStream(eventstream::Splitter),
    /// Elements of an array.
    Array(array::Splitter),
}

impl Splitter {
    /// A splitter for one stream that refuses frames over `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Self {
        match framing {
            Framing::Sse => Self::Sse(sse::Splitter::new(limit)),
            Framing::Lines => Self::Lines(lines::Splitter::new(limit)),
            Framing::EventStream => Self::EventStream(eventstream::Splitter::new(limit)),
            Framing::Array => Self::Array(array::Splitter::new(limit)),
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: Bytes) {
        match self {
            Self::Sse(splitter) => splitter.push(chunk),
            Self::Lines(splitter) => splitter.push(chunk),
            Self::EventStream(splitter) => splitter.push(chunk),
            Self::Array(splitter) => splitter.push(chunk),
        }
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
        match self {
            Self::Sse(splitter) => splitter.next().map(|next| next.map(Frame::Event)),
            Self::Lines(splitter) => splitter.next().map(|next| next.map(Frame::Line)),
            Self::EventStream(splitter) => splitter.next().map(|next| next.map(Frame::Message)),
            Self::Array(splitter) => splitter.next().map(|next| next.map(Frame::Element)),
        }
    }

    /// At the end of the stream: what is left, which may be cut short.
    pub fn finish(&mut self) -> Option<Frame> {
        match self {
            Self::Sse(splitter) => splitter.finish().map(Frame::Event),
            Self::Lines(splitter) => splitter.finish().map(Frame::Line),
            Self::EventStream(splitter) => splitter.finish().map(Frame::Message),
            Self::Array(splitter) => splitter.finish().map(Frame::Element),
        }
    }

    /// Bytes of the frame that is not complete yet.
    pub fn held(&self) -> usize {
        match self {
            Self::Sse(splitter) => splitter.held(),
            Self::Lines(splitter) => splitter.held(),
            Self::EventStream(splitter) => splitter.held(),
            Self::Array(splitter) => splitter.held(),
        }
    }
}
