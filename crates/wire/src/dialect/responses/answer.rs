//! Reading a whole answer.
//!
//! A response that failed is a verdict although its status was 200. One that is not done yet (`background`)
//! is an answer without output, which must not pass for one that simply stopped.

use std::borrow::Cow;

use serde::Serialize;

use super::{
    item::{self, filled},
    usage,
};
use crate::{
    Class, Verdict,
    dialect::Finish,
    json,
    middle::{Answer, Choice, Json, Part},
};

/// Reads a whole answer.
///
/// # Errors
/// The in-band verdict of a failed response or an error object; [`Class::Malformed`] for what is no response.
pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let malformed = |message| Verdict::of(Class::Malformed, message);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    let names = ["error", "status", "output", "usage", "type", "created_at"];
    let found = json::members(text, &names);
    let [error, status, output, counts, kind, created] =
        found.ok_or_else(|| malformed("the answer is not a JSON object"))?;
    let status = status.and_then(item::words).unwrap_or_default();
    if error.is_some() || status == "failed" || kind == Some("\"error\"") {
        return Err(Verdict::in_band(body));
    }
    if status == "cancelled" {
        let said = "the upstream cancelled the response";
        return Err(Verdict::of(Class::StreamError, said));
    }
    let output = output.filter(|output| json::is_array(output));
    let output = output.ok_or_else(|| malformed("the answer has no output"))?;
    let (mut parts, mut logprobs) = (Vec::new(), Vec::new());
    json::elements(output, |item| item::parts(item, &mut parts, &mut logprobs));
    let calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    Ok(Answer {
        id: filled(text, "id").map(Cow::into_owned),
        model: filled(text, "model").map(Cow::into_owned),
        created: created.and_then(json::count),
        choices: vec![Choice {
            index: 0,
            finish: Some(finish(text, &status, calls)),
            parts,
            stop_sequence: None,
            logprobs: chat_logprobs(&logprobs),
        }],
        usage: counts.and_then(usage::read),
        service_tier: filled(text, "service_tier").map(Cow::into_owned),
        ..Answer::default()
    })
}

/// Why a response with this status ended; `calls` if it calls functions.
pub(super) fn finish(response: &str, status: &str, calls: bool) -> Finish {
    match status {
        "completed" | "" if calls => Finish::ToolCalls,
        "completed" | "" => Finish::Stop,
        "incomplete" => {
            let details = json::member(response, "incomplete_details");
            let reason = details.and_then(|details| filled(details, "reason"));
            match reason.as_deref().unwrap_or("incomplete") {
                "max_output_tokens" => Finish::Length,
                "content_filter" => Finish::ContentFilter,
                other => word(other),
            }
        }
        // queued or in progress: the caller asks for it later
        other => word(other),
    }
}

fn word(word: &str) -> Finish {
    Finish::of(word).unwrap_or(Finish::Stop)
}

/// In the form of chat completions, whose elements are the same.
fn chat_logprobs(content: &[Json]) -> Option<Json> {
    #[derive(Serialize)]
    struct Logprobs<'a> {
        content: &'a [Json],
    }
    (!content.is_empty()).then(|| Json::of(&Logprobs { content }))
}
