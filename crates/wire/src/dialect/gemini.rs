//! Google's Gemini API, also on Vertex AI.
//!
//! `generateContent` and `streamGenerateContent`, and for embeddings `batchEmbedContents` or, on Vertex AI,
//! `predict` and `embedContent`. The model is named in the path and not in the body. Of a conversation both services say the same
//! in the same words, apart from arguments of calls that come in pieces and times of creation, which only
//! Vertex AI has.
//!
//! Its ways: a message is an object of parts whose kind is told by which member is there; a call needs no id
//! and its arguments are an object; a result names the tool and not the call; `STOP` is also the end of an
//! answer that calls tools; a refused prompt is an answer without candidates. Signatures of thoughts must
//! come back with the calls they came with.

mod answer;
mod call;
mod embed;
mod finish;
mod grounding;
mod input;
mod logprobs;
mod part;
mod path;
mod predict;
mod request;
mod stream;
#[cfg(test)]
mod tests;

pub use embed::{
    answer as embed_answer, request as embed_request, request_single as embed_single_request,
};
pub use predict::{answer as predict_answer, request as predict_request};

use crate::middle::UpstreamCodec;

/// The codec.
pub const UPSTREAM: UpstreamCodec = UpstreamCodec {
    request: request::write,
    answer: answer::read,
    stream: |choices| Box::new(stream::Stream::new(choices)),
};
