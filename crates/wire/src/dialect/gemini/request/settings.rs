//! `generationConfig`: how tokens are chosen, how many, and in which form.

use serde::Serialize;

use super::thinking::{self, Thinking};
use crate::middle::{Json, Lost, Request};

/// The members, in the order of Google's reference.
#[derive(Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate_count: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Thinking>,
}

/// `None` if nothing is set.
pub(super) fn of<'a>(request: &'a Request, model: &str, lost: &mut Lost) -> Option<Settings<'a>> {
    let sampling = &request.sampling;
    let format = request.format.as_ref();
    let thinking_config = request.reasoning.as_ref();
    let settings = Settings {
        stop_sequences: &sampling.stop,
        response_mime_type: format.map(|_| "application/json"),
        response_json_schema: format.and_then(|format| format.schema(lost)),
        candidate_count: sampling.n.as_ref(),
        max_output_tokens: sampling.max_tokens.as_ref(),
        temperature: sampling.temperature.as_ref(),
        top_p: sampling.top_p.as_ref(),
        top_k: sampling.top_k.as_ref(),
        seed: sampling.seed.as_ref(),
        presence_penalty: sampling.presence_penalty.as_ref(),
        frequency_penalty: sampling.frequency_penalty.as_ref(),
        response_logprobs: sampling.logprobs,
        logprobs: sampling.top_logprobs.as_ref(),
        thinking_config: thinking_config.and_then(|asked| thinking::of(asked, model, lost)),
    };
    (settings != Settings::default()).then_some(settings)
}
