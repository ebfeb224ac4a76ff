//! One part of a candidate's content.

use std::borrow::Cow;

use super::call::{Calls, Sink};
use super::input::OutOfOrder;
use crate::{
    json,
    middle::{Delta, Json, Part, Source},
};

/// Whose part it is.
pub(super) struct Place<'a> {
    /// What tells the answer from others.
    pub(super) answer: &'a str,
    /// The candidate's index.
    pub(super) choice: u32,
}

/// What only Google has: code that it ran, and what came of it; tools that it used.
const OWN: [&str; 4] = [
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// Tells the steps of `part`; `logprobs` go to the first text.
pub(super) fn read(
    part: &str,
    place: &Place<'_>,
    calls: &mut Calls,
    logprobs: &mut Option<Json>,
    sink: Sink<'_>,
) -> Result<(), OutOfOrder> {
    const NAMES: [&str; 6] = [
        "text",
        "thought",
        "thoughtSignature",
        "functionCall",
        "inlineData",
        "fileData",
    ];
    let choice = place.choice;
    let Some([text, thought, signature, call, inline, file]) = json::members(part, &NAMES) else {
        return Ok(());
    };
    if let Some(call) = call {
        return calls.read(call, signature, (place.answer, choice), sink);
    }
    let thought = thought == Some("true");
    match text.map(json::text) {
        Some(Some(text)) if text.is_empty() => {}
        Some(Some(text)) if thought => sink(Delta::Reasoning { choice, text }),
        Some(Some(text)) => {
            let logprobs = logprobs.take();
            sink(Delta::Text {
                choice,
                text,
                logprobs: logprobs.as_ref().map(Json::as_str),
            });
        }
        Some(None) => sink(Delta::Lost("text")),
        None => {}
    }
    if let Some(value) = signature.and_then(json::text).filter(|s| !s.is_empty()) {
        match thought {
            true => sink(Delta::Signature { choice, value }),
            // that of a text need not be sent back, and has no place anywhere
            false => sink(Delta::Lost("thoughtSignature")),
        }
    }
    let data = inline.and_then(self::inline).or(file.and_then(self::file));
    match (data, thought) {
        (Some(part), false) => sink(Delta::Whole { choice, part }),
        (Some(_), true) => sink(Delta::Lost("thought.inlineData")),
        (None, _) => {}
    }
    if text.is_none() && inline.is_none() && file.is_none() {
        own(part, choice, sink);
    }
    Ok(())
}

fn own(part: &str, choice: u32, sink: Sink<'_>) {
    let Some(values) = json::members(part, &OWN) else {
        return;
    };
    let known = OWN.iter().zip(values).find(|(_, value)| value.is_some());
    if let Some((kind, value)) = known
        && let Some(value) = value.and_then(Json::parse)
    {
        let kind = (*kind).to_owned();
        let part = Part::Other { kind, value };
        sink(Delta::Whole { choice, part });
    }
}

fn inline(data: &str) -> Option<Part> {
    let [mime, data] = json::members(data, &["mimeType", "data"])?;
    let data = data.and_then(json::text)?.into_owned();
    let media_type = mime.and_then(json::text).map(Cow::into_owned);
    let media_type = media_type.unwrap_or_default();
    if let Some(format) = media_type.strip_prefix("audio/") {
        let format = format.to_owned();
        return Some(Part::Audio { data, format });
    }
    let source = Source::Inline { media_type, data };
    Some(sourced(source))
}

fn file(data: &str) -> Option<Part> {
    let [mime, address] = json::members(data, &["mimeType", "fileUri"])?;
    let source = Source::Url(address.and_then(json::text)?.into_owned());
    match mime.is_some_and(|mime| mime.starts_with("\"image/")) {
        true => Some(image(source)),
        false => Some(sourced(source)),
    }
}

fn sourced(source: Source) -> Part {
    match &source {
        Source::Inline { media_type, .. } if media_type.starts_with("image/") => image(source),
        _ => Part::File {
            source,
            name: None,
            cache: None,
        },
    }
}

fn image(source: Source) -> Part {
    Part::Image {
        source,
        detail: None,
        cache: None,
    }
}
