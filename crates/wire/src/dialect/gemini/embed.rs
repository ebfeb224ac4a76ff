//! Embeddings: OpenAI's question as `batchEmbedContents`, and its answer as OpenAI's.
//!
//! On Vertex AI newer models are asked by `embedContent`
//! (<https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini-embedding>), which takes one
//! text and has no batch; what it answers has the same members.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    BadBody, Verdict,
    dialect::{
        AnswerSummary,
        embeddings::{self, Question},
    },
    json,
    middle::{Asked, Json, Lost},
};

#[derive(Serialize)]
struct Batch<'a> {
    requests: Vec<Request<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    model: &'a str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<&'a Json>,
}

/// One text on Vertex AI.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Single<'a> {
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<&'a Json>,
}

#[derive(Serialize)]
struct Content<'a> {
    parts: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

/// Writes the caller's question for `model`.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn request(body: &[u8], model: &str, lost: &mut Lost) -> Result<Bytes, BadBody> {
    let question = Question::read(body, lost)?;
    // a name of the form `models/…` is the only one that is taken in a body
    let model = match model.starts_with("models/") {
        true => model.to_owned(),
        false => format!("models/{model}"),
    };
    let requests = question.inputs.iter().map(|text| Request {
        model: &model,
        content: Content {
            parts: [Text { text }],
        },
        output_dimensionality: question.dimensions.as_ref(),
    });
    let batch = Batch {
        requests: requests.collect(),
    };
    Ok(serde_json::to_vec(&batch).unwrap_or_default().into())
}

/// Writes the caller's question for a model of Vertex AI that is asked by `embedContent`. What a text is for,
/// such a model is told in the text, so no `task_type` is taken.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn request_single(body: &[u8], lost: &mut Lost) -> Result<Bytes, BadBody> {
    let question = Question::read(body, lost)?;
    question.fits(1, lost);
    let text = question.inputs.first().map_or("", String::as_str);
    let single = Single {
        content: Content {
            parts: [Text { text }],
        },
        output_dimensionality: question.dimensions.as_ref(),
    };
    Ok(serde_json::to_vec(&single).unwrap_or_default().into())
}

/// Reads an answer, also that of `embedContent`, and writes it for the caller.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`](crate::Class) for what has no vectors.
pub fn answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let text = embeddings::body(body)?;
    let names = ["embeddings", "embedding", "usageMetadata"];
    let [several, one, usage] = json::members(text, &names).unwrap_or_default();
    let mut vectors = Vec::new();
    let mut take = |embedding| vectors.push(json::member(embedding, "values").unwrap_or_default());
    match several {
        Some(several) => {
            json::elements(several, take);
        }
        None => one.into_iter().for_each(&mut take),
    }
    let usage = usage.and_then(|usage| {
        let [prompt, total] = json::members(usage, &["promptTokenCount", "totalTokenCount"])?;
        let count = prompt.or(total).and_then(json::count)?;
        Some(embeddings::counted(count))
    });
    embeddings::answer(&vectors, None, usage, asked)
}
