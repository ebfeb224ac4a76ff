//! The parts that text, reasoning and pictures of an answer can come in.
//!
//! A part tells itself: words by where they stand and what type it has, everything else whole. Parts of text
//! without a text say nothing.

use super::{super::loose, Each, Piece};
use crate::{
    json,
    middle::{Json, Part, Source},
};

/// What plain strings are, by where they stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Under {
    Text,
    Refusal,
    Reasoning,
}

/// Mistral nests `content[].thinking[].text`: three levels. Deeper is not looked at.
pub(super) const DEPTH: u8 = 3;

/// A string, or an array of strings and parts.
pub(super) fn parts<'a>(value: &'a str, under: Under, depth: u8, each: Each<'_, 'a>) {
    if json::is_array(value) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        json::elements(value, |element| match json::is_object(element) {
            true => part(element, under, depth, each),
            false => plain(element, under, each),
        });
    } else {
        plain(value, under, each);
    }
}

fn plain<'a>(value: &'a str, under: Under, each: Each<'_, 'a>) {
    if let Some(text) = loose::text(value) {
        each(match under {
            Under::Text => Piece::Text(text),
            Under::Refusal => Piece::Refusal(text),
            Under::Reasoning => Piece::Reasoning(text),
        });
    }
}

fn part<'a>(part: &'a str, under: Under, depth: u8, each: Each<'_, 'a>) {
    let names = [
        "type",
        "text",
        "thinking",
        "refusal",
        "summary",
        "data",
        "signature",
    ];
    let Some([kind, text, thinking, refusal, summary, data, signature]) =
        json::members(part, &names)
    else {
        return;
    };
    let kind = kind.and_then(json::text).unwrap_or_default();
    let thought = ["reasoning", "thinking"]
        .iter()
        .any(|k| kind.starts_with(k));
    let mut told = false;
    let mut tell = |piece| {
        told = true;
        each(piece);
    };
    let words = if thought { Under::Reasoning } else { under };
    for (value, under) in [
        (text, words),
        (thinking, Under::Reasoning),
        (summary, Under::Reasoning),
        (refusal, Under::Refusal),
    ] {
        parts(value.unwrap_or_default(), under, depth, &mut tell);
    }
    if let Some(data) = data.and_then(loose::text) {
        match words == Under::Reasoning || kind.contains("thinking") {
            true => tell(Piece::Opaque(data)),
            false => tell(Piece::Whole(media(&kind, part))),
        }
    }
    if !told && is_media(&kind) {
        each(Piece::Whole(media(&kind, part)));
    }
    if let Some(signature) = signature.and_then(loose::text) {
        each(Piece::Signature(signature));
    }
}

/// Parts of text that have none say nothing; every other typed part is something as such.
fn is_media(kind: &str) -> bool {
    let textual = ["text", "output_text", "thinking", "refusal", "reference"];
    !textual.contains(&kind) && !kind.starts_with("reasoning") && !kind.is_empty()
}

fn media(kind: &str, part: &str) -> Part {
    let url = || {
        let image = json::member(part, "image_url")?;
        json::text(json::member(image, "url").unwrap_or(image))
    };
    match url().filter(|url| kind == "image_url" && !url.is_empty()) {
        Some(url) => Part::Image {
            source: Source::of_url(&url),
            detail: None,
            cache: None,
        },
        None => Part::Other {
            kind: kind.to_owned(),
            value: Json::parse(part).unwrap_or_else(|| Json::of(&())),
        },
    }
}
