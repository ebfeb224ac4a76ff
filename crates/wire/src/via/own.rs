//! A whole answer as a stream of the API that gave it, for whoever speaks that API and asked for a stream.
//!
//! Responses and messages are events that only their writers know; everyone else's stream is made of pieces of
//! the answer as they are, so every number stays as it was spelled. What must hold: the API's own reader of
//! streams finds in it what its reader of answers finds in the whole.

use bytes::Bytes;

use super::{Said, converse};
use crate::{
    Api, Surface, Verdict,
    dialect::{anthropic, bedrock, openai, responses},
    middle::{SurfaceCodec, UpstreamCodec},
};

/// Reader and writer of an API whose streams are written step by step.
pub(super) const fn codecs(api: Api) -> Option<(&'static SurfaceCodec, &'static UpstreamCodec)> {
    Some(match api {
        Api::Responses => (&responses::SURFACE, &responses::UPSTREAM),
        Api::Messages | Api::VertexMessages => (&anthropic::SURFACE, &anthropic::UPSTREAM),
        Api::InvokeMessages => (&anthropic::SURFACE, &bedrock::INVOKE),
        _ => return None,
    })
}

/// The stream of every other API.
///
/// # Errors
/// As [`Via::as_stream`](super::Via::as_stream).
pub(super) fn stream(surface: Surface, api: Api, body: &Bytes) -> Result<Said, Verdict> {
    let summary = api.answer(surface, body)?;
    let bytes = match api {
        // an event of it is a whole answer, and so is its last line
        Api::Gemini => line("data: ", body, "\n\n"),
        Api::Ollama | Api::OllamaGenerate => line("", body, "\n"),
        Api::Converse => converse::messages(body)?,
        _ => openai::to_stream(surface, body)?,
    };
    Ok((bytes, summary))
}

/// JSON in one line: line ends stand only between its tokens, where blanks do as well.
fn line(before: &str, json: &[u8], after: &str) -> Bytes {
    let blank = |byte: &u8| match byte {
        b'\n' | b'\r' => b' ',
        byte => *byte,
    };
    let json = json.iter().map(blank);
    before.bytes().chain(json).chain(after.bytes()).collect()
}
