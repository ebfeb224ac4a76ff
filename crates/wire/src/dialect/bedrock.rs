//! The Converse API of Amazon Bedrock: one form for the models of many makers.
//!
//! The shapes are those of the service model of `bedrock-runtime` (2023-09-30) as botocore 1.44 has it.
//! The model stands in the path, and so does whether a stream is asked for, so neither is in the body.
//! Streams are AWS event-stream messages; a failure inside one is a message of its own kind.
//! What only the models of one maker understand goes into `additionalModelRequestFields`, and by the
//! model's name only to them: an unknown field there is a 400.

use crate::middle::{Decode, UpstreamCodec};

mod answer;
mod block;
mod claude;
mod exception;
mod invoke;
mod media;
mod request;
mod settings;
mod stream;
#[cfg(test)]
mod tests;
mod tools;
mod turns;
mod words;

/// Speaks to Converse and ConverseStream.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: request::write,
    answer: answer::read,
    stream: |_| Box::new(stream::Stream::default()),
};

/// A reader of `invoke-with-response-stream` with an Anthropic model: events of the Messages API in
/// event-stream messages.
pub fn invoke_stream(choices: u32) -> Box<dyn Decode> {
    Box::new(invoke::Invoke::new(choices))
}
