//! Writing a question as a `GenerateContentRequest`.
//!
//! Neither the model nor whether a stream is asked for are in it: both are in the path.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    dialect::{allowed::Allowed, lacking},
    middle::{Json, Lost, Options, Request},
};

mod contents;
mod media;
mod model;
mod parts;
mod settings;
mod thinking;
mod tools;

use contents::Content;
use model::Generation;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<tools::Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<tools::Config<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_settings: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_content: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<settings::Settings<'a>>,
}

/// Members of Google's own that are passed on, by both spellings.
const OWN: [[&str; 2]; 2] = [
    ["safetySettings", "safety_settings"],
    ["cachedContent", "cached_content"],
];

/// Writes `request`, and names in `lost` what has no place.
pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let model = Generation::of(options.model);
    let (system_instruction, contents) = contents::of(request, model, lost);
    let allowed = Allowed::of(request);
    let tools = tools::of(&request.tools, allowed.as_ref(), lost);
    let tool_config = tools::config(request, allowed.as_ref(), !tools.is_empty(), lost);
    let chosen = !tools.is_empty() && allowed.is_some();
    let own = |names: [&str; 2]| {
        let mut members = request.extra.iter();
        let found = members.find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value)
    };
    let body = Body {
        system_instruction,
        contents,
        tools,
        tool_config,
        safety_settings: own(OWN[0]),
        cached_content: own(OWN[1]),
        generation_config: settings::of(request, options.model, lost),
    };
    lacking::name(
        request,
        &[("logit_bias", request.sampling.logit_bias.is_some())],
        |name| OWN.as_flattened().contains(&name) || (chosen && name == "tool_choice"),
        lost,
    );
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&body).unwrap_or_default().into()
}
