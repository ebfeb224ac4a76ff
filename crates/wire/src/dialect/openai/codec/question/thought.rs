//! Thinking that a caller sends back with a message of the model.
//!
//! It comes in four spellings, often in two at once: LiteLLM's `thinking_blocks` and OpenRouter's
//! `reasoning_details` carry signatures, `reasoning_content` and `reasoning` are bare words. The richest
//! counts; where its signature has no words beside it, they are taken from the bare ones.

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
            for block in body.elements(list, PARAM)? {
                parts.extend(block_of(body, block)?);
            }
        }
    }
    let mut words = String::new();
    for value in [content, reasoning].into_iter().flatten() {
        if words.is_empty() && json::is_string(value) {
            words = body.text(value, PARAM)?;
        }
    }
    let said = |part: &Part| matches!(part, Part::Reasoning { text, .. } if !text.is_empty());
    if words.is_empty() || parts.iter().any(said) {
        return Ok(parts);
    }
    let signed = parts.iter_mut().find_map(|part| match part {
        Part::Reasoning {
            text,
            signature: Some(_),
            ..
        } => Some(text),
        _ => None,
    });
    match signed {
        Some(text) => *text = words,
        None => parts.insert(0, Part::reasoning(words)),
    }
    Ok(parts)
}

/// One element; `None` if it says nothing.
fn block_of(body: Body<'_>, block: &str) -> Result<Option<Part>, BadBody> {
    let names = ["text", "thinking", "summary", "signature", "data", "id"];
    let [text, thinking, summary, signature, data, id] = body.named(block, PARAM, &names)?;
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
