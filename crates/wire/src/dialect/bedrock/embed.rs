//! Embeddings by InvokeModel: OpenAI's question in the words of Amazon's Titan and of Cohere, and their
//! answers as OpenAI's.
//!
//! A call has room for one text (Titan) or 96 (Cohere). More than that is refused and never made several
//! calls: what one call costs, how long it takes and how it fails must stay one thing. The forms are those of
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html> and
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html>.

use bytes::Bytes;
use serde::Serialize;

use super::exception;
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
#[serde(rename_all = "camelCase")]
struct Titan<'a> {
    input_text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalize: Option<Json>,
}

/// Writes the caller's question for a Titan model. `normalize` is taken from it too; it and `dimensions` only
/// version 2 knows.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn titan_request(body: &[u8], model: &str, lost: &mut Lost) -> Result<Bytes, BadBody> {
    let (question, [normalize]) = Question::read_with(body, ["normalize"], lost)?;
    question.fits(1, lost);
    let configurable = model.contains("titan-embed-text-v2");
    let mut only_v2 = |name, value: Option<Json>| {
        if value.is_some() && !configurable {
            lost.parameter(name);
        }
        value.filter(|_| configurable)
    };
    let body = Titan {
        input_text: question.inputs.first().map_or("", String::as_str),
        dimensions: only_v2("dimensions", question.dimensions),
        normalize: only_v2("normalize", normalize),
    };
    Ok(serde_json::to_vec(&body).unwrap_or_default().into())
}

#[derive(Serialize)]
struct Cohere<'a> {
    texts: &'a [String],
    input_type: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimension: Option<Json>,
}

/// The most texts of a call.
const TEXTS: usize = 96;

/// Writes the caller's question for a Cohere model. `input_type`, which the model must be told, and `truncate`
/// are taken from it too; without the first the texts are documents to be searched for. `dimensions` only the
/// models of version 3 do not know.
///
/// # Errors
/// `input` is missing, empty, or holds something other than text.
pub fn cohere_request(body: &[u8], model: &str, lost: &mut Lost) -> Result<Bytes, BadBody> {
    let names = ["input_type", "truncate"];
    let (question, [input_type, truncate]) = Question::read_with(body, names, lost)?;
    question.fits(TEXTS, lost);
    let fixed = model.ends_with("-v3");
    if fixed && question.dimensions.is_some() {
        lost.parameter("dimensions");
    }
    let body = Cohere {
        texts: &question.inputs,
        input_type: input_type.unwrap_or_else(|| Json::of(&"search_document")),
        truncate,
        output_dimension: question.dimensions.filter(|_| !fixed),
    };
    Ok(serde_json::to_vec(&body).unwrap_or_default().into())
}

/// Reads an answer of Titan and writes it for the caller.
///
/// # Errors
/// The in-band verdict for an error; [`Class::Malformed`](crate::Class) for what has no vector.
pub fn titan_answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let text = whole(body)?;
    let names = ["embedding", "inputTextTokenCount"];
    let [vector, count] = json::members(text, &names).unwrap_or_default();
    let usage = usage(count.and_then(json::count), asked);
    let vectors: Vec<&str> = vector.into_iter().collect();
    embeddings::answer(&vectors, None, usage, asked)
}

/// Reads an answer of Cohere, whose vectors stand by themselves or by their type, and writes it for the
/// caller. How many tokens there were only the head tells.
///
/// # Errors
/// The in-band verdict for an error; [`Class::Malformed`](crate::Class) for what has no vectors.
pub fn cohere_answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let found = json::member(whole(body)?, "embeddings").unwrap_or("[]");
    let list = match json::is_object(found) {
        true => json::member(found, "float").unwrap_or("[]"),
        false => found,
    };
    let mut vectors = Vec::new();
    json::elements(list, |vector| vectors.push(vector));
    embeddings::answer(&vectors, None, usage(None, asked), asked)
}

/// By the body, or by the head.
fn usage(said: Option<u64>, asked: &Asked) -> Option<Usage> {
    said.or(asked.counted).map(embeddings::counted)
}

fn whole(body: &[u8]) -> Result<&str, Verdict> {
    let text = embeddings::body(body)?;
    exception::of_answer(text).map_or(Ok(text), Err)
}
