//! Writing a question.
//!
//! Everything that the middle form says is written or named as lost. The API has no stop sequences, seeds,
//! penalties or several choices. Nothing is added that was not asked for: whether the provider stores the
//! response is for the caller to say.

mod content;
mod form;
mod input;
mod tools;

use bytes::Bytes;
use serde::{Serialize, Serializer};

use super::{kinds, request};
use crate::{
    dialect::user,
    middle::{Json, Lost, Options, Request, Role},
};

/// Writes a request body.
pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let (instructions, messages) = input::instructions(&request.messages, lost);
    let tool_choice = tools::choice(request);
    let chosen = tool_choice.is_some();
    let body = Body {
        model: match options.model {
            "" => &request.model,
            model => model,
        },
        instructions,
        input: input::items(messages, options, lost),
        tools: tools::tools(&request.tools, lost),
        tool_choice,
        parallel_tool_calls: request.parallel_tools,
        text: form::text(request),
        reasoning: form::reasoning(request.reasoning.as_ref(), lost),
        max_output_tokens: request.sampling.max_tokens.as_ref(),
        temperature: request.sampling.temperature.as_ref(),
        top_p: request.sampling.top_p.as_ref(),
        top_logprobs: request.sampling.top_logprobs.as_ref(),
        include: include(request),
        store: request.store,
        metadata: request.metadata.as_ref(),
        user: user::short(request, lost),
        service_tier: request.service_tier.as_deref(),
        prompt_cache_key: request.cache_key.as_deref(),
        stream: request.stream.then_some(true),
        extra: Extra(extra(request, chosen, lost)),
    };
    form::unsaid(&request.sampling, lost);
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&body).unwrap_or_default().into()
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    input: Vec<input::Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<tools::Written<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<tools::Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<form::Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<form::Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<&'a Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(flatten)]
    extra: Extra<'a>,
}

/// Members that only this API has.
struct Extra<'a>(Vec<(&'a str, &'a Json)>);

impl Serialize for Extra<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

fn extra<'a>(request: &'a Request, chosen: bool, lost: &mut Lost) -> Vec<(&'a str, &'a Json)> {
    let mut kept = Vec::new();
    for (name, value) in &request.extra {
        match name.as_str() {
            // written with what the middle form knows of it
            "include" => {}
            "tool_choice" if chosen => {}
            "tool_choice" if !kinds::is_choice(value) => lost.parameter("tool_choice"),
            user::IDENTIFIER if !user::is_identifier(value) => lost.parameter(user::IDENTIFIER),
            name if kinds::is_parameter(name, value) => kept.push((name, value)),
            name => lost.parameter(name.to_owned()),
        }
    }
    kept
}

fn include(request: &Request) -> Vec<Json> {
    let mut include: Vec<Json> = request::included(request)
        .iter()
        .map(|name| Json::of(*name))
        .collect();
    if let Some((_, others)) = request.extra.iter().find(|(name, _)| name == "include") {
        crate::json::elements(others.as_str(), |other| include.extend(Json::parse(other)));
    }
    include
}

/// The word for a speaker; results of tools are no messages.
fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    }
}
