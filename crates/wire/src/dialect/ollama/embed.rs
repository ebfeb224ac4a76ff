//! Embeddings: OpenAI's question for `/api/embed`, and its answer as OpenAI's.

use bytes::Bytes;
use serde::Serialize;

use super::stream::durations;
use crate::{
    BadBody, Usage, Verdict,
    dialect::{
        AnswerSummary,
        embeddings::{self, Question},
    },
    json,
    middle::{Asked, Json, Lost},
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<Json>,
}

/// Writes the caller's question for `model`.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn request(body: &[u8], model: &str, lost: &mut Lost) -> Result<Bytes, BadBody> {
    let question = Question::read(body, lost)?;
    let body = Body {
        model,
        input: question.inputs,
        dimensions: question.dimensions,
    };
    Ok(serde_json::to_vec(&body).unwrap_or_default().into())
}

/// Reads an answer and writes it for the caller.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`](crate::Class) for what has no vectors.
pub fn answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let text = embeddings::body(body)?;
    let names = ["model", "embeddings", "prompt_eval_count"];
    let [model, found, count] = json::members(text, &names).unwrap_or_default();
    let mut vectors = Vec::new();
    json::elements(found.unwrap_or("[]"), |vector| vectors.push(vector));
    let model = model.and_then(json::text).filter(|model| !model.is_empty());
    let usage = count.and_then(json::count).map(|count| Usage {
        input: Some(count),
        ..Usage::default()
    });
    let (bytes, mut summary) = embeddings::answer(&vectors, model.map(Into::into), usage, asked)?;
    summary.durations = durations(text);
    Ok((bytes, summary))
}
