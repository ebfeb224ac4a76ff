//! Writes a question for a provider.
//!
//! Members stand in the order of Anthropic's examples. Numbers are passed on as they were spelled; whether
//! a temperature of 1.5 is allowed is the provider's to say. What it is known to refuse whatever its value
//! (sampling on newer models or beside thinking) is left out and named.

mod file;
mod options;
mod part;
mod served;
mod thinking;
mod tools;
mod turns;

use bytes::Bytes;
use serde::Serialize;

use super::{blocks::Content, model::Model};
use crate::{
    dialect::user,
    hosted::Host,
    middle::{Extra, Json, Lost, Options, Request},
};
use served::Served;
use thinking::Thinking;
use turns::Turn;

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    max_tokens: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Content<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<tools::Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<tools::Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<thinking::Config>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<options::Output<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<options::Metadata<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
    /// Members of this API that came from a caller of it.
    #[serde(flatten)]
    extra: Extra<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
}

/// The question for Anthropic, or for the `host` that serves its API.
pub(super) fn write(
    request: &Request,
    options: &Options<'_>,
    host: Option<Host>,
    lost: &mut Lost,
) -> Bytes {
    let served = Served(host);
    let name = match options.model {
        "" => request.model.as_str(),
        model => model,
    };
    let model = Model::of(name);
    let (system, messages) = turns::read(&request.messages, served, lost);
    let unsigned = turns::ends_in_unsigned_calls(&messages);
    let tools = tools::list(&request.tools, served, lost);
    let choice = tools::choice(request, !tools.is_empty(), lost);
    let forced = choice.as_ref().is_some_and(tools::Choice::is_forced);
    let Thinking {
        config,
        effort,
        max_tokens,
    } = thinking::of(request, model, unsigned, forced, lost);
    let sampling = options::sampling(&request.sampling, model, config.is_some(), lost);
    let question = Question {
        model: name,
        max_tokens,
        system: (!system.is_empty()).then(|| Content::of(system)),
        messages,
        tool_choice: choice,
        tools,
        thinking: config,
        output_config: options::output(request.format.as_ref(), effort, lost),
        metadata: user::one(request).map(options::Metadata::of),
        stop_sequences: options::stops(&request.sampling.stop, lost),
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        top_k: sampling.top_k,
        service_tier: options::tier(request, served, lost),
        extra: Extra(options::extra(request, served, lost)),
        stream: request.stream,
    };
    options::name_lost(request, lost);
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&question).unwrap_or_default().into()
}
