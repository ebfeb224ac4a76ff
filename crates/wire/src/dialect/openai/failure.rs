//! Finish reasons that admit a failure.
//!
//! Servers that fail in the middle of an answer say so where others say why they stopped. Such an answer is
//! not complete, whatever was sent; relayed or translated, it is one failure.

use crate::{Class, Verdict};

/// The failure that a finish reason admits.
pub(super) fn of_finish(word: &str) -> Option<Verdict> {
    let class = match word {
        // Mistral, OpenRouter, vLLM
        "error" => Class::ServerError,
        // DeepSeek: "interrupted due to insufficient resource of the inference system"
        "insufficient_system_resource" => Class::Overloaded,
        // vLLM: the request was aborted at the server
        "abort" => Class::StreamError,
        _ => return None,
    };
    Some(Verdict::of(
        class,
        "the upstream ended the answer with a failure",
    ))
}
