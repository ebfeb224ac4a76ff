//! What the model may call.

use serde::Serialize;

use super::super::kinds;
use crate::{
    dialect::allowed::Allowed,
    middle::{Json, Lost, Request, Tool, ToolChoice},
};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Written<'a> {
    Function(Function<'a>),
    Hosted(&'a Json),
}

#[derive(Serialize)]
pub(super) struct Function<'a> {
    r#type: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: Json,
    /// Here a schema is strict unless said otherwise, in every other API the other way round.
    strict: bool,
}

pub(super) fn tools<'a>(tools: &'a [Tool], lost: &mut Lost) -> Vec<Written<'a>> {
    tools
        .iter()
        .filter_map(|tool| written(tool, lost))
        .collect()
}

fn written<'a>(tool: &'a Tool, lost: &mut Lost) -> Option<Written<'a>> {
    match tool {
        Tool::Function {
            name,
            description,
            parameters,
            strict,
            cache,
        } => {
            if cache.is_some() {
                lost.parameter("tools[].cache_control");
            }
            Some(Written::Function(Function {
                r#type: "function",
                name,
                description: description.as_deref(),
                parameters: parameters.clone().unwrap_or_else(nothing),
                strict: strict.unwrap_or(false),
            }))
        }
        // chat completions nest what this API writes flat
        Tool::Hosted { kind, value } if kinds::is_tool(kind) && value.member(kind).is_none() => {
            Some(Written::Hosted(value))
        }
        Tool::Hosted { .. } => {
            lost.content("tools[].type");
            None
        }
    }
}

/// The schema of a function without input.
fn nothing() -> Json {
    #[derive(Serialize)]
    struct Schema {
        r#type: &'static str,
        properties: Empty,
    }
    #[derive(Serialize)]
    struct Empty {}
    Json::of(&Schema {
        r#type: "object",
        properties: Empty {},
    })
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice<'a> {
    Word(&'static str),
    Function { r#type: &'static str, name: &'a str },
    Allowed(Json),
}

/// What is chosen, but for what is this API's own and written as it came.
pub(super) fn choice(request: &Request) -> Option<Choice<'_>> {
    let Some(choice) = &request.tool_choice else {
        let own = request.own("tool_choice").is_some_and(kinds::is_choice);
        let allowed = Allowed::of(request).filter(|_| !own)?;
        return Some(Choice::Allowed(allowed.flat()));
    };
    Some(match choice {
        ToolChoice::Auto => Choice::Word("auto"),
        ToolChoice::None => Choice::Word("none"),
        ToolChoice::Required => Choice::Word("required"),
        ToolChoice::Function(name) => Choice::Function {
            r#type: "function",
            name,
        },
    })
}
