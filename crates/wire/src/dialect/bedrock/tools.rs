//! What the model may call.
//!
//! Converse has no word for "must not call": without tools nothing can be called, so they are left out
//! then; but a conversation that already holds calls is refused without them ("The toolConfig field must be
//! defined when using toolUse and toolResult content blocks"). Where the caller brings none, those that its
//! conversation names are declared, with no more known of them than that their input is an object.

use serde::Serialize;

use super::block::CachePoint;
use crate::middle::{Json, Lost, Message, Part, Request, Tool, ToolChoice};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools<'a> {
    tools: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Entry<'a> {
    ToolSpec(Spec<'a>),
    CachePoint(CachePoint),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    input_schema: Schema,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Schema {
    json: Json,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Choice<'a> {
    Auto {},
    Any {},
    Tool { name: &'a str },
}

/// `None` where nothing may be called.
pub(super) fn write<'a>(request: &'a Request, lost: &mut Lost) -> Option<Tools<'a>> {
    let mut tools = Vec::new();
    for tool in &request.tools {
        entry(tool, &mut tools, lost);
    }
    if request.parallel_tools == Some(false) && !tools.is_empty() {
        lost.parameter("parallel_tool_calls");
    }
    if tools.is_empty() {
        lost.choice(request.tool_choice.as_ref());
        let tools = named(&request.messages);
        return (!tools.is_empty()).then_some(Tools {
            tools,
            tool_choice: None,
        });
    }
    let tool_choice = match &request.tool_choice {
        None => None,
        Some(ToolChoice::Auto) => Some(Choice::Auto {}),
        Some(ToolChoice::Required) => Some(Choice::Any {}),
        Some(ToolChoice::Function(name)) => Some(Choice::Tool { name }),
        Some(ToolChoice::None) if !request.messages.iter().any(calls) => return None,
        Some(ToolChoice::None) => {
            lost.parameter("tool_choice");
            None
        }
    };
    Some(Tools { tools, tool_choice })
}

/// The tools that a conversation names, each once.
fn named(messages: &[Message]) -> Vec<Entry<'_>> {
    let mut names: Vec<&str> = Vec::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        let name = match part {
            Part::ToolCall(call) => Some(call.name.as_str()),
            Part::ToolResult(result) => result.name.as_deref(),
            _ => None,
        };
        names.extend(name.filter(|name| !names.contains(name)));
    }
    let open = |name| {
        Entry::ToolSpec(Spec {
            name,
            description: None,
            input_schema: Schema { json: nothing() },
            strict: None,
        })
    };
    names.into_iter().map(open).collect()
}

/// The schema of an object of which nothing is known.
fn nothing() -> Json {
    let open = Json::parse(r#"{"type":"object","properties":{}}"#);
    open.unwrap_or_else(|| Json::of(&()))
}

fn entry<'a>(tool: &'a Tool, out: &mut Vec<Entry<'a>>, lost: &mut Lost) {
    match tool {
        Tool::Function {
            name,
            description,
            parameters,
            strict,
            cache,
        } => {
            out.push(Entry::ToolSpec(Spec {
                name,
                description: description.as_deref().filter(|text| !text.is_empty()),
                input_schema: Schema {
                    json: parameters.clone().unwrap_or_else(nothing),
                },
                // "off" is the default, and a model that does not know the word refuses it
                strict: strict.filter(|strict| *strict),
            }));
            out.extend(cache.as_ref().map(|c| Entry::CachePoint(CachePoint::of(c))));
        }
        Tool::Hosted { kind, .. } => lost.content(format!("tools[].{kind}")),
    }
}

fn calls(message: &Message) -> bool {
    let tool = |part: &Part| matches!(part, Part::ToolCall(_) | Part::ToolResult(_));
    message.parts.iter().any(tool)
}
