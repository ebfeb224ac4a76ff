//! What each API's well-behaved answer looks like.
//!
//! A [`Voice`] knows the forms of one surface and nothing of faults; scripts rearrange what it says. Texts
//! are fixed, so that a test can compare bytes: token n is `tokN ` and `created` never moves.

mod chat;
mod completions;
mod embeddings;
mod images;
mod messages;
mod responses;

use crate::answer::{Content, Kind, Part, Problem, Shape};
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
    /// Deltas of reasoning, with what surrounds them.
    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part>;
    /// A delta of a refusal.
    fn refusal(&self, ask: &Ask, text: &str) -> Content;
    /// One whole tool call: an opening that is no content, then its input.
    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part>;
    /// What closes the contents and tells the finish reason, which comes in OpenAI's words.
    fn finish(&self, ask: &Ask, shape: &Shape, reason: &str) -> Vec<Content>;
    /// A frame that carries usage and nothing else, or the nearest there is.
    fn usage(&self, ask: &Ask, tokens: usize) -> Content;
    /// The last event.
    fn done(&self, _ask: &Ask, _shape: &Shape) -> Content {
        Content::data("[DONE]".to_owned())
    }
    /// A last look at a stream's events.
    fn seal(&self, _parts: &mut [Part]) {}
    /// The body of an error status.
    fn problem(&self, problem: &Problem) -> String {
        format!(r#"{{"error":{}}}"#, problem.object())
    }
    /// An error inside a stream.
    fn problem_event(&self, problem: &Problem) -> Content {
        Content::data(self.problem(problem))
    }
    /// The unary body that says the same.
    fn whole(&self, ask: &Ask, shape: &Shape) -> String;
}

/// The voice of a surface; what has no streams of its own, or is unknown, is answered like a chat completion.
pub(crate) fn voice(surface: Surface) -> &'static dyn Voice {
    match surface {
        Surface::Chat | Surface::Embeddings | Surface::Images | Surface::Other => &chat::Chat,
        Surface::Completions => &completions::Completions,
        Surface::Messages => &messages::Messages,
        Surface::Responses => &responses::Responses,
    }
}

/// The whole unary body.
pub(crate) fn whole(ask: &Ask, shape: &Shape) -> String {
    match ask.surface {
        Surface::Embeddings => embeddings::whole(ask),
        Surface::Images => images::whole(),
        surface => voice(surface).whole(ask, shape),
    }
}

/// Deltas of content, each an event.
fn contents(events: impl Iterator<Item = Content>) -> Vec<Part> {
    events
        .map(|event| Part::now(Kind::Content, event))
        .collect()
}

/// The tool every tool call names, and its input in two deltas.
const TOOL: &str = "lookup";
const TOOL_INPUT: [&str; 2] = [r#"{"city":"#, r#""Paris"}"#];

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
