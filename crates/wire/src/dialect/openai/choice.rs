//! One element of `choices`, of an event or of a whole answer.

use std::borrow::Cow;

use super::content::{self, Held};
use crate::{Class, Verdict, json};

/// What a choice says.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    /// Absent means the first.
    pub(super) index: usize,
    pub(super) held: Held,
    /// Not empty.
    pub(super) finish: Option<Cow<'a, str>>,
}

impl<'a> Choice<'a> {
    /// Reads one; `None` if it is not an object.
    pub(super) fn read(choice: &'a str) -> Option<Self> {
        let names = ["index", "delta", "finish_reason", "text", "message"];
        let [index, delta, finish, text, message] = json::members(choice, &names)?;
        // Perplexity repeats all text so far in `message` beside the delta: it says nothing new
        let mut held = delta.or(message).map(content::held).unwrap_or_default();
        held.content |= text.is_some_and(json::is_text);
        Some(Self {
            index: index
                .and_then(json::count)
                .and_then(|i| usize::try_from(i).ok())
                .unwrap_or(0),
            held,
            finish: finish.and_then(json::text).filter(|word| !word.is_empty()),
        })
    }

    /// The failure that a finish reason admits: the answer is not complete, whatever was sent.
    pub(super) fn failure(&self) -> Option<Verdict> {
        let class = match self.finish.as_deref()? {
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
}
