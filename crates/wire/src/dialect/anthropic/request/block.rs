//! The blocks of a message.
//!
//! Pictures and documents lose nothing but what only this API can say of them; a document that is given as
//! blocks becomes these blocks. Types that are not known go through whole.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    messages::Reader,
    place::{Members, Place, keep},
};
use crate::{
    BadBody, json,
    middle::{Json, Part, Source, ToolCall, ToolResult},
};

const CONTENT: &str = "messages[].content";
const BLOCK: &str = "messages[].content[]";
const SOURCE: &str = "messages[].content[].source";

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
            source: source(&mut members, block)?,
            detail: None,
            cache: cache(&mut members),
        }),
        "document" => document(block, &mut members, reader, nested, out)?,
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
    let content = content.map(|content| reader.content(content, CONTENT, false));
    let is_error = members.take("is_error", BLOCK).map(Place::flag);
    Ok(ToolResult {
        name: reader.names.get(&id).cloned(),
        id,
        parts: content.transpose()?.unwrap_or_default(),
        is_error: is_error.transpose()?.unwrap_or(false),
        cache: members.take("cache_control", BLOCK).map(Place::json),
    })
}

fn document<'a>(
    block: Place<'a>,
    members: &mut Members<'a>,
    reader: &mut Reader,
    nested: bool,
    out: &mut Vec<Part>,
) -> Result<(), BadBody> {
    // `{"enabled":false}` asks for nothing
    let citations = members.take("citations", BLOCK);
    let asked = |value: &Place<'_>| json::member(value.raw(), "enabled") == Some("true");
    if let Some(citations) = citations.filter(asked) {
        keep(format!("{BLOCK}.citations"), citations, &mut reader.extra);
    }
    let name = members.text("title", BLOCK)?;
    let cache = members.take("cache_control", BLOCK).map(Place::json);
    let Some(inside) = blocks(members, block)? else {
        let source = source(members, block)?;
        out.push(Part::File {
            source,
            name,
            cache,
        });
        return Ok(());
    };
    if !nested {
        return Err(inside.wrong("may not hold blocks here; send base64, text or a url"));
    }
    // its title is one more text, as the models are shown it
    out.extend(name.map(Part::text));
    out.extend(reader.content(inside, CONTENT, false)?);
    cached(out, cache);
    Ok(())
}

/// The content of a source that is given as blocks.
fn blocks<'a>(members: &mut Members<'a>, block: Place<'a>) -> Result<Option<Place<'a>>, BadBody> {
    let given = members.peek("source", SOURCE);
    let source = given.ok_or_else(|| block.wrong("has no `source`; it is required"))?;
    let mut source = source.members()?;
    let kind = source.need("type", SOURCE)?;
    Ok(match kind.as_str() {
        "content" => {
            members.take("source", SOURCE);
            let inside = source.take("content", SOURCE);
            Some(inside.ok_or_else(|| block.wrong("has no `source.content`; it is required"))?)
        }
        _ => None,
    })
}

fn source(members: &mut Members<'_>, block: Place<'_>) -> Result<Source, BadBody> {
    let place = members.take("source", SOURCE);
    let place = place.ok_or_else(|| block.wrong("has no `source`; it is required"))?;
    let mut source = place.members()?;
    let kind = source.need("type", SOURCE)?;
    Ok(match kind.as_str() {
        "base64" => Source::Inline {
            media_type: source.text("media_type", SOURCE)?.unwrap_or_default(),
            data: source.need("data", SOURCE)?,
        },
        "text" => Source::Inline {
            media_type: "text/plain".to_owned(),
            data: STANDARD.encode(source.need("data", SOURCE)?),
        },
        "url" => Source::Url(source.need("url", SOURCE)?),
        "file" => Source::Id(source.need("file_id", SOURCE)?),
        _ => return Err(place.wrong("must be of the type base64, text, url, file or content")),
    })
}

/// Puts a cache breakpoint on the last part.
fn cached(parts: &mut [Part], breakpoint: Option<Json>) {
    if let Some(Part::Text { cache, .. } | Part::Image { cache, .. } | Part::File { cache, .. }) =
        parts.last_mut()
    {
        *cache = cache.take().or(breakpoint);
    }
}
