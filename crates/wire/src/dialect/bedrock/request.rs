//! A question, written for Converse.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Serialize;

use super::{
    block::Block,
    settings::{self, Additional, Inference, Output},
    tools::{self, Tools},
    turns::{Turn, Turns},
};
use crate::middle::{Json, Lost, Options, Request};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Converse<'a> {
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inference_config: Option<Inference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guardrail_config: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_model_request_fields: Option<Additional<'a>>,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    additional_model_response_field_paths: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    request_metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance_config: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<Tier<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Output<'a>>,
}

#[derive(Debug, Serialize)]
struct Tier<'a> {
    r#type: &'a str,
}

/// Where Anthropic's models tell which stop sequence it was, in a whole answer and in a stream.
const STOP_SEQUENCE: &[&str] = &["/stop_sequence", "/delta/stop_sequence"];

pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let anthropic = options.model.contains("anthropic");
    let Turns { system, turns, .. } = Turns::write(&request.messages, anthropic, lost);
    let tool_config = tools::write(request, lost);
    let settings = settings::write(request, options.model, lost);
    unknown(request, lost);
    let extra = |name: &str| {
        let member = request.extra.iter().find(|(member, _)| member == name);
        member.map(|(_, value)| value).filter(|v| v.is_object())
    };
    let converse = Converse {
        messages: turns,
        system,
        inference_config: settings.inference,
        tool_config,
        guardrail_config: extra("guardrailConfig"),
        additional_model_request_fields: settings.additional,
        additional_model_response_field_paths: match anthropic && !request.sampling.stop.is_empty()
        {
            true => STOP_SEQUENCE,
            false => &[],
        },
        request_metadata: request.metadata.as_ref().and_then(settings::metadata),
        performance_config: extra("performanceConfig"),
        service_tier: tier(request).map(|r#type| Tier { r#type }),
        output_config: settings.output,
    };
    // maps have string keys and nothing fails to serialise
    serde_json::to_vec(&converse).unwrap_or_default().into()
}

/// Its word here; `auto` is what happens anyway.
fn tier(request: &Request) -> Option<&str> {
    let known = ["priority", "default", "flex", "reserved"];
    let tier = request.service_tier.as_deref();
    tier.filter(|tier| known.contains(tier))
}

/// Names what has no place at all.
fn unknown(request: &Request, lost: &mut Lost) {
    let sampling = &request.sampling;
    let several = |n: &Json| n.as_u64() != Some(1);
    let tier = request.service_tier.as_deref();
    let reasoning = request.reasoning.as_ref();
    let given = [
        ("n", sampling.n.as_ref().is_some_and(several)),
        ("seed", sampling.seed.is_some()),
        ("frequency_penalty", sampling.frequency_penalty.is_some()),
        ("presence_penalty", sampling.presence_penalty.is_some()),
        ("logprobs", sampling.logprobs == Some(true)),
        ("top_logprobs", sampling.top_logprobs.is_some()),
        ("logit_bias", sampling.logit_bias.is_some()),
        ("user", request.user.is_some()),
        ("prompt_cache_key", request.cache_key.is_some()),
        ("store", request.store == Some(true)),
        ("verbosity", request.verbosity.is_some()),
        (
            "metadata",
            request
                .metadata
                .as_ref()
                .is_some_and(|m| m.as_str() != "{}" && settings::metadata(m).is_none()),
        ),
        (
            "service_tier",
            tier.is_some_and(|t| t != "auto") && self::tier(request).is_none(),
        ),
        ("include", reasoning.is_some_and(|r| r.encrypted)),
    ];
    for (name, _) in given.into_iter().filter(|(_, given)| *given) {
        lost.parameter(name);
    }
    for (name, value) in &request.extra {
        let known = ["guardrailConfig", "performanceConfig"].contains(&name.as_str());
        if !(known && value.is_object()) {
            lost.parameter(name.clone());
        }
    }
}
