//! What each API's well-behaved answer looks like.
//!
//! A [`Voice`] knows the forms of one surface and nothing of faults; scripts rearrange what it says. Texts
//! are fixed, so that a test can compare bytes: token n is `tokN ` and `created` never moves.

mod chat;
mod completions;
mod embeddings;

use crate::answer::{Content, Part, Shape};
use crate::ask::{Ask, Surface};

/// `created` of every answer, Unix seconds.
const CREATED: u64 = 1_760_000_000;
/// `prompt_tokens` of every answer.
const PROMPT_TOKENS: usize = 7;

/// The forms of one surface.
pub(crate) trait Voice: Sync {
    /// Everything of a stream before its first content.
    fn preamble(&self, ask: &Ask) -> Vec<Part>;
    /// A delta of text.
    fn text(&self, ask: &Ask, text: &str) -> Content;
    /// A delta of reasoning.
    fn reasoning(&self, ask: &Ask, text: &str) -> Content;
    /// A delta of a refusal.
    fn refusal(&self, ask: &Ask, text: &str) -> Content;
    /// One whole tool call: an opening that is no content, then its input.
    fn tool(&self, ask: &Ask) -> Vec<Part>;
    /// The chunk with the finish reason.
    fn finish(&self, ask: &Ask, reason: &str) -> Content;
    /// A frame that carries usage and nothing else.
    fn usage(&self, ask: &Ask, tokens: usize) -> Content;
    /// The unary body that says the same.
    fn whole(&self, ask: &Ask, shape: &Shape) -> String;
}

/// The voice of a surface; what has no streams of its own, or is unknown, is answered like a chat completion.
pub(crate) fn voice(surface: Surface) -> &'static dyn Voice {
    match surface {
        Surface::Chat | Surface::Embeddings | Surface::Other => &chat::Chat,
        Surface::Completions => &completions::Completions,
    }
}

/// The whole unary body.
pub(crate) fn whole(ask: &Ask, shape: &Shape) -> String {
    match ask.surface {
        Surface::Embeddings => embeddings::whole(ask),
        surface => voice(surface).whole(ask, shape),
    }
}

/// The usage object that OpenAI puts into answers and final chunks.
fn usage_json(tokens: usize) -> String {
    let total = PROMPT_TOKENS + tokens;
    format!(
        r#"{{"prompt_tokens":{PROMPT_TOKENS},"completion_tokens":{tokens},"total_tokens":{total}}}"#
    )
}

/// Text as a JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
