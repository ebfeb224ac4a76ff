//! What a message or the result of a tool holds: a string, or parts.

use super::reader::Reader;
use crate::{
    BadBody, json,
    middle::{Json, Part, Source},
};

/// Reads `content` or `output`. An empty array is nothing, an empty string is an empty text.
pub(super) fn read<'a>(
    reader: Reader<'a>,
    value: &'a str,
    param: &'static str,
) -> Result<Vec<Part>, BadBody> {
    if json::is_string(value) {
        return Ok(vec![Part::text(reader.string(value, param)?)]);
    }
    if !json::is_array(value) {
        return Err(reader.fault(value, param, "must be a string or an array"));
    }
    let parts = reader.elements(value, param)?;
    parts.into_iter().map(|value| part(reader, value)).collect()
}

fn part<'a>(reader: Reader<'a>, value: &'a str) -> Result<Part, BadBody> {
    let [kind, text] = reader.named(value, &["type", "text"], "input[].content[]")?;
    let kind = reader.required(kind, value, "input[].content[].type")?;
    Ok(match kind.as_str() {
        "input_text" | "output_text" | "text" => Part::Text {
            text: reader.required(text, value, "input[].content[].text")?,
            citations: citations(value),
            cache: None,
        },
        "refusal" => {
            let [words] = reader.named(value, &["refusal"], "input[].content[]")?;
            Part::Refusal {
                text: reader.required(words, value, "input[].content[].refusal")?,
            }
        }
        "input_image" => image(reader, value)?,
        "input_file" => file(reader, value)?,
        "input_audio" => audio(reader, value)?,
        _ => Part::Other {
            kind,
            value: reader.value(value, "input[].content[]")?,
        },
    })
}

/// The annotations of a text, if there are any.
pub(in super::super) fn citations(text: &str) -> Option<Json> {
    let annotations = json::member(text, "annotations")?;
    let mut any = false;
    json::elements(annotations, |_| any = true);
    Json::parse(annotations).filter(|_| any)
}

fn image<'a>(reader: Reader<'a>, value: &'a str) -> Result<Part, BadBody> {
    let names = ["image_url", "file_id", "detail"];
    let [url, id, detail] = reader.named(value, &names, "input[].content[]")?;
    let url = reader.optional(url, "input[].content[].image_url")?;
    let id = reader.optional(id, "input[].content[].file_id")?;
    let source = url.map(|url| Source::of_url(&url));
    let none = "needs an image_url or a file_id";
    Ok(Part::Image {
        source: source
            .or(id.map(Source::Id))
            .ok_or_else(|| reader.fault(value, "input[].content[]", none))?,
        detail: reader.optional(detail, "input[].content[].detail")?,
        cache: None,
    })
}

fn file<'a>(reader: Reader<'a>, value: &'a str) -> Result<Part, BadBody> {
    let names = ["file_data", "file_url", "file_id", "filename"];
    let [data, url, id, name] = reader.named(value, &names, "input[].content[]")?;
    let data = reader.optional(data, "input[].content[].file_data")?;
    let url = reader.optional(url, "input[].content[].file_url")?;
    let id = reader.optional(id, "input[].content[].file_id")?;
    let source = data
        .map(|data| inline(&data))
        .or(url.map(|url| Source::of_url(&url)))
        .or(id.map(Source::Id));
    let none = "needs file_data, a file_url or a file_id";
    Ok(Part::File {
        source: source.ok_or_else(|| reader.fault(value, "input[].content[]", none))?,
        name: reader.optional(name, "input[].content[].filename")?,
        cache: None,
    })
}

/// `file_data` is a `data:` URL, or base64 alone.
fn inline(data: &str) -> Source {
    match Source::of_url(data) {
        Source::Url(_) if !data.starts_with("data:") => Source::Inline {
            media_type: String::new(),
            data: data.to_owned(),
        },
        source => source,
    }
}

fn audio<'a>(reader: Reader<'a>, value: &'a str) -> Result<Part, BadBody> {
    let [inner] = reader.named(value, &["input_audio"], "input[].content[]")?;
    let none = || {
        reader.fault(
            value,
            "input[].content[].input_audio",
            "is missing; send it",
        )
    };
    let inner = inner.ok_or_else(none)?;
    let [data, format] =
        reader.named(inner, &["data", "format"], "input[].content[].input_audio")?;
    Ok(Part::Audio {
        data: reader.required(data, inner, "input[].content[].input_audio.data")?,
        format: reader.required(format, inner, "input[].content[].input_audio.format")?,
    })
}
