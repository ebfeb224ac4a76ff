//! OpenAI's Responses API (<https://platform.openai.com/docs/api-reference/responses>), also spoken by
//! Azure, xAI, OpenRouter, vLLM and Ollama.
//!
//! An answer is a list of items (messages, calls, thoughts, what hosted tools did) that are streamed with
//! typed, numbered events. What must hold:
//! - **The end is `response.completed`, `response.incomplete` or `response.failed`**, nothing else; some
//!   send `[DONE]` afterwards.
//! - **Whole values repeat the deltas.** Each text, input and thought is told once, from the deltas or, where
//!   a server sends none, from the event that closes it.
//! - **Thoughts go back only to their maker.** Encrypted content is passed on, never made up;
//!   another provider's is marked as such.

mod annotation;
mod answer;
mod error;
mod item;
mod judge;
mod kinds;
mod number;
mod question;
mod reply;
mod request;
mod sealed;
mod stream;
#[cfg(test)]
mod tests;
mod usage;

pub use error::error_event;
pub use number::last_number;

use crate::{
    Verdict,
    dialect::{AnswerSummary, Judge},
    middle::{Derived, SurfaceCodec, UpstreamCodec, summary},
};

/// Callers that speak this API.
pub const SURFACE: SurfaceCodec = SurfaceCodec {
    request: request::read,
    answer: reply::whole,
    stream: reply::stream,
};

/// Providers that speak this API.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: question::write,
    answer: answer::read,
    stream: stream::reader,
};

/// A judge of one stream. The API has one choice; `choices` is not used.
pub fn judge(choices: u32) -> Box<dyn Judge> {
    let derived = Derived::new((UPSTREAM.stream)(choices));
    Box::new(judge::Typed::new(derived))
}

/// A judge of a stored response that is asked for as a stream: everything is content, and the end is whatever
/// became of it, failed ones included.
pub fn stored_judge() -> Box<dyn Judge> {
    let derived = Derived::new((UPSTREAM.stream)(1));
    Box::new(judge::Stored::new(derived))
}

/// Judges a whole answer that came with status 200.
///
/// # Errors
/// The in-band verdict of a failed response or an error object; [`Class::Malformed`](crate::Class) for what
/// is no response.
pub fn judge_answer(body: &[u8]) -> Result<AnswerSummary, Verdict> {
    answer::read(body).map(|answer| summary(&answer))
}
