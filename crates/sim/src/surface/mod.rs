//! What each API's well-behaved answer looks like.
//!
//! A [`Voice`] knows the forms of one surface and nothing of faults; scripts rearrange what it says. Texts
//! are fixed, so that a test can compare bytes: token n is `tokN ` and `created` never moves.

mod azure;
mod bedrock;
mod chat;
mod completions;
mod converse;
mod credential;
mod embeddings;
mod gemini;
mod images;
mod messages;
mod ollama;
mod responses;
mod system_one;

pub(crate) use credential::refusal;

use crate::answer::{Content, Kind, Part, Place, Problem, Shape};
use crate::ask::Ask;
use crate::route::Surface;

/// `created` of every answer, Unix seconds.
const CREATED: u64 = 1_760_000_000;
/// `prompt_tokens` of every answer.
const PROMPT_TOKENS: usize = 7;

/// `created` as RFC 3339 has it.
const CREATED_AT: &str = "2025-10-09T08:53:20Z";

/// The forms of one surface.
pub(crate) trait Voice: Sync {
    /// How lines end in a stream.
    fn line_end(&self) -> &'static str {
        "\n"
    }
    /// Everything of a stream before its first content.
    fn preamble(&self, ask: &Ask) -> Vec<Part>;
    /// What opens the text, where other content came first.
    fn opening(&self, _ask: &Ask) -> Vec<Part> {
        Vec::new()
    }
    /// The event that opens an answer and says nothing.
    fn role(&self, ask: &Ask) -> Content {
        let first = self.preamble(ask).into_iter().next();
        first.map_or_else(|| self.text(ask, ""), |part| part.content)
    }
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
    /// The last event, where there is one.
    fn done(&self, _ask: &Ask, _shape: &Shape) -> Option<Content> {
        Some(Content::data("[DONE]".to_owned()))
    }
    /// Writes into an event what depends on its place in the stream.
    fn stamp(&self, _data: &mut String, _shape: &Shape, _place: Place) {}
    /// The body of an error status.
    fn problem(&self, problem: &Problem) -> String {
        format!(r#"{{"error":{}}}"#, problem.object())
    }
    /// A header line of an error status.
    fn problem_header(&self, _problem: &Problem) -> Option<(&'static str, String)> {
        None
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
        Surface::Completions => &completions::Completions,
        Surface::Azure => &azure::Azure,
        Surface::Messages | Surface::MessageCount => &messages::Messages,
        Surface::Responses | Surface::Stored => &responses::Responses,
        Surface::Gemini | Surface::GeminiCount => &gemini::Gemini,
        Surface::GeminiEmbed | Surface::Predict => &gemini::Gemini,
        Surface::OllamaChat | Surface::OllamaEmbed | Surface::OllamaTags => &ollama::Chat,
        Surface::OllamaGenerate => &ollama::Generate,
        Surface::Converse => &converse::Converse,
        Surface::Invoke | Surface::TitanEmbed | Surface::CohereEmbed => &bedrock::Invoke,
        Surface::Chat | Surface::Embeddings | Surface::Images | Surface::ImageModel => &chat::Chat,
        Surface::SystemOne | Surface::Credential(_) | Surface::Other => &chat::Chat,
    }
}

/// The whole unary body.
pub(crate) fn whole(ask: &Ask, shape: &Shape) -> String {
    match ask.surface {
        Surface::Embeddings => embeddings::whole(ask),
        Surface::Images => images::whole(ask),
        Surface::ImageModel => images::gateway(ask),
        Surface::MessageCount => format!(r#"{{"input_tokens":{PROMPT_TOKENS}}}"#),
        Surface::GeminiCount => gemini::count(),
        Surface::GeminiEmbed => gemini::embeddings(ask),
        Surface::Predict => gemini::predictions(ask),
        Surface::TitanEmbed => bedrock::titan(),
        Surface::CohereEmbed => bedrock::cohere(ask),
        Surface::OllamaEmbed => ollama::embeddings(ask),
        Surface::OllamaTags => ollama::tags(&["sim".to_owned()]),
        Surface::SystemOne => system_one::whole(ask),
        Surface::Stored => responses::stored(ask, shape),
        Surface::Credential(issuer) => credential::whole(issuer, ask, shape),
        surface => voice(surface).whole(ask, shape),
    }
}

/// The models that a simulator serves, as Ollama lists them.
pub(crate) fn tags(names: &[String]) -> String {
    ollama::tags(names)
}

/// The body of an error.
pub(crate) fn problem(ask: &Ask, problem: &Problem) -> String {
    match ask.surface {
        Surface::Credential(issuer) => credential::problem(issuer, problem),
        surface => voice(surface).problem(problem),
    }
}

/// The type of a unary body, errors included.
pub(crate) fn content_type(ask: &Ask) -> &'static str {
    match ask.surface {
        Surface::Credential(issuer) => credential::content_type(issuer, ask),
        _ => "application/json",
    }
}

/// Header lines by which clients know who answers.
pub(crate) fn headers(ask: &Ask) -> &'static [(&'static str, &'static str)] {
    match ask.surface {
        Surface::Credential(issuer) => credential::headers(issuer),
        Surface::Converse | Surface::Invoke | Surface::TitanEmbed | Surface::CohereEmbed => {
            &[("x-amzn-requestid", "sim")]
        }
        _ => &[],
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
