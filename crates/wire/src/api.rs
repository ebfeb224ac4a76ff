//! The APIs as they are on the wire, and how each of them is read.
//!
//! A [`Surface`](crate::Surface) is what callers speak and an [`Api`] what is spoken with a target; where the
//! two are the same, bytes are relayed, else they are translated ([`via`](crate::via)). One API can be
//! spoken by many dialects: chat completions is that of OpenAI, Azure, OpenRouter and everyone who copied it.

use bytes::Bytes;

use crate::{
    Class, Surface, Verdict,
    dialect::{
        AnswerSummary, Durations, End, Judge, anthropic, bedrock, gemini, ollama, openai, responses,
    },
    frame::Framing,
    hosted::Host,
    json,
    middle::{Derived, UpstreamCodec, summary},
};

/// An API on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's legacy completions.
    Completions,
    /// OpenAI's embeddings.
    Embeddings,
    /// OpenAI's images.
    Images,
    /// OpenAI's Responses API.
    Responses,
    /// Anthropic's messages.
    Messages,
    /// The same on Vertex AI: the model stands in the path.
    VertexMessages,
    /// The same by Bedrock's InvokeModel.
    InvokeMessages,
    /// Anthropic's count of a prompt's tokens.
    CountTokens,
    /// Gemini's `generateContent`.
    Gemini,
    /// Gemini's `batchEmbedContents`.
    GeminiEmbeddings,
    /// Vertex AI's `predict` with a model for embeddings.
    VertexEmbeddings,
    /// Vertex AI's `embedContent`, for embeddings of models that have no `predict`.
    VertexContent,
    /// Bedrock's `converse`.
    Converse,
    /// Bedrock's InvokeModel with Amazon's text embeddings.
    TitanEmbeddings,
    /// Bedrock's InvokeModel with Cohere's embeddings.
    CohereEmbeddings,
    /// Ollama's `/api/chat`.
    Ollama,
    /// Ollama's `/api/generate`.
    OllamaGenerate,
    /// Ollama's `/api/embed`.
    OllamaEmbed,
    /// Image models behind Vercel's AI Gateway.
    VercelImages,
    /// TypeSafe's `systemone`: one JSON object in, one out.
    SystemOne,
    /// Bytes of which nothing is known.
    Raw,
}

impl Api {
    /// The API that a surface is.
    pub const fn of(surface: Surface) -> Self {
        match surface {
            Surface::Chat => Self::Chat,
            Surface::Completions => Self::Completions,
            Surface::Embeddings => Self::Embeddings,
            Surface::Images => Self::Images,
            Surface::Responses => Self::Responses,
            Surface::Messages => Self::Messages,
            Surface::CountTokens => Self::CountTokens,
            Surface::SystemOne => Self::SystemOne,
            Surface::Passthrough => Self::Raw,
        }
    }

    /// How its streams are framed.
    pub const fn framing(self) -> Framing {
        match self {
            Self::Converse => Framing::EventStream,
            Self::InvokeMessages => Framing::Chunks,
            Self::Ollama | Self::OllamaGenerate => Framing::Lines,
            _ => Framing::Sse,
        }
    }

    /// Who serves Anthropic's messages by it in Anthropic's place; `None` where it is another API, or
    /// Anthropic's own.
    pub const fn host(self) -> Option<Host> {
        match self {
            Self::VertexMessages => Some(Host::Vertex),
            Self::InvokeMessages => Some(Host::Bedrock),
            _ => None,
        }
    }

    /// Its codec for conversations; `None` where it has none.
    pub const fn codec(self) -> Option<&'static UpstreamCodec> {
        Some(match self {
            Self::Chat => &openai::codec::UPSTREAM,
            Self::Responses => &responses::UPSTREAM,
            Self::Messages => &anthropic::UPSTREAM,
            Self::VertexMessages => &anthropic::VERTEX,
            Self::InvokeMessages => &bedrock::INVOKE,
            Self::Gemini => &gemini::UPSTREAM,
            Self::Converse => &bedrock::UPSTREAM,
            Self::Ollama => &ollama::UPSTREAM,
            _ => return None,
        })
    }

    /// The header of a whole answer that counts the tokens of the question, where the body may not
    /// (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html> has the others of its
    /// kind).
    pub const fn counted_in(self) -> Option<&'static str> {
        match self {
            Self::TitanEmbeddings | Self::CohereEmbeddings => {
                Some("x-amzn-bedrock-input-token-count")
            }
            _ => None,
        }
    }

    /// Judges a stream that is relayed as it is.
    pub fn judge(self, surface: Surface, choices: u32) -> Box<dyn Judge> {
        match self.codec() {
            Some(_) if matches!(self, Self::Messages | Self::VertexMessages) => {
                anthropic::judge(choices)
            }
            Some(_) if self == Self::InvokeMessages => bedrock::invoke_judge(choices),
            Some(_) if self == Self::Responses => responses::judge(choices),
            Some(codec) if self != Self::Chat => Box::new(Derived::new((codec.stream)(choices))),
            _ => Box::new(openai::Judge::new(surface, choices)),
        }
    }

    /// Judges a whole answer that is relayed as it is.
    ///
    /// # Errors
    /// The in-band verdict for an error object; [`Class::Malformed`] for what is no answer of this API.
    pub fn answer(self, surface: Surface, body: &Bytes) -> Result<AnswerSummary, Verdict> {
        match self {
            Self::SystemOne => object(body),
            Self::CountTokens => anthropic::judge_count(body),
            Self::Chat => openai::judge_answer(surface, body),
            _ => match self.codec() {
                Some(codec) => (codec.answer)(body).map(|answer| summary(&answer)),
                None => openai::judge_answer(surface, body),
            },
        }
    }
}

/// What is said of a response by its id: the response, in whatever state, a list of what went into it, or that
/// it is gone. A response that failed names its error and is an answer all the same. Tokens were counted when
/// it was made.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`] for what is no object.
pub fn about_response(body: &[u8]) -> Result<AnswerSummary, Verdict> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let of_the_api = json::member(text, "object").is_some_and(json::is_string);
    match object(body) {
        Err(verdict) if verdict.class == Class::Malformed || !of_the_api => Err(verdict),
        _ => Ok(AnswerSummary {
            id: json::member(text, "id")
                .and_then(json::text)
                .map(Into::into),
            ..plain()
        }),
    }
}

/// Any object that is no error is an answer.
fn object(body: &[u8]) -> Result<AnswerSummary, Verdict> {
    let text = std::str::from_utf8(body).unwrap_or_default().trim();
    if !json::is_object(text) || json::entries(text).is_none() {
        let what = "the answer is not a JSON object";
        return Err(Verdict::of(Class::Malformed, what));
    }
    if json::member(text, "error").is_some() {
        return Err(Verdict::in_band(body));
    }
    Ok(plain())
}

/// Says nothing about itself.
fn plain() -> AnswerSummary {
    AnswerSummary {
        usage: None,
        finish: None,
        id: None,
        model: None,
        has_content: true,
        end: End::Stop,
        state: Vec::new(),
        durations: Durations::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_api_says_of_a_response_is_an_answer() {
        for (body, id) in [
            (
                r#"{"id":"r","object":"response","status":"failed","error":{"code":"x","message":"m"}}"#,
                Some("r"),
            ),
            (
                r#"{"id":"r","object":"response","error":null,"output":[]}"#,
                Some("r"),
            ),
            (
                r#"{"id":"r","object":"response.deleted","deleted":true}"#,
                Some("r"),
            ),
            (r#"{"object":"list","data":[]}"#, None),
            (r#"{"deleted":true}"#, None),
        ] {
            let summary = about_response(body.as_bytes()).unwrap();
            assert_eq!(
                (summary.id.as_deref(), summary.has_content),
                (id, true),
                "{body}"
            );
        }
        for body in [
            "",
            "[]",
            "<html>",
            r#"{"error":{"message":"overloaded"}}"#,
            r#"{"object":"response""#,
        ] {
            assert!(about_response(body.as_bytes()).is_err(), "{body}");
        }
    }
}
