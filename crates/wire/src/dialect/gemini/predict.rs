//! Embeddings on Vertex AI: OpenAI's question as `predict` of a publisher's model, and its answer as OpenAI's.
//!
//! Vertex AI has no `batchEmbedContents`; its text models are asked by the same method as any model there
//! (<https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api>). Tokens are
//! counted for each text.

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
struct Predict<'a> {
    instances: Vec<Instance<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Parameters>,
}

#[derive(Serialize)]
struct Instance<'a> {
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_type: Option<&'a Json>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    output_dimensionality: Json,
}

/// Writes the caller's question. `task_type` is taken from it too.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn request(body: &[u8], lost: &mut Lost) -> Result<Bytes, BadBody> {
    let (question, [task_type]) = Question::read_with(body, ["task_type"], lost)?;
    let instance = |content| Instance {
        content,
        task_type: task_type.as_ref(),
    };
    let texts = question.inputs.iter().map(String::as_str);
    let predict = Predict {
        instances: texts.map(instance).collect(),
        parameters: question.dimensions.map(|output_dimensionality| Parameters {
            output_dimensionality,
        }),
    };
    Ok(serde_json::to_vec(&predict).unwrap_or_default().into())
}

/// Reads an answer and writes it for the caller.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`](crate::Class) for what has no vectors.
pub fn answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let text = embeddings::body(body)?;
    let (mut vectors, mut tokens) = (Vec::new(), None::<u64>);
    let predictions = json::member(text, "predictions").unwrap_or("[]");
    json::elements(predictions, |prediction| {
        let said = json::member(prediction, "embeddings").unwrap_or("{}");
        let [values, statistics] =
            json::members(said, &["values", "statistics"]).unwrap_or_default();
        vectors.push(values.unwrap_or_default());
        let count = statistics.and_then(|s| json::member(s, "token_count"));
        if let Some(count) = count.and_then(json::count) {
            tokens = Some(tokens.unwrap_or(0).saturating_add(count));
        }
    });
    let usage = tokens.map(embeddings::counted);
    embeddings::answer(&vectors, None, usage, asked)
}
