//! The names of what only this API has.
//!
//! A value of another dialect can have a `type` too; what is not named here came from elsewhere and is not
//! passed on as if it were this API's. The lists are those of the official SDKs, and xAI's `x_search`.

use crate::{json, middle::Json};

/// Items that are written as they came.
const ITEMS: [&str; 26] = [
    "additional_tools",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "program",
    "program_output",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

/// Tools of the provider, without the date that some names end in.
const TOOLS: [&str; 16] = [
    "apply_patch",
    "code_interpreter",
    "computer",
    "computer_use_preview",
    "custom",
    "file_search",
    "image_generation",
    "local_shell",
    "mcp",
    "namespace",
    "programmatic_tool_calling",
    "shell",
    "tool_search",
    "web_search",
    "web_search_preview",
    "x_search",
];

/// Parameters that the middle form has no place for.
const PARAMETERS: [&str; 16] = [
    "access_programs",
    "background",
    "background_options",
    "context_management",
    "conversation",
    "image",
    "include",
    "max_tool_calls",
    "moderation",
    "previous_response_id",
    "prompt",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "tool_choice",
    "truncation",
];

/// Whether a `tool_choice` that the middle form does not have is this API's. Chat completions put what is chosen
/// into a member of its own (`{"type":"custom","custom":{…}}`), here it stands beside the `type`.
pub(super) fn is_choice(value: &Json) -> bool {
    let kind = value.member("type").and_then(json::text);
    kind.is_some_and(|kind| value.member(&kind).is_none())
}

/// Whether an item is this API's. Anthropic has a `compaction` too, which is in words; this one is encrypted.
pub(super) fn is_item(kind: &str, value: &Json) -> bool {
    let elsewhere = kind == "compaction" && value.member("encrypted_content").is_none();
    ITEMS.contains(&kind) && !elsewhere
}

/// Whether it is a tool of providers that speak this API: `web_search_2025_08_26` is, Anthropic's
/// `web_search_20250305` is not.
pub(super) fn is_tool(kind: &str) -> bool {
    let dated = |rest: &str| {
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        rest.len() == 11 && digits == 8 && rest.bytes().filter(|b| *b == b'_').count() == 3
    };
    TOOLS.iter().any(|name| {
        kind.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || dated(rest))
    })
}

/// Whether a member of a request is this API's: by its name, and by its form where another API has one of that
/// name (the `context_management` of Anthropic is an object, the `prompt` of legacy completions a text).
pub(super) fn is_parameter(name: &str, value: &Json) -> bool {
    let formed = match name {
        "context_management" => json::is_array(value.as_str()),
        "prompt" => value.is_object(),
        "truncation" => json::is_string(value.as_str()),
        _ => true,
    };
    formed && PARAMETERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{is_item, is_tool};
    use crate::middle::Json;

    #[test]
    fn a_compaction_in_words_is_another_providers() {
        let own = |value| is_item("compaction", &Json::parse(value).unwrap());
        assert!(own(
            r#"{"type":"compaction","id":"cmp_1","encrypted_content":"x"}"#
        ));
        assert!(!own(r#"{"type":"compaction","content":"They met."}"#));
    }

    #[test]
    fn a_tool_of_another_provider_is_not_taken_for_ours() {
        for ours in ["web_search", "web_search_preview_2025_03_11", "mcp"] {
            assert!(is_tool(ours), "{ours}");
        }
        for other in ["web_search_20250305", "bash_20250124", "googleSearch", ""] {
            assert!(!is_tool(other), "{other}");
        }
    }
}
