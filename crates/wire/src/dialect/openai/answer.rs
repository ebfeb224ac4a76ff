//! Judging a whole answer that came with status 200.
//!
//! A 200 is not yet an answer: it can hold an error object, a login page, or nothing. Nothing of
//! the body is quoted when it is refused.

use bytes::Bytes;

use super::{choice::Choice, chunk::Chunk};
use crate::{
    Class, Surface, Verdict,
    dialect::{AnswerSummary, Durations, End, Finish},
    json,
};

/// Reads a unary answer on `surface`.
///
/// # Errors
/// The in-band verdict if it is an error object or a finish reason admits a failure;
/// [`Class::Malformed`] if it is not JSON or has not the shape of an answer.
pub fn judge_answer(surface: Surface, body: &Bytes) -> Result<AnswerSummary, Verdict> {
    let malformed = |message| Verdict::of(Class::Malformed, message);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    let mut answer = Chunk::default();
    json::walk(text, &mut answer).map_err(|_| malformed("the answer is not a JSON object"))?;
    if answer.is_error() {
        return Err(Verdict::in_band(body));
    }
    let word = |value: Option<&str>| {
        value
            .and_then(json::text)
            .filter(|text| !text.is_empty())
            .map(Into::into)
    };
    let mut summary = AnswerSummary {
        usage: answer.usage(),
        finish: None,
        id: word(answer.id),
        model: word(answer.model),
        has_content: false,
        end: End::Stop,
        state: Vec::new(),
        durations: Durations::default(),
    };
    match surface {
        Surface::Embeddings | Surface::Images => items(answer.data, &mut summary)?,
        _ => choices(&answer.choices, &mut summary)?,
    }
    Ok(summary)
}

fn choices(choices: &[Choice<'_>], summary: &mut AnswerSummary) -> Result<(), Verdict> {
    if choices.is_empty() {
        return Err(Verdict::of(Class::Malformed, "the answer has no choices"));
    }
    for choice in choices {
        if let Some(failure) = choice.failure() {
            return Err(failure);
        }
        let held = choice.held();
        summary.has_content |= held.content || held.call;
        if let Some(finish) = choice.finish.as_deref().and_then(Finish::of) {
            if !finish.is_stop() {
                summary.end = End::Other;
            }
            summary.finish = Some(finish);
        }
    }
    Ok(())
}

fn items(data: Option<&str>, summary: &mut AnswerSummary) -> Result<(), Verdict> {
    match data.filter(|data| json::is_array(data)) {
        Some(data) => {
            json::elements(data, |_| summary.has_content = true);
            Ok(())
        }
        None => Err(Verdict::of(
            Class::Malformed,
            "the answer has no data array",
        )),
    }
}
