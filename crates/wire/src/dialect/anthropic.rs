//! Anthropic's Messages API, as a caller speaks it and as a provider does.
//!
//! An answer is a list of typed blocks; a stream opens each, fills it and closes it before the next,
//! and ends with `message_stop`. Blocks that only this API has (its own tools and their results, compacted
//! history) go through whole, as [`Part::Other`](crate::middle::Part::Other). Token counts leave out what was
//! read from or written to the cache; it is added where they are read and taken off where they are written.
//! The forms are those of Anthropic's reference (<https://platform.claude.com/docs/en/api/messages>).

mod answer;
mod blocks;
mod error;
mod events;
mod judge;
mod model;
mod question;
mod reply;
mod request;
mod stream;
#[cfg(test)]
mod tests;
mod usage;
mod words;

pub use answer::{judge_answer, judge_count};
pub use error::{PING, error, error_event, is_envelope};

use bytes::Bytes;

use super::Judge;
use crate::{
    hosted::Host,
    middle::{Decode, Derived, Lost, Options, Request, SurfaceCodec, UpstreamCodec},
};

/// The caller's side.
pub const SURFACE: SurfaceCodec = SurfaceCodec {
    request: request::read,
    answer: reply::write,
    stream: events::begin,
};

/// The provider's side.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: |request, options, lost| question::write(request, options, None, lost),
    answer: answer::read,
    stream: stream::begin,
};

/// The same on Vertex AI, but for what [`hosted`](crate::hosted) does to a body.
pub const VERTEX: UpstreamCodec = UpstreamCodec {
    request: |request, options, lost| question::write(request, options, Some(Host::Vertex), lost),
    ..UPSTREAM
};

/// A question to InvokeModel, likewise.
pub(super) fn invoked(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    question::write(request, options, Some(Host::Bedrock), lost)
}

/// Judges a stream that is relayed as it comes. There is never more than one choice.
pub fn judge(choices: u32) -> Box<dyn Judge> {
    judge_by((UPSTREAM.stream)(choices))
}

/// The same by another reader of these events.
pub(super) fn judge_by(decode: Box<dyn Decode>) -> Box<dyn Judge> {
    Box::new(judge::Written::new(Derived::new(decode)))
}
