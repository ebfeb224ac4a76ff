//! Token counts as chat completions have them.
//!
//! The sums include what their details are made of: cached tokens are prompt tokens, reasoning is completion.

use serde::Serialize;

/// `usage`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<Prompt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_tokens_details: Option<Completion>,
}

#[derive(Debug, Serialize)]
struct Prompt {
    cached_tokens: u64,
    /// OpenRouter's.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Completion {
    reasoning_tokens: u64,
}

impl Usage {
    /// Callers with strict types need all three sums: what is not known is 0 there.
    pub(in super::super) fn of(usage: &crate::Usage) -> Self {
        let (input, output) = (usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        let prompt = usage.cached_input.is_some() || usage.cache_write.is_some();
        Self {
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: usage.total.unwrap_or_else(|| input.saturating_add(output)),
            prompt_tokens_details: prompt.then(|| Prompt {
                cached_tokens: usage.cached_input.unwrap_or(0),
                cache_write_tokens: usage.cache_write,
            }),
            completion_tokens_details: usage
                .reasoning
                .map(|reasoning_tokens| Completion { reasoning_tokens }),
        }
    }
}
