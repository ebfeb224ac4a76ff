//! What the model may call, and whether it must.

use super::reader::Reader;
use crate::{
    BadBody, json,
    middle::{Tool, ToolChoice},
};

pub(super) fn tools<'a>(reader: Reader<'a>, value: &'a str) -> Result<Vec<Tool>, BadBody> {
    let tools = reader.elements(value, "tools")?;
    tools.into_iter().map(|value| tool(reader, value)).collect()
}

fn tool<'a>(reader: Reader<'a>, value: &'a str) -> Result<Tool, BadBody> {
    let names = ["type", "name", "description", "parameters", "strict"];
    let [kind, name, description, parameters, strict] = reader.named(value, &names, "tools[]")?;
    let kind = reader.required(kind, value, "tools[].type")?;
    if kind != "function" {
        let value = reader.value(value, "tools[]")?;
        return Ok(Tool::Hosted { kind, value });
    }
    Ok(Tool::Function {
        name: reader.required(name, value, "tools[].name")?,
        description: reader.optional(description, "tools[].description")?,
        parameters: match parameters {
            Some(schema) => Some(reader.object(schema, "tools[].parameters")?),
            None => None,
        },
        strict: match strict {
            Some(strict) => Some(reader.flag(strict, "tools[].strict")?),
            None => None,
        },
        cache: None,
    })
}

/// `None` if only this API can say it: one of several tools, a hosted tool.
pub(super) fn choice<'a>(
    reader: Reader<'a>,
    value: &'a str,
) -> Result<Option<ToolChoice>, BadBody> {
    if json::is_string(value) {
        return Ok(Some(match reader.string(value, "tool_choice")?.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            _ => {
                let known = "must be auto, none, required or an object";
                return Err(reader.fault(value, "tool_choice", known));
            }
        }));
    }
    let [kind, name] = reader.named(value, &["type", "name"], "tool_choice")?;
    match reader.required(kind, value, "tool_choice.type")?.as_str() {
        "function" => {
            let name = reader.required(name, value, "tool_choice.name")?;
            Ok(Some(ToolChoice::Function(name)))
        }
        _ => Ok(None),
    }
}
