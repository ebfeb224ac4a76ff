//! The `content` of a message: a string, or an array of parts.
//!
//! OpenAI's parts are read strictly, and those of OpenRouter, vLLM and Mistral beside them; any other typed part is
//! kept as it came, because its own dialect may be the one that is asked.

use super::super::body::Body;
use crate::{
    BadBody, json,
    middle::{Json, Part, Source},
};

const PARAM: &str = "messages";

/// The parts of `content`; none for an absent one.
pub(super) fn parts(body: Body<'_>, content: Option<&str>) -> Result<Vec<Part>, BadBody> {
    let Some(content) = content else {
        return Ok(Vec::new());
    };
    if json::is_string(content) {
        return Ok(vec![Part::text(body.text(content, PARAM)?)]);
    }
    if !json::is_array(content) {
        let what = "has a `content` that is neither a string nor an array of parts";
        return Err(body.fault(content, PARAM, what));
    }
    let parts = body.elements(content, PARAM)?.into_iter();
    parts.map(|part| self::part(body, part)).collect()
}

fn part(body: Body<'_>, part: &str) -> Result<Part, BadBody> {
    let [kind, cache] = body.named(part, PARAM, &["type", "cache_control"])?;
    let kind = body.needed(part, kind, PARAM, "has a part without a `type`")?;
    let cache = cache.map(|v| body.any(v, PARAM)).transpose()?;
    let needed = |name: &'static str| {
        let what = format!("has a part without its `{name}`");
        let missing = || body.fault(part, PARAM, &what);
        json::member(part, name).ok_or_else(missing)
    };
    Ok(match kind.as_str() {
        "text" => Part::Text {
            text: body.text(needed("text")?, PARAM)?,
            citations: None,
            cache,
        },
        "refusal" => Part::Refusal {
            text: body.text(needed("refusal")?, PARAM)?,
        },
        "image_url" => image(body, needed("image_url")?, cache)?,
        "input_audio" => sound(body, needed("input_audio")?)?,
        "file" => file(body, needed("file")?, cache)?,
        "video_url" => {
            let (source, _) = address(body, needed("video_url")?)?;
            let name = None;
            Part::File {
                source,
                name,
                cache,
            }
        }
        // Mistral's
        "document_url" => Part::File {
            source: Source::of_url(&body.text(needed("document_url")?, PARAM)?),
            name: json::member(part, "document_name")
                .map(|v| body.text(v, PARAM))
                .transpose()?,
            cache,
        },
        _ => Part::Other {
            kind,
            value: body.any(part, PARAM)?,
        },
    })
}

fn image(body: Body<'_>, value: &str, cache: Option<Json>) -> Result<Part, BadBody> {
    let (source, detail) = address(body, value)?;
    Ok(Part::Image {
        source,
        detail,
        cache,
    })
}

/// `{"url":…,"detail":…}`, or the address itself (Mistral).
fn address(body: Body<'_>, value: &str) -> Result<(Source, Option<String>), BadBody> {
    if json::is_string(value) {
        return Ok((Source::of_url(&body.text(value, PARAM)?), None));
    }
    let [url, detail] = body.named(value, PARAM, &["url", "detail"])?;
    let url = body.needed(value, url, PARAM, "has a part without its `url`")?;
    let detail = detail.map(|v| body.text(v, PARAM)).transpose()?;
    Ok((Source::of_url(&url), detail))
}

fn sound(body: Body<'_>, value: &str) -> Result<Part, BadBody> {
    let [data, format] = body.named(value, PARAM, &["data", "format"])?;
    Ok(Part::Audio {
        data: body.needed(value, data, PARAM, "has an `input_audio` without `data`")?,
        format: format
            .map(|v| body.text(v, PARAM))
            .transpose()?
            .unwrap_or_default(),
    })
}

fn file(body: Body<'_>, value: &str, cache: Option<Json>) -> Result<Part, BadBody> {
    let names = ["file_data", "file_id", "filename"];
    let [data, id, name] = body.named(value, PARAM, &names)?;
    let source = match (data, id) {
        (Some(data), _) => self::data(body.text(data, PARAM)?),
        (None, Some(id)) => Source::Id(body.text(id, PARAM)?),
        (None, None) => {
            let what = "has a `file` with neither `file_data` nor `file_id`";
            return Err(body.fault(value, PARAM, what));
        }
    };
    let name = name.map(|v| body.text(v, PARAM)).transpose()?;
    Ok(Part::File {
        source,
        name,
        cache,
    })
}

/// A `data:` URL (OpenAI), an address (OpenRouter), or bare base64.
fn data(text: String) -> Source {
    let is_url = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    match ["data:", "https://", "http://"].into_iter().any(is_url) {
        true => Source::of_url(&text),
        false => Source::Inline {
            media_type: String::new(),
            data: text,
        },
    }
}
