//! What the model may call, and whether it must.

use super::place::{Members, Place};
use crate::{
    BadBody,
    middle::{Json, Request, Tool, ToolChoice},
};

const TOOL: &str = "tools[]";
const CHOICE: &str = "tool_choice";

pub(super) fn read(members: &mut Members<'_>, request: &mut Request) -> Result<(), BadBody> {
    if let Some(tools) = members.take("tools", "tools") {
        for tool in tools.elements(TOOL)? {
            let tool = self::tool(tool, &mut request.extra)?;
            request.tools.push(tool);
        }
    }
    let Some(choice) = members.take(CHOICE, CHOICE) else {
        return Ok(());
    };
    let mut members = choice.members()?;
    let kind = members.need("type", CHOICE)?;
    request.tool_choice = Some(match kind.as_str() {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Function(members.need("name", CHOICE)?),
        _ => return Err(choice.wrong("must be of the type auto, any, tool or none")),
    });
    let alone = members.take("disable_parallel_tool_use", CHOICE);
    let alone = alone.map(Place::flag).transpose()?;
    request.parallel_tools = alone.map(|alone| !alone);
    Ok(())
}

/// A tool without a type, or of the type `custom`, is the caller's own.
fn tool(tool: Place<'_>, extra: &mut Vec<(String, Json)>) -> Result<Tool, BadBody> {
    let mut members = tool.members()?;
    let kind = members.text("type", TOOL)?;
    if let Some(kind) = kind.filter(|kind| kind != "custom") {
        let value = tool.json();
        return Ok(Tool::Hosted { kind, value });
    }
    let schema = members.take("input_schema", "tools[].input_schema");
    let function = Tool::Function {
        name: members.need("name", TOOL)?,
        description: members.text("description", TOOL)?,
        parameters: schema.map(Place::object).transpose()?,
        strict: members.take("strict", TOOL).map(Place::flag).transpose()?,
        cache: members.take("cache_control", TOOL).map(Place::json),
    };
    members.keep(TOOL, extra);
    Ok(function)
}
