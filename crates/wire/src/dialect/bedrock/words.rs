//! Reasons to stop and token counts, as Converse words them.

use std::time::Duration;

use crate::{
    Class, Usage, Verdict,
    dialect::{Durations, Finish},
    json,
};

/// Why it ended.
///
/// # Errors
/// A reason that admits that the answer is broken.
pub(super) fn finish(reason: &str) -> Result<Option<Finish>, Verdict> {
    Ok(Some(match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "tool_use" => Finish::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "guardrail_intervened" | "content_filtered" | "refusal" => Finish::ContentFilter,
        "malformed_model_output" | "malformed_tool_use" => {
            return Err(Verdict::of(
                Class::ServerError,
                "the model ended the answer with output that could not be read",
            ));
        }
        other => return Ok(Finish::of(other)),
    }))
}

/// The stop sequence that ended it, which is told where it was asked for.
pub(super) fn stop_sequence(fields: Option<&str>) -> Option<String> {
    let [direct, delta] = json::members(fields?, &["stop_sequence", "delta"])?;
    let nested = || json::member(delta?, "stop_sequence");
    json::text(direct.or_else(nested)?).map(Into::into)
}

/// `TokenUsage`: its input is what was neither read from a cache nor written to one.
pub(super) fn usage(object: &str) -> Option<Usage> {
    const NAMES: [&str; 5] = [
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ];
    let counts = json::members(object, &NAMES)?;
    let [fresh, output, total, cached, written] = counts.map(|value| value.and_then(json::count));
    let parts = [cached, written].map(Option::unwrap_or_default);
    let usage = Usage {
        input: fresh.map(|fresh| parts.iter().fold(fresh, |sum, n| sum.saturating_add(*n))),
        output,
        total,
        cached_input: cached,
        cache_write: written,
        reasoning: None,
    };
    (!usage.is_empty()).then_some(usage)
}

/// How long the service says it took.
pub(super) fn durations(metrics: &str) -> Option<Durations> {
    let latency = json::member(metrics, "latencyMs").and_then(json::count)?;
    Some(Durations {
        total: Some(Duration::from_millis(latency)),
        ..Durations::default()
    })
}
