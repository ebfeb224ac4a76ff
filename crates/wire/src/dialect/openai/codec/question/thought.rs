//! Thinking that a caller sends back with a message of the model.
//!
//! It comes in four spellings, often in two at once: LiteLLM's `thinking_blocks` and OpenRouter's
//! `reasoning_details` carry signatures, `reasoning_content` and `reasoning` are bare words. The richest counts.
//! Callers that do not put a streamed list together send its fragments, which have the same `index`.

use super::super::body::Body;
use crate::{BadBody, json, middle::Part};

const PARAM: &str = "messages";

/// The thoughts of an assistant's message.
pub(super) fn parts(body: Body<'_>, message: &str) -> Result<Vec<Part>, BadBody> {
    let names = [
        "thinking_blocks",
        "reasoning_details",
        "reasoning_content",
        "reasoning",
    ];
    let [blocks, details, content, reasoning] = body.named(message, PARAM, &names)?;
    let mut parts = Vec::new();
    for list in [blocks, details].into_iter().flatten() {
        if parts.is_empty() && json::is_array(list) {
            parts = self::list(body, list)?;
        }
    }
    let said = |part: &Part| matches!(part, Part::Reasoning { text, .. } if !text.is_empty());
    for words in [content, reasoning].into_iter().flatten() {
        if json::is_text(words) && !parts.iter().any(said) {
            parts.insert(0, Part::reasoning(body.text(words, PARAM)?));
        }
    }
    Ok(parts)
}

fn list(body: Body<'_>, list: &str) -> Result<Vec<Part>, BadBody> {
    let (mut parts, mut last) = (Vec::new(), None);
    for element in body.elements(list, PARAM)? {
        let index = json::member(element, "index");
        let Some(part) = self::element(body, element)? else {
            continue;
        };
        let same = index.is_some() && last == index;
        last = index;
        match parts.last_mut().filter(|_| same) {
            Some(earlier) => add(earlier, part),
            None => parts.push(part),
        }
    }
    Ok(parts)
}

/// `None` if it says nothing.
fn element(body: Body<'_>, element: &str) -> Result<Option<Part>, BadBody> {
    let names = ["text", "thinking", "summary", "signature", "data", "id"];
    let [text, thinking, summary, signature, data, id] = body.named(element, PARAM, &names)?;
    let words = text.or(thinking).or(summary).filter(|v| json::is_string(v));
    let string = |value: Option<&str>| {
        let text = value.map(|v| body.text(v, PARAM)).transpose()?;
        Ok::<_, BadBody>(text.filter(|text| !text.is_empty()))
    };
    let (words, signature, opaque) = (string(words)?, string(signature)?, string(data)?);
    if words.is_none() && signature.is_none() && opaque.is_none() {
        return Ok(None);
    }
    Ok(Some(Part::Reasoning {
        text: words.unwrap_or_default(),
        signature,
        opaque,
        id: string(id)?,
    }))
}

/// Adds a fragment to the thought that it is of.
fn add(earlier: &mut Part, fragment: Part) {
    let Part::Reasoning {
        text,
        signature,
        opaque,
        id,
    } = earlier
    else {
        return;
    };
    if let Part::Reasoning {
        text: more,
        signature: signed,
        opaque: hidden,
        id: named,
    } = fragment
    {
        text.push_str(&more);
        *signature = signed.or(signature.take());
        *opaque = hidden.or(opaque.take());
        *id = named.or(id.take());
    }
}
