//! Writing a question for `/api/chat`.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    dialect::declared::{self, Function},
    middle::{Json, Lost, Options, Reasoning, Request, ToolChoice},
};

mod lacking;
mod messages;

use super::settings::Settings;
use messages::Message;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Declaration<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Settings<'a>>,
    /// Always, because true is what is meant by leaving it out.
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_alive: Option<&'a Json>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

/// Writes `request`, and names in `lost` what has no place.
pub(super) fn write(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let body = Body {
        model: options.model,
        messages: messages::of(request, lost),
        tools: tools(request, lost),
        format: request.format.as_ref().map(|format| {
            let schema = format.schema(lost);
            schema.map_or_else(|| Json::of("json"), Json::clone)
        }),
        options: Settings::of(request, options).filled(),
        stream: request.stream,
        think: request.reasoning.as_ref().and_then(think),
        logprobs: request.sampling.logprobs,
        top_logprobs: request.sampling.top_logprobs.as_ref(),
        keep_alive: request.own("keep_alive"),
    };
    lacking::name(request, lost);
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&body).unwrap_or_default().into()
}

/// There is no choice to be told; a model that must not call is told of no tools.
fn tools<'a>(request: &'a Request, lost: &mut Lost) -> Vec<Declaration<'a>> {
    match &request.tool_choice {
        Some(ToolChoice::None) => return Vec::new(),
        Some(ToolChoice::Required | ToolChoice::Function(_)) => lost.parameter("tool_choice"),
        Some(ToolChoice::Auto) | None => {}
    }
    let functions = declared::functions(&request.tools, lost);
    let declared = |function| Declaration {
        r#type: "function",
        function,
    };
    functions.map(declared).collect()
}

/// Yes or no, or one of three levels; models without levels take one as yes.
fn think(asked: &Reasoning) -> Option<Json> {
    let wanted = asked.wanted()?;
    let level = asked
        .effort()
        .filter(|_| wanted)
        .map(|effort| match effort {
            "minimal" | "low" => "low",
            "medium" => "medium",
            _ => "high",
        });
    Some(level.map_or_else(|| Json::of(&wanted), Json::of))
}
