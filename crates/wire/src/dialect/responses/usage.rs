//! Token counts: `input_tokens` includes what was read from and written to a cache, `output_tokens` includes
//! reasoning, as in the middle form.

use serde::Serialize;

use crate::{Usage, json};

/// Reads a `usage` object; `None` if it tells nothing.
pub(super) fn read(object: &str) -> Option<Usage> {
    let mut usage = Usage::read(object)?;
    usage.cache_write = json::member(object, "input_tokens_details")
        .and_then(|details| json::member(details, "cache_write_tokens"))
        .and_then(json::count);
    Some(usage)
}

/// A `usage` object with every count that the SDKs demand.
#[derive(Debug, Serialize)]
pub(super) struct Counts {
    input_tokens: u64,
    input_tokens_details: Input,
    output_tokens: u64,
    output_tokens_details: Output,
    total_tokens: u64,
}

#[derive(Debug, Serialize)]
struct Input {
    cached_tokens: u64,
    cache_write_tokens: u64,
}

#[derive(Debug, Serialize)]
struct Output {
    reasoning_tokens: u64,
}

impl Counts {
    /// `None` if nothing was counted; single counts that are not known are 0.
    pub(super) fn of(usage: &Usage) -> Option<Self> {
        let input = usage.input.unwrap_or(0);
        let output = usage.output.unwrap_or(0);
        (!usage.is_empty()).then(|| Self {
            input_tokens: input,
            input_tokens_details: Input {
                cached_tokens: usage.cached_input.unwrap_or(0),
                cache_write_tokens: usage.cache_write.unwrap_or(0),
            },
            output_tokens: output,
            output_tokens_details: Output {
                reasoning_tokens: usage.reasoning.unwrap_or(0),
            },
            total_tokens: usage.total.unwrap_or(input.saturating_add(output)),
        })
    }
}
