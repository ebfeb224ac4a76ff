//! Finish reasons in the words of chat completions.
//!
//! Its callers branch on a closed list, so the words of other APIs become the nearest of it.

use crate::dialect::Finish;

/// The nearest word of chat completions. Agents go on by it: a choice with calls never simply
/// stops, and one without any never ends in calls.
pub(super) fn word(finish: Option<&Finish>, has_calls: bool) -> &'static str {
    match finish {
        Some(Finish::Length) => "length",
        None | Some(Finish::Stop | Finish::ToolCalls | Finish::FunctionCall) => match has_calls {
            true => "tool_calls",
            false => "stop",
        },
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
    match has_calls {
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

    #[test]
    fn nothing_ends_in_calls_without_a_call() {
        for theirs in ["tool_use", "tool_call", "tool_calls", "function_call"] {
            let finish = Finish::of(theirs);
            assert_eq!(word(finish.as_ref(), false), "stop", "{theirs}");
            assert_eq!(word(finish.as_ref(), true), "tool_calls", "{theirs}");
        }
    }
}
