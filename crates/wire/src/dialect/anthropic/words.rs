//! Words of this API and what they are called elsewhere.
//!
//! What has an equal is translated both ways, so that a word comes back as it went; what has none keeps
//! its own word and becomes the nearest one in another family.

use crate::{dialect::Finish, middle::Json};

/// A `stop_reason`; `None` for an empty one.
pub(super) fn finish(word: &str) -> Option<Finish> {
    Some(match word {
        "end_turn" | "stop_sequence" => Finish::Stop,
        // the model's window and the caller's limit are one reason to everybody else
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        "refusal" => Finish::ContentFilter,
        other => return Finish::of(other),
    })
}

/// What else is known of an answer that ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ending {
    /// A stop sequence ended it.
    pub(super) sequence: bool,
    /// It calls tools.
    pub(super) calls: bool,
    /// It is a refusal.
    pub(super) refused: bool,
}

/// The `stop_reason` for a finish. SDKs run tools only on `tool_use`, so an answer with calls that "just
/// stopped" has that one; and without a call nothing is left for them to run, so that one is never told.
pub(super) fn stop_reason(finish: Option<&Finish>, ending: Ending) -> &str {
    let stopped = match ending {
        Ending { refused: true, .. } => "refusal",
        Ending { sequence: true, .. } => "stop_sequence",
        Ending { calls: true, .. } => "tool_use",
        _ => "end_turn",
    };
    match finish {
        None | Some(Finish::Stop) => stopped,
        Some(Finish::Length) => "max_tokens",
        Some(Finish::ToolCalls | Finish::FunctionCall) => called(ending).unwrap_or(stopped),
        Some(Finish::ContentFilter) => "refusal",
        Some(Finish::Other(word)) => match &**word {
            "pause_turn" | "compaction" => word,
            _ if finish.is_some_and(Finish::is_stop) => stopped,
            _ => nearest(word, ending).unwrap_or(stopped),
        },
    }
}

/// The word for an answer that ends with calls, if there are any.
fn called(ending: Ending) -> Option<&'static str> {
    ending.calls.then_some("tool_use")
}

/// By what a foreign word is made of.
fn nearest(word: &str, ending: Ending) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    if any(&["length", "token", "limit"]) {
        Some("max_tokens")
    } else if any(&["tool", "function"]) {
        called(ending)
    } else if any(&[
        "safety",
        "filter",
        "refus",
        "block",
        "prohibit",
        "recitation",
        "guardrail",
        "spii",
    ]) {
        Some("refusal")
    } else {
        None
    }
}

/// Whether blocks of this type are this API's own.
pub(super) fn is_own_block(kind: &str, value: &Json) -> bool {
    // that of the Responses API is encrypted and nothing else
    if kind == "compaction" && value.member("content").is_none() {
        return value.member("encrypted_content").is_none();
    }
    let plain = [
        "compaction",
        "container_upload",
        "document",
        "search_result",
        "tool_reference",
    ];
    plain.contains(&kind) || kind.ends_with("_tool_use") || kind.ends_with("_tool_result")
}

/// Whether a hosted tool is one of Anthropic's: their types end in a date (`web_search_20250305`).
pub(super) fn is_own_tool(kind: &str) -> bool {
    let dated = kind.rsplit_once('_').is_some_and(|(_, date)| {
        date.len() == 8 && date.starts_with("20") && date.bytes().all(|b| b.is_ascii_digit())
    });
    dated || kind == "mcp_toolset"
}

/// Whether citations are in the form of this API: objects whose type ends in `_location`.
pub(super) fn is_citation(value: &str) -> bool {
    let kind = crate::json::member(value, "type").and_then(crate::json::text);
    kind.is_some_and(|kind| kind.ends_with("_location"))
}

/// As [`is_citation`], for an array of them; an empty one says nothing.
pub(super) fn are_citations(value: &Json) -> bool {
    let (mut any, mut all) = (false, true);
    crate::json::elements(value.as_str(), |citation| {
        any = true;
        all &= is_citation(citation);
    });
    any && all
}

/// A `service_tier` of an answer in the words of the others.
pub(super) fn tier(word: &str) -> &str {
    match word {
        "standard" => "default",
        other => other,
    }
}

/// The same the other way; `None` for a tier that is not known here.
pub(super) fn own_tier(word: &str) -> Option<&'static str> {
    match word {
        "default" | "standard" => Some("standard"),
        "priority" => Some("priority"),
        "batch" => Some("batch"),
        _ => None,
    }
}

/// A `media_type` by the first characters of the base64, for files that were sent without one.
pub(super) fn media_type<'a>(told: &'a str, data: &str) -> &'a str {
    const BEGINNINGS: [(&str, &str); 5] = [
        ("JVBERi", "application/pdf"),
        ("iVBORw", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
    ];
    let known = || BEGINNINGS.iter().find(|(begin, _)| data.starts_with(begin));
    match told {
        "" | "application/octet-stream" => known().map_or(told, |(_, kind)| kind),
        "image/jpg" => "image/jpeg",
        told => told,
    }
}

#[cfg(test)]
mod tests {
    use super::is_own_block;
    use crate::middle::Json;

    #[test]
    fn an_encrypted_compaction_is_another_providers() {
        let own = |value| is_own_block("compaction", &Json::parse(value).unwrap());
        assert!(own(r#"{"type":"compaction","content":"They met."}"#));
        assert!(own(r#"{"type":"compaction","content":null}"#));
        assert!(!own(
            r#"{"type":"compaction","id":"cmp_1","encrypted_content":"x"}"#
        ));
    }
}
