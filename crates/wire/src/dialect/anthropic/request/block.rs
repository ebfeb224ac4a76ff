//! The blocks of a message.
//!
//! Types that are not known go through whole; of those that are, unknown members are kept by name.

use super::{
    messages::{BLOCK, CONTENT, Reader},
    place::{Members, Place, keep},
    source,
};
use crate::{
    BadBody, json,
    middle::{Part, ToolCall, ToolResult},
};

pub(super) fn read(
    block: Place<'_>,
    reader: &mut Reader,
    nested: bool,
    out: &mut Vec<Part>,
) -> Result<(), BadBody> {
    let mut members = block.members()?;
    let kind = members.need("type", BLOCK)?;
    let cache = |members: &mut Members<'_>| members.take("cache_control", BLOCK).map(Place::json);
    match kind.as_str() {
        "text" => out.push(Part::Text {
            text: members.need("text", BLOCK)?,
            citations: members
                .take("citations", BLOCK)
                .map(Place::json)
                .filter(|citations| citations.as_str() != "[]"),
            cache: cache(&mut members),
        }),
        "image" => out.push(Part::Image {
            source: source::read(&mut members, block)?,
            detail: None,
            cache: cache(&mut members),
        }),
        "document" => source::document(block, &mut members, reader, nested, out)?,
        "thinking" => out.push(Part::Reasoning {
            text: members.text("thinking", BLOCK)?.unwrap_or_default(),
            signature: members
                .text("signature", BLOCK)?
                .filter(|signature| !signature.is_empty()),
            opaque: None,
            id: None,
        }),
        "redacted_thinking" => out.push(Part::Reasoning {
            text: String::new(),
            signature: None,
            opaque: Some(members.need("data", BLOCK)?),
            id: None,
        }),
        "tool_use" => out.push(Part::ToolCall(call(&mut members, reader)?)),
        "tool_result" if nested => {
            out.push(Part::ToolResult(result(&mut members, reader)?));
        }
        _ => {
            out.push(Part::Other {
                kind,
                value: block.json(),
            });
            return Ok(());
        }
    }
    for (name, value) in members.rest() {
        // what every call of the model itself has says nothing
        let plain = name == "caller" && json::member(value.raw(), "type") == Some("\"direct\"");
        if !plain {
            keep(format!("{BLOCK}.{name}"), value, &mut reader.extra);
        }
    }
    Ok(())
}

fn call(members: &mut Members<'_>, reader: &mut Reader) -> Result<ToolCall, BadBody> {
    let call = ToolCall {
        id: members.need("id", BLOCK)?,
        name: members.need("name", BLOCK)?,
        input: match members.take("input", BLOCK) {
            Some(input) => input.object()?.as_str().to_owned(),
            None => String::new(),
        },
        signature: None,
    };
    reader.names.insert(call.id.clone(), call.name.clone());
    Ok(call)
}

fn result(members: &mut Members<'_>, reader: &mut Reader) -> Result<ToolResult, BadBody> {
    let id = members.need("tool_use_id", BLOCK)?;
    let content = members.take("content", CONTENT);
    let content = content.map(|content| reader.content(content, BLOCK, false));
    let is_error = members.take("is_error", BLOCK).map(Place::flag);
    Ok(ToolResult {
        name: reader.names.get(&id).cloned(),
        id,
        parts: content.transpose()?.unwrap_or_default(),
        is_error: is_error.transpose()?.unwrap_or(false),
        cache: members.take("cache_control", BLOCK).map(Place::json),
    })
}
