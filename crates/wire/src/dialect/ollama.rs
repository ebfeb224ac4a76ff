//! Ollama's own API: `/api/chat`, and for two more surfaces `/api/generate` and `/api/embed`.
//!
//! It is streamed as lines of JSON unless a request says no, so every request says. What a line or a whole
//! answer says is the same: text, thoughts, calls, and with `done` the reason, the counts and the times.
//! Calls come whole and have ids only in newer versions; their arguments are objects. Parameters that are not
//! the same for every model stand in `options`.

mod answer;
mod completions;
mod embed;
mod generate;
mod request;
mod settings;
mod stream;
#[cfg(test)]
mod tests;

pub use completions::stream as completions_stream;
pub use embed::{answer as embed_answer, request as embed_request};
pub use generate::{answer as generate_answer, request as generate_request};

use crate::middle::{Decode, UpstreamCodec};

/// The codec of `/api/chat`.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: request::write,
    answer: answer::read,
    stream: |_| Box::new(stream::Stream::default()),
};

/// Reads a stream of `/api/generate`, which has one choice whatever was asked for.
pub fn generate_stream(_choices: u32) -> Box<dyn Decode> {
    Box::new(stream::Stream::default())
}
