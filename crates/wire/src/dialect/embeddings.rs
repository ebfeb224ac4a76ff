//! Embeddings as callers ask for them and expect them: OpenAI's question, read, and its answer, written.
//!
//! For dialects that have embeddings in words of their own. Numbers of a vector keep their spelling, unless
//! base64 is asked for, as official SDKs do unless told otherwise; the Node one even decodes what comes as
//! base64 whatever it is.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    BadBody, Class, Usage, Verdict,
    dialect::{AnswerSummary, Durations, End},
    json,
    middle::{Asked, Json, Lost},
    peek::fault::{fault, missing, object, syntax},
};

mod base64;

/// A question.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// At least one text.
    pub(super) inputs: Vec<String>,
    /// How long the vectors are to be.
    pub(super) dimensions: Option<Json>,
}

impl Question {
    /// Reads one; what has no place is named in `lost`.
    pub(super) fn read(body: &[u8], lost: &mut Lost) -> Result<Self, BadBody> {
        Self::read_with(body, [], lost).map(|(question, [])| question)
    }

    /// The same with further members, which the provider has a place for and OpenAI has not.
    pub(super) fn read_with<const N: usize>(
        body: &[u8],
        also: [&str; N],
        lost: &mut Lost,
    ) -> Result<(Self, [Option<Json>; N]), BadBody> {
        let text = object(body)?;
        let names = ["input", "dimensions"];
        let found = json::read(text, &names, false).map_err(|_| syntax(text))?;
        let [input, dimensions] = found
            .values
            .map(|value| value.filter(|v| !json::is_null(v)));
        let input = input.ok_or_else(|| missing("input"))?;
        let inputs = texts(text, input)?;
        // `model` is the target's, and the answer is written in the encoding that was asked for
        let known = ["model", "input", "dimensions", "encoding_format"];
        for (name, value) in json::entries(text).unwrap_or_default() {
            let has_a_place = known.iter().chain(&also).any(|known| *known == name);
            if !has_a_place && !json::is_null(value) {
                lost.parameter(name);
            }
        }
        let further = json::members(text, &also).unwrap_or([None; N]);
        let question = Self {
            inputs,
            dimensions: dimensions.and_then(Json::parse),
        };
        let given = |value: Option<&str>| value.filter(|v| !json::is_null(v)).and_then(Json::parse);
        Ok((question, further.map(given)))
    }
}

impl Question {
    /// Refuses more texts than `most`, which is what the model takes in a call.
    pub(super) fn fits(&self, most: usize, lost: &mut Lost) {
        let count = self.inputs.len();
        if count > most {
            let calls = count.div_ceil(most);
            lost.refuse(format!(
                "input holds {count} texts and this model takes {most} in a call; send them in {calls} calls"
            ));
        }
    }
}

/// One text, or several.
fn texts(body: &str, input: &str) -> Result<Vec<String>, BadBody> {
    let mut bad = None;
    let mut texts = Vec::new();
    let mut take = |value| match json::text(value) {
        Some(text) => texts.push(text.into_owned()),
        None => bad = bad.or(Some(value)),
    };
    if json::is_array(input) {
        json::elements(input, take);
    } else {
        take(input);
    }
    let what = match bad {
        Some(value) if json::is_string(value) => {
            "holds half of a surrogate pair; send whole characters"
        }
        Some(value) if value.starts_with(|c: char| c == '[' || c.is_ascii_digit()) => {
            "holds tokens; this model takes text only"
        }
        Some(_) => "must be a string or an array of strings",
        None if texts.is_empty() => "is empty; send at least one text",
        None => return Ok(texts),
    };
    Err(fault(body, bad.unwrap_or(input), "input", what))
}

#[derive(Serialize)]
struct Body<'a> {
    object: &'static str,
    data: Vec<Datum>,
    model: &'a str,
    usage: Counts,
}

#[derive(Serialize)]
struct Datum {
    object: &'static str,
    index: usize,
    embedding: Json,
}

#[derive(Serialize)]
struct Counts {
    prompt_tokens: u64,
    total_tokens: u64,
}

/// Tokens of the texts: all there are.
pub(super) fn counted(count: u64) -> Usage {
    Usage {
        input: Some(count),
        total: Some(count),
        ..Usage::default()
    }
}

/// Writes an answer of `vectors`, arrays of numbers as they were spelled.
///
/// # Errors
/// [`Class::Malformed`] if there are none, or one is not an array of numbers.
pub(super) fn answer(
    vectors: &[&str],
    model: Option<String>,
    usage: Option<Usage>,
    asked: &Asked,
) -> Result<(Bytes, AnswerSummary), Verdict> {
    let malformed = |what| Verdict::of(Class::Malformed, what);
    if vectors.is_empty() {
        return Err(malformed("the answer has no vectors"));
    }
    let mut data = Vec::with_capacity(vectors.len());
    for (index, vector) in vectors.iter().enumerate() {
        let embedding = match asked.base64 {
            true => base64::of(vector).map(|text| Json::of(&text)),
            false => base64::is_vector(vector)
                .then(|| Json::parse(vector))
                .flatten(),
        };
        data.push(Datum {
            object: "embedding",
            index,
            embedding: embedding.ok_or_else(|| malformed("a vector is not an array of numbers"))?,
        });
    }
    // SDKs take the counts for granted; Google does not always tell them
    let input = usage.and_then(|usage| usage.input).unwrap_or(0);
    let body = Body {
        object: "list",
        data,
        model: model.as_deref().unwrap_or(&asked.model),
        usage: Counts {
            prompt_tokens: input,
            total_tokens: input,
        },
    };
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let summary = AnswerSummary {
        usage,
        finish: None,
        id: None,
        model,
        has_content: true,
        end: End::Stop,
        state: Vec::new(),
        durations: Durations::default(),
    };
    Ok((bytes.into(), summary))
}

/// An answer's body as text, if it is an object that is no error.
///
/// # Errors
/// The in-band verdict; [`Class::Malformed`] for what is no object.
pub(super) fn body(body: &[u8]) -> Result<&str, Verdict> {
    let text = std::str::from_utf8(body).unwrap_or_default().trim();
    match json::members(text, &["error"]) {
        Some([None]) => Ok(text),
        Some([Some(_)]) => Err(Verdict::in_band(body)),
        None => Err(Verdict::of(
            Class::Malformed,
            "the answer is not a JSON object",
        )),
    }
}
