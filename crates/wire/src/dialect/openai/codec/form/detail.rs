//! Thoughts with what proves or hides them.
//!
//! `reasoning_content` has a place for words only. A signature is worth nothing without exactly the words that it
//! signs, so they stand beside it.

use std::borrow::Cow;

use serde::Serialize;

/// An element of `reasoning_details`, as OpenRouter spells them: a thought with what proves it to its maker,
/// whole, so that a caller who keeps the list can send it back as it is.
#[derive(Debug, Serialize)]
pub(in super::super) struct Detail<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
    index: usize,
}

impl<'a> Detail<'a> {
    /// A signed thought; without text if it is not told.
    pub(in super::super) fn signed(text: Cow<'a, str>, signature: &'a str, index: usize) -> Self {
        Self {
            r#type: "reasoning.text",
            id: None,
            text: Some(text).filter(|text| !text.is_empty()),
            signature: Some(signature),
            data: None,
            index,
        }
    }

    /// A thought that only its maker can read.
    pub(in super::super) fn opaque(data: &'a str, id: Option<&'a str>, index: usize) -> Self {
        Self {
            r#type: "reasoning.encrypted",
            id,
            text: None,
            signature: None,
            data: Some(data),
            index,
        }
    }
}
