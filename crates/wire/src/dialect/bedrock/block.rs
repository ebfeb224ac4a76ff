//! The blocks that a message is made of, as they are written.

use std::borrow::Cow;

use serde::Serialize;

use super::media::{Document, Media};
use crate::middle::Json;

/// A union with one member.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Block<'a> {
    Text(&'a str),
    Image(Media<'a>),
    Document(Document<'a>),
    Video(Media<'a>),
    Audio(Media<'a>),
    ToolUse(ToolUse<'a>),
    ToolResult(ToolResult<'a>),
    ReasoningContent(Reasoning<'a>),
    CachePoint(CachePoint),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolUse<'a> {
    pub(super) tool_use_id: Cow<'a, str>,
    pub(super) name: &'a str,
    pub(super) input: Json,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolResult<'a> {
    pub(super) tool_use_id: Cow<'a, str>,
    pub(super) content: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reasoning<'a> {
    ReasoningText { text: &'a str, signature: &'a str },
    RedactedContent(&'a str),
}

/// What was said up to here may be kept by the provider.
#[derive(Debug, Serialize)]
pub(super) struct CachePoint {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<String>,
}

impl CachePoint {
    /// Of Anthropic's `cache_control`; the `ttl` has the same words.
    pub(super) fn of(cache: &Json) -> Self {
        let ttl = cache.member("ttl").and_then(crate::json::text);
        Self {
            r#type: "default",
            ttl: ttl.map(Cow::into_owned),
        }
    }
}

/// An id of a call that other providers made up, in the letters that are allowed here (at most 64 of
/// `[a-zA-Z0-9_.:-]`). The same id always becomes the same, so that a result finds its call.
pub(super) fn call_id(id: &str) -> Cow<'_, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    if (1..=64).contains(&id.len()) && id.chars().all(allowed) {
        return Cow::Borrowed(id);
    }
    let kept: String = id.chars().filter(|c| allowed(*c)).take(40).collect();
    Cow::Owned(format!("{kept}-{:016x}", crate::state::fingerprint(id)))
}
