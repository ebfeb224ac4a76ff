//! Amazon Bedrock: the Converse API, one form for the models of many makers, and InvokeModel, where each model
//! is asked in its maker's own words.
//!
//! The shapes are those of the service model of `bedrock-runtime` (2023-09-30) as botocore 1.44 has it.
//! The model stands in the path, and so does whether a stream is asked for, so neither is in the body.
//! Streams are AWS event-stream messages; a failure inside one is a message of its own kind.
//! What only the models of one maker understand goes into `additionalModelRequestFields`, and by the
//! model's name only to them: an unknown field there is a 400.

use super::{Judge, anthropic};
use crate::middle::UpstreamCodec;

mod answer;
mod block;
mod citation;
mod claude;
mod embed;
mod exception;
mod family;
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

pub use embed::{cohere_answer, cohere_request, titan_answer, titan_request};
pub use family::Family;

/// Speaks to Converse and ConverseStream.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: request::write,
    answer: answer::read,
    stream: |_| Box::new(stream::Stream::default()),
};

/// Speaks to InvokeModel and InvokeModelWithResponseStream with an Anthropic model, but for what
/// [`hosted`](crate::hosted) does to a body.
pub const INVOKE: UpstreamCodec = UpstreamCodec {
    request: anthropic::invoked,
    answer: invoke::read,
    stream: invoke::begin,
};

/// Judges a stream of [`INVOKE`] whose events are relayed as they come.
pub fn invoke_judge(choices: u32) -> Box<dyn Judge> {
    anthropic::judge_by(invoke::begin(choices))
}
