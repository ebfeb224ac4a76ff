//! Writing a question for a server that speaks chat completions.
//!
//! There are two kinds of them. OpenAI's own, known by `stream_options`, takes its newer members and refuses
//! what it does not know; the many that resemble it know the members of old and the sampling of local
//! engines. What the one at hand has no place for is named.

use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::form;
use crate::middle::{Format, Json, Lost, Options, Reasoning, Request};

mod content;
mod message;
mod tool;

/// Writes `request` for the target that `options` describes.
pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let sampling = &request.sampling;
    let native = options.stream_options;
    let (tools, choice) = tool::all(request, lost);
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
        user: request.user.as_deref(),
        service_tier: request.service_tier.as_deref().filter(|_| tier),
        prompt_cache_key: request.cache_key.as_deref().filter(|_| cache_key),
        store: store.then_some(true),
        metadata: request.metadata.as_ref().filter(|_| metadata),
        verbosity: request.verbosity.as_deref().filter(|_| verbosity),
        extra: Extra(extra(request, lost)),
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
    user: Option<&'a str>,
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

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: Schema<'a> },
}

#[derive(Serialize)]
struct Schema<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    schema: &'a Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

fn format(format: &Format) -> ResponseFormat<'_> {
    match format {
        Format::JsonObject => ResponseFormat::JsonObject,
        Format::JsonSchema {
            name,
            description,
            schema,
            strict,
        } => ResponseFormat::JsonSchema {
            json_schema: Schema {
                // a name is required here and not in every other API
                name: name.as_deref().unwrap_or("response"),
                description: description.as_deref(),
                schema,
                strict: *strict,
            },
        },
    }
}

/// How much to think. That it is switched on or off without a measure cannot be said, nor how it is told.
fn effort<'a>(reasoning: Option<&'a Reasoning>, lost: &mut Lost) -> Option<&'a str> {
    let reasoning = reasoning?;
    let effort = match reasoning.enabled {
        Some(false) => reasoning.effort.as_deref().filter(|e| *e == "none"),
        _ => reasoning.effort(),
    };
    for (name, given) in [
        (
            "reasoning.enabled",
            reasoning.enabled.is_some() && effort.is_none(),
        ),
        ("reasoning.summary", reasoning.summary.is_some()),
        ("reasoning.exclude", reasoning.include == Some(false)),
        ("reasoning.encrypted_content", reasoning.encrypted),
    ] {
        if given {
            lost.parameter(name);
        }
    }
    effort
}

/// What the middle form has no place for and chat completions have.
const KNOWN: [&str; 6] = [
    "modalities",
    "audio",
    "prediction",
    "web_search_options",
    "prompt_cache_retention",
    "safety_identifier",
];

fn extra<'a>(request: &'a Request, lost: &mut Lost) -> Vec<(&'a str, &'a Json)> {
    let mut kept = Vec::new();
    for (name, value) in &request.extra {
        let ours = match name.as_str() {
            // other APIs have members of these names and other forms
            "tool_choice" => ["allowed_tools", "custom"]
                .iter()
                .any(|form| value.member(form).is_some()),
            "response_format" => value.member("type").is_some(),
            name => KNOWN.contains(&name),
        };
        match ours {
            true => kept.push((name.as_str(), value)),
            false => lost.parameter(name.clone()),
        }
    }
    kept
}

struct Extra<'a>(Vec<(&'a str, &'a Json)>);

impl Serialize for Extra<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
