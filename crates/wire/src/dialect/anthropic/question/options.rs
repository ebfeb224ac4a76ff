//! Everything that is one member and means itself, and the names of what has no place here.

use std::borrow::Cow;

use serde::Serialize;

use super::{super::model::Model, served::Served};
use crate::{
    dialect::user,
    json,
    middle::{Format, Json, Lost, Request, Sampling},
};

#[derive(Debug, Serialize)]
pub(super) struct Metadata<'a> {
    user_id: Cow<'a, str>,
}

impl<'a> Metadata<'a> {
    pub(super) fn of(user_id: Cow<'a, str>) -> Self {
        Self { user_id }
    }
}

/// `output_config`: how hard the model tries, and the form of the answer
/// (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs>).
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Schema<'a>>,
}

#[derive(Debug, Serialize)]
struct Schema<'a> {
    r#type: &'static str,
    schema: &'a Json,
}

pub(super) fn output<'a>(
    format: Option<&'a Format>,
    effort: Option<&'a str>,
    lost: &mut Lost,
) -> Option<Output<'a>> {
    let format = match format {
        Some(Format::JsonSchema {
            description,
            schema,
            ..
        }) => {
            if description.is_some() {
                lost.parameter("response_format.json_schema.description");
            }
            Some(Schema {
                r#type: "json_schema",
                schema,
            })
        }
        Some(Format::JsonObject) => {
            lost.parameter("response_format");
            None
        }
        None => None,
    };
    (effort.is_some() || format.is_some()).then_some(Output { effort, format })
}

#[derive(Debug, Default)]
pub(super) struct Chosen<'a> {
    pub(super) temperature: Option<&'a Json>,
    pub(super) top_p: Option<&'a Json>,
    pub(super) top_k: Option<&'a Json>,
}

/// What the model takes of it. A model that thinks takes no temperature but 1, no `top_k`, and a `top_p`
/// from 0.95 on; one of the newest kind nothing but the temperature 1.
pub(super) fn sampling<'a>(
    sampling: &'a Sampling,
    model: Model,
    thinks: bool,
    lost: &mut Lost,
) -> Chosen<'a> {
    let number = |json: &Json| json.as_str().parse::<f64>().ok();
    let free = model.sampling && !thinks;
    let mut choose = |name, value: &'a Option<Json>, fits: &dyn Fn(f64) -> bool| {
        let value = value.as_ref()?;
        let taken = free || number(value).is_some_and(fits);
        if !taken {
            lost.parameter(name);
        }
        taken.then_some(value)
    };
    Chosen {
        temperature: choose("temperature", &sampling.temperature, &|t| t == 1.0),
        top_p: choose("top_p", &sampling.top_p, &|p| {
            model.sampling && (0.95..=1.0).contains(&p)
        }),
        top_k: choose("top_k", &sampling.top_k, &|_| false),
    }
}

/// Sequences of nothing but white space are refused by the API.
pub(super) fn stops<'a>(stops: &'a [String], lost: &mut Lost) -> Vec<&'a str> {
    let blank = |stop: &&str| stop.trim().is_empty();
    let all = stops.iter().map(String::as_str);
    let (blank, taken): (Vec<_>, Vec<_>) = all.partition(blank);
    if !blank.is_empty() {
        lost.parameter("stop");
    }
    taken
}

/// `auto` and `default` are what a host does anyway.
pub(super) fn tier(request: &Request, served: Served, lost: &mut Lost) -> Option<&'static str> {
    match request.service_tier.as_deref()? {
        "auto" if served.has_tiers() => Some("auto"),
        "default" | "standard_only" if served.has_tiers() => Some("standard_only"),
        "auto" | "default" | "standard_only" => None,
        _ => {
            lost.parameter("service_tier");
            None
        }
    }
}

/// Whether a member of this name has the form that it has in this API: the `context_management` of OpenAI is a
/// list, the `fallbacks` of routers are names of models.
fn is_formed(name: &str, value: &Json) -> bool {
    match name {
        "cache_control" | "context_management" => value.is_object(),
        "fallbacks" | "mcp_servers" => {
            let mut all = true;
            json::elements(value.as_str(), |element| all &= json::is_object(element)) && all
        }
        _ => true,
    }
}

pub(super) fn extra<'a>(
    request: &'a Request,
    served: Served,
    lost: &mut Lost,
) -> Vec<(&'a str, &'a Json)> {
    let mut own = Vec::new();
    let told = |name: &str| user::is_told(request, name);
    for (name, value) in request.extra.iter().filter(|(name, _)| !told(name)) {
        match served.takes(name) && is_formed(name, value) {
            true => own.push((name.as_str(), value)),
            false => lost.parameter(name.clone()),
        }
    }
    own
}

/// Names what was asked for and has no place. What asks for nothing (one choice, a penalty of 0) is not
/// missed.
pub(super) fn name_lost(request: &Request, lost: &mut Lost) {
    let sampling = &request.sampling;
    let set = |value: &Option<Json>, nothing: f64| {
        let number = |json: &Json| json.as_str().parse::<f64>().ok();
        value
            .as_ref()
            .is_some_and(|value| number(value) != Some(nothing))
    };
    for (name, asked) in [
        ("frequency_penalty", set(&sampling.frequency_penalty, 0.0)),
        ("presence_penalty", set(&sampling.presence_penalty, 0.0)),
        ("seed", sampling.seed.is_some()),
        ("n", set(&sampling.n, 1.0)),
        ("logprobs", sampling.logprobs == Some(true)),
        ("top_logprobs", set(&sampling.top_logprobs, 0.0)),
        ("logit_bias", sampling.logit_bias.is_some()),
        ("prompt_cache_key", request.cache_key.is_some()),
        ("store", request.store == Some(true)),
        ("metadata", request.metadata.is_some()),
        ("verbosity", request.verbosity.is_some()),
    ] {
        if asked {
            lost.parameter(name);
        }
    }
}
