//! Finish reasons in the words of chat completions.
//!
//! Its callers branch on a closed list, so the words of other APIs become the nearest of it.

use crate::dialect::Finish;

/// The nearest word of chat completions. A choice with calls never simply stops: agents go on by this word.
pub(super) fn word(finish: Option<&Finish>, has_calls: bool) -> &'static str {
    match finish {
        None | Some(Finish::Stop) if has_calls => "tool_calls",
        None | Some(Finish::Stop) => "stop",
        Some(Finish::Length) => "length",
        Some(Finish::ToolCalls | Finish::FunctionCall) => "tool_calls",
        Some(Finish::ContentFilter) => "content_filter",
        Some(Finish::Other(word)) => nearest(word, has_calls),
    }
}

fn nearest(word: &str, has_calls: bool) -> &'static str {
    let word = word.to_ascii_lowercase();
    let among = |words: &[&str]| words.iter().any(|w| word == *w);
    // Anthropic, Gemini, Mistral, Cohere
    if among(&[
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
        "error_limit",
    ]) {
        return "length";
    }
    // Anthropic, Gemini, Bedrock
    if among(&[
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "language",
        "content_filtered",
        "guardrail_intervened",
        "error_toxic",
    ]) {
        return "content_filter";
    }
    // Anthropic, Cohere
    match has_calls || among(&["tool_use", "tool_call"]) {
        true => "tool_calls",
        false => "stop",
    }
}

#[cfg(test)]
mod tests {
    use super::word;
    use crate::dialect::Finish;

    #[test]
    fn words_of_other_apis_become_the_nearest() {
        for (theirs, ours) in [
            ("stop", "stop"),
            ("end_turn", "stop"),
            ("pause_turn", "stop"),
            ("max_tokens", "length"),
            ("MAX_TOKENS", "length"),
            ("tool_use", "tool_calls"),
            ("function_call", "tool_calls"),
            ("SAFETY", "content_filter"),
            ("refusal", "content_filter"),
            ("never heard of", "stop"),
        ] {
            assert_eq!(word(Finish::of(theirs).as_ref(), false), ours, "{theirs}");
        }
        assert_eq!(word(Some(&Finish::Stop), true), "tool_calls");
        assert_eq!(word(Some(&Finish::Length), true), "length");
        assert_eq!(word(None, true), "tool_calls");
    }
}
