//! Why a candidate ended, and what was counted.

use crate::{Class, Usage, Verdict, dialect::Finish, json};

/// Words of `finishReason` that mean that a policy cut the answer.
const FILTERED: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "ESCALATION",
];

/// Words that admit that the answer is broken: the model wrote a call that cannot be read, one of a tool that it
/// was not given, or more than the service follows; or a thought that must come back was not there
/// (<https://ai.google.dev/api/generate-content#FinishReason>).
const BROKEN: [&str; 5] = [
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
];

/// By the word; `None` for none and for the one that means none. There is no word of its own for an answer
/// that ends with calls: it is `STOP` too.
///
/// # Errors
/// A reason that admits that the answer is broken.
pub(super) fn reason(word: &str, calls: bool) -> Result<Option<Finish>, Verdict> {
    Ok(match word {
        "FINISH_REASON_UNSPECIFIED" => None,
        "STOP" if calls => Some(Finish::ToolCalls),
        "STOP" => Some(Finish::Stop),
        "MAX_TOKENS" => Some(Finish::Length),
        word if FILTERED.contains(&word) => Some(Finish::ContentFilter),
        word if BROKEN.contains(&word) => {
            return Err(Verdict::of(
                Class::ServerError,
                "the model ended the answer with output that could not be read",
            ));
        }
        // `stop` and the like in lower case are not Google's words, but of servers that imitate it
        word => Finish::of(word),
    })
}

/// Reads `usageMetadata`; `None` if it counts nothing.
///
/// Thoughts stand beside the candidates' tokens and what tools were given beside the prompt's: with both the
/// total is the sum.
pub(super) fn usage(object: &str) -> Option<Usage> {
    const NAMES: [&str; 6] = [
        "promptTokenCount",
        "toolUsePromptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "totalTokenCount",
    ];
    let counts = json::members(object, &NAMES)?.map(|value| value.and_then(json::count));
    let [prompt, tools, cached, said, thought, total] = counts;
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => a.checked_add(b),
        (a, b) => a.or(b),
    };
    let usage = Usage {
        input: sum(prompt, tools),
        output: sum(said, thought),
        total,
        cached_input: cached,
        cache_write: None,
        reasoning: thought,
    };
    (!usage.is_empty()).then_some(usage)
}
