//! Judging a whole answer that came with status 200.
//!
//! A 200 is not yet an answer: it can hold an error object, a login page, or nothing. Nothing of
//! the body is quoted when it is refused.

use bytes::Bytes;

use super::choice::Choice;
use crate::{
    Class, Surface, Usage, Verdict,
    dialect::{AnswerSummary, End, Finish},
    json,
};

/// Reads a unary answer on `surface`.
///
/// # Errors
/// The in-band verdict if it is an error object or a finish reason admits a failure;
/// [`Class::Malformed`] if it is not JSON or has not the shape of an answer.
pub fn judge_answer(surface: Surface, body: &Bytes) -> Result<AnswerSummary, Verdict> {
    let names = ["error", "object", "choices", "data", "usage", "id", "model"];
    let malformed = |message| Verdict::of(Class::Malformed, message);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    let [error, object, choices, data, usage, id, model] = json::members(text.trim(), &names)
        .ok_or_else(|| malformed("the answer is not a JSON object"))?;
    if error.is_some_and(|e| !matches!(e, "false" | "\"\"")) || object == Some("\"error\"") {
        return Err(Verdict::in_band(body));
    }
    let word = |value: Option<&str>| {
        value
            .and_then(json::text)
            .filter(|text| !text.is_empty())
            .map(Into::into)
    };
    let mut summary = AnswerSummary {
        usage: usage.and_then(Usage::read),
        finish: None,
        id: word(id),
        model: word(model),
        has_content: false,
        end: End::Stop,
    };
    match surface {
        Surface::Embeddings => embeddings(data, &mut summary)?,
        Surface::Chat | Surface::Completions => self::choices(choices, &mut summary)?,
    }
    Ok(summary)
}

fn choices(choices: Option<&str>, summary: &mut AnswerSummary) -> Result<(), Verdict> {
    let (mut any, mut failure) = (false, None);
    json::elements(choices.unwrap_or_default(), |choice| {
        let Some(choice) = Choice::read(choice) else {
            return;
        };
        any = true;
        failure = failure.take().or_else(|| choice.failure());
        summary.has_content |= choice.held.content || choice.held.call;
        if let Some(finish) = choice.finish.as_deref().and_then(Finish::of) {
            if !finish.is_stop() {
                summary.end = End::Other;
            }
            summary.finish = Some(finish);
        }
    });
    match failure {
        Some(verdict) => Err(verdict),
        None if any => Ok(()),
        None => Err(Verdict::of(Class::Malformed, "the answer has no choices")),
    }
}

fn embeddings(data: Option<&str>, summary: &mut AnswerSummary) -> Result<(), Verdict> {
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
