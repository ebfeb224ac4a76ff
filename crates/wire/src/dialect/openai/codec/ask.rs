//! Writing a question for a server that speaks chat completions.
//!
//! There are two kinds of them. OpenAI's own, known by `stream_options`, takes its newer members and refuses
//! what it does not know; the many that resemble it know the members of old and the sampling of local
//! engines. What the one at hand has no place for is named.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;

use super::form;
use crate::{
    dialect::user,
    middle::{Extra, Json, Lost, Options, Request},
};

mod content;
mod extra;
mod format;
mod message;
mod tool;

use extra::{effort, extra};
use format::{ResponseFormat, format};

/// Writes `request` for the target that `options` describes.
pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let sampling = &request.sampling;
    let native = options.stream_options;
    let (tools, choice) = tool::all(request, lost);
    let chosen = choice.is_some();
    let usage = (request.stream && native).then_some(StreamOptions {
        include_usage: true,
    });
    let newer = |lost: &mut Lost, name: &'static str, given: bool| {
        if given && !native {
            lost.parameter(name);
        }
        given && native
    };
    let (max_completion_tokens, max_tokens) = match native {
        true => (sampling.max_tokens.as_ref(), None),
        false => (None, sampling.max_tokens.as_ref()),
    };
    if native && sampling.top_k.is_some() {
        lost.parameter("top_k");
    }
    // `store: false` is what every server does anyway
    let store = newer(lost, "store", request.store == Some(true));
    let metadata = newer(lost, "metadata", request.metadata.is_some());
    let tier = newer(lost, "service_tier", request.service_tier.is_some());
    let cache_key = newer(lost, "prompt_cache_key", request.cache_key.is_some());
    let verbosity = newer(lost, "verbosity", request.verbosity.is_some());
    let question = Question {
        model: if options.model.is_empty() {
            &request.model
        } else {
            options.model
        },
        messages: message::all(&request.messages, options, lost),
        stream: request.stream.then_some(true),
        stream_options: usage,
        max_completion_tokens,
        max_tokens,
        temperature: sampling.temperature.as_ref(),
        top_p: sampling.top_p.as_ref(),
        top_k: sampling.top_k.as_ref().filter(|_| !native),
        frequency_penalty: sampling.frequency_penalty.as_ref(),
        presence_penalty: sampling.presence_penalty.as_ref(),
        seed: sampling.seed.as_ref(),
        stop: &sampling.stop,
        n: sampling.n.as_ref(),
        logprobs: sampling.logprobs,
        top_logprobs: sampling.top_logprobs.as_ref(),
        logit_bias: sampling.logit_bias.as_ref(),
        reasoning_effort: effort(request.reasoning.as_ref(), lost),
        parallel_tool_calls: request.parallel_tools.filter(|_| !tools.is_empty()),
        tools,
        tool_choice: choice,
        response_format: request.format.as_ref().map(format),
        user: match native {
            true => user::short(request, lost).map(Cow::Borrowed),
            false => user::one(request),
        },
        service_tier: request.service_tier.as_deref().filter(|_| tier),
        prompt_cache_key: request.cache_key.as_deref().filter(|_| cache_key),
        store: store.then_some(true),
        metadata: request.metadata.as_ref().filter(|_| metadata),
        verbosity: request.verbosity.as_deref().filter(|_| verbosity),
        extra: extra(request, native, chosen, lost),
    };
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&question).unwrap_or_default().into()
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: Vec<message::Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'a Json>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logit_bias: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<tool::Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<tool::Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<&'a str>,
    #[serde(flatten)]
    extra: Extra<'a>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}
