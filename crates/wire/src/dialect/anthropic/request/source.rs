//! Where pictures and documents are.
//!
//! A document of plain text becomes a text file. One that is given as blocks becomes these blocks, its title
//! a text before them.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    messages::{BLOCK, Reader},
    place::{Members, Place, keep},
};
use crate::{
    BadBody, json,
    middle::{Json, Part, Source},
};

const SOURCE: &str = "messages[].content[].source";

pub(super) fn document<'a>(
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
        let source = read(members, block)?;
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
    out.extend(reader.content(inside, BLOCK, false)?);
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

pub(super) fn read(members: &mut Members<'_>, block: Place<'_>) -> Result<Source, BadBody> {
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
