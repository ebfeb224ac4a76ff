//! What a dialect must be able to do: to be spoken with, and to be heard.
//!
//! [`UpstreamCodec`] is the side of a provider: questions are written in its words and its answers read.
//! [`SurfaceCodec`] is the side of a caller: its questions are read and answers written in its words. A
//! dialect that is both (chat, messages, responses) has one of each.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::{Answer, Delta, Lost, Request};
use crate::{BadBody, Verdict, frame::Frame};

/// The provider's side of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct UpstreamCodec {
    /// Writes a question, and names in [`Lost`] what the dialect has no place for.
    pub request: fn(&Request, &Options<'_>, &mut Lost) -> Bytes,
    /// Reads a whole answer.
    ///
    /// # Errors
    /// The in-band verdict for an error object in a 200; [`Class::Malformed`](crate::Class) for what is no
    /// answer.
    pub answer: fn(&[u8]) -> Result<Answer, Verdict>,
    /// A reader of a stream with so many choices.
    pub stream: fn(u32) -> Box<dyn Decode>,
}

/// The caller's side of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceCodec {
    /// Reads a question.
    ///
    /// # Errors
    /// What makes it unreadable, with its place; never a value.
    pub request: fn(&Bytes) -> Result<Request, BadBody>,
    /// Writes a whole answer, and names in [`Lost`] what the dialect has no place for.
    pub answer: fn(&Answer, &Asked, &mut Lost) -> Bytes,
    /// A writer of a stream.
    pub stream: fn(&Asked) -> Box<dyn Encode>,
}

/// What a target says about the questions it is sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The model's name there.
    pub model: &'a str,
    /// `options.num_ctx` of Ollama.
    pub num_ctx: Option<u32>,
    /// Whether `stream_options` is understood.
    pub stream_options: bool,
    /// Whether content that is all text must be one string.
    pub plain_content: bool,
}

/// What an answer is written from beside itself: what the caller asked for, as far as its form depends on it, and
/// what the head of the upstream's answer tells in place of its body.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The model in the caller's words: what an answer names if the upstream named none.
    pub model: Arc<str>,
    /// Made up by the gateway, plain letters and digits: the id of an answer whose upstream gave none.
    pub id: Arc<str>,
    /// Unix seconds now, for an answer that does not say when it was made.
    pub now: u64,
    /// Whether a stream should tell its token counts in a chunk of its own (chat completions).
    pub include_usage: bool,
    /// Whether vectors are to be base64 of little-endian 32-bit floats (`encoding_format` of embeddings).
    pub base64: bool,
    /// Tokens of the question by the header that [`Api::counted_in`](crate::Api::counted_in) names.
    pub counted: Option<u64>,
}

/// What a frame was beside the steps it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A comment or a ping: no data.
    Comment,
    /// Data.
    Data,
    /// Data that cannot be read.
    Unparsed,
    /// The last frame of its dialect (`[DONE]`, `message_stop`, `done:true`, `response.completed`): once
    /// [`Delta::Ended`] was told, the answer can be closed without waiting for the end of the connection.
    Last,
    /// The upstream says that it failed.
    Error(Verdict),
}

/// Reads the stream of one answer.
pub trait Decode: Send {
    /// Reads one frame and tells its steps in order. A step that is no content (an empty text) is not
    /// told.
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen;
    /// The body has ended where it should, and no frame comes any more: tells what only this shows.
    fn over(&mut self, _sink: &mut dyn FnMut(Delta<'_>)) {}
}

/// Writes the stream of one answer.
pub trait Encode: Send {
    /// Writes one step; perhaps nothing yet.
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut);
    /// Writes what ends a complete answer. Called once, when nothing more comes.
    fn close(&mut self, out: &mut BytesMut);
    /// What the dialect had no place for so far.
    fn lost(&self) -> &Lost;
    /// Bytes that are kept because they are written once more, about: what [`close`](Self::close) or a step
    /// before it may take long for.
    fn kept(&self) -> usize {
        0
    }
    /// Why the answer cannot be written on: it would not fit where it must be kept. From then on nothing is
    /// written, and the answer must not pass for a complete one. Asked after each frame.
    fn failure(&self) -> Option<Verdict> {
        None
    }
}
