//! What the model may call, and whether it must.

use serde::Serialize;

use super::{super::words, served::Served};
use crate::middle::{self, Json, Lost, Request, ToolChoice};

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Tool<'a> {
    Own {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        input_schema: Json,
        #[serde(skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<&'a Json>,
    },
    Hosted(&'a Json),
}

pub(super) fn list<'a>(
    tools: &'a [middle::Tool],
    served: Served,
    lost: &mut Lost,
) -> Vec<Tool<'a>> {
    let tool = |tool: &'a middle::Tool| match tool {
        middle::Tool::Function {
            name,
            description,
            parameters,
            strict,
            cache,
        } => Some(Tool::Own {
            name,
            description: description.as_deref(),
            input_schema: schema(parameters.as_ref()),
            // false is the default, and models before strict tools refuse the word
            strict: strict.filter(|strict| *strict),
            cache_control: cache.as_ref(),
        }),
        middle::Tool::Hosted { kind, value } if words::is_own_tool(kind) && served.runs(kind) => {
            Some(Tool::Hosted(value))
        }
        middle::Tool::Hosted { kind, .. } => {
            lost.content(format!("tools[].{kind}"));
            None
        }
    };
    tools.iter().filter_map(tool).collect()
}

/// A schema must be one of an object and say so.
fn schema(given: Option<&Json>) -> Json {
    let empty = || Json::parse(r#"{"type":"object","properties":{}}"#);
    let typed = |schema: &Json| match schema.member("type") {
        Some(_) => Some(schema.clone()),
        None => {
            let members = schema.as_str().strip_prefix('{')?;
            Json::parse(&format!(r#"{{"type":"object",{members}"#))
        }
    };
    let schema = given.and_then(typed).or_else(empty);
    schema.unwrap_or_else(|| Json::of(&serde_json::Map::new()))
}

#[derive(Debug, Serialize)]
pub(super) struct Choice<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disable_parallel_tool_use: bool,
}

impl Choice<'_> {
    /// Whether a tool must be called.
    pub(super) fn is_forced(&self) -> bool {
        matches!(self.r#type, "any" | "tool")
    }
}

/// Without tools the API takes no choice. One call at a time is part of it.
pub(super) fn choice<'a>(
    request: &'a Request,
    any_tools: bool,
    lost: &mut Lost,
) -> Option<Choice<'a>> {
    let choice = request.tool_choice.as_ref();
    if !any_tools {
        lost.choice(choice);
        return None;
    }
    let alone = request.parallel_tools == Some(false);
    let (r#type, name) = match choice {
        None if !alone => return None,
        None | Some(ToolChoice::Auto) => ("auto", None),
        Some(ToolChoice::Required) => ("any", None),
        Some(ToolChoice::Function(name)) => ("tool", Some(name.as_str())),
        Some(ToolChoice::None) => ("none", None),
    };
    Some(Choice {
        r#type,
        name,
        disable_parallel_tool_use: alone && r#type != "none",
    })
}
