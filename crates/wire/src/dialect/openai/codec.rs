//! Chat completions to and from the middle form.
//!
//! As a surface: questions are read strictly (a wrong type is refused with its place) and answers are
//! written as OpenAI writes them, because its SDKs put them together. As an upstream: questions are written
//! for OpenAI and for the many servers that only resemble it, and answers are read with every oddity of
//! those servers. What is content in an answer must be what the [`Judge`](super::Judge) of the relay takes
//! for content.

mod answer;
mod ask;
mod body;
mod calls;
mod chunks;
mod citation;
mod event;
mod finish;
mod form;
mod loose;
mod question;
mod reply;
mod said;
mod stream;
#[cfg(test)]
mod tests;

use crate::middle::{SurfaceCodec, UpstreamCodec};

/// The caller's side.
pub const SURFACE: SurfaceCodec = SurfaceCodec {
    request: question::read,
    answer: reply::write,
    stream: chunks::writer,
};

/// The provider's side.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: ask::write,
    answer: answer::read,
    stream: stream::reader,
};
