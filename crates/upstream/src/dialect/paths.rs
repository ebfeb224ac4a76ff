//! Which API of a dialect serves which surface, and where it is below the base URL.
//!
//! A model's name comes from a caller at times: it is percent-encoded as one path segment, so that no name
//! can reach another path or a query (`:` as `%3A`, which Bedrock's signatures need).

use crate::spec::Site;
use punctual_wire::{Api, Surface, dialect::bedrock::Family};
use std::{borrow::Cow, fmt::Write};

/// A conversation in whatever API, by the one that a dialect has for it.
const fn conversation(surface: Surface, api: Api) -> Option<Api> {
    match surface {
        Surface::Chat | Surface::Responses | Surface::Messages => Some(api),
        Surface::Passthrough => Some(Api::Raw),
        _ => None,
    }
}

pub(super) fn openai_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::Completions => Some(Api::Completions),
        Surface::Embeddings => Some(Api::Embeddings),
        Surface::Images => Some(Api::Images),
        _ => conversation(surface, Api::Chat),
    }
}

pub(super) fn responses_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    conversation(surface, Api::Responses)
}

pub(super) fn anthropic_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::CountTokens => Some(Api::CountTokens),
        _ => conversation(surface, Api::Messages),
    }
}

pub(super) fn gemini_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::Embeddings => Some(Api::GeminiEmbeddings),
        _ => conversation(surface, Api::Gemini),
    }
}

/// Claude is spoken to in Anthropic's own words there.
pub(super) fn vertex_api(_: &Site, surface: Surface, model: &str) -> Option<Api> {
    match (surface, model.starts_with("claude")) {
        (_, true) => conversation(surface, Api::VertexMessages),
        (Surface::Embeddings, false) if embeds_content(model) => Some(Api::VertexContent),
        (Surface::Embeddings, false) => Some(Api::VertexEmbeddings),
        (_, false) => conversation(surface, Api::Gemini),
    }
}

/// From `gemini-embedding-2` on embeddings are not predicted any more: there `predict` answers 400
/// `FAILED_PRECONDITION`, and before it `embedContent` takes one text where `predict` takes many.
fn embeds_content(model: &str) -> bool {
    let version = model.strip_prefix("gemini-embedding-").and_then(|rest| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u32>().ok()
    });
    version.is_some_and(|version| version >= 2)
}

pub(super) fn ollama_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::Completions => Some(Api::OllamaGenerate),
        Surface::Embeddings => Some(Api::OllamaEmbed),
        _ => conversation(surface, Api::Ollama),
    }
}

/// A model whose name does not tell its maker is taken for Claude where Claude is to be invoked, because nothing
/// else can be meant by it.
pub(super) fn bedrock_api(site: &Site, surface: Surface, model: &str) -> Option<Api> {
    match (surface, Family::of(model)) {
        (Surface::Embeddings, Family::TitanEmbed) => Some(Api::TitanEmbeddings),
        (Surface::Embeddings, Family::CohereEmbed) => Some(Api::CohereEmbeddings),
        (_, Family::Claude | Family::Unknown) if site.invoke => {
            conversation(surface, Api::InvokeMessages)
        }
        _ => conversation(surface, Api::Converse),
    }
}

pub(super) fn images_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::Images => Some(Api::Images),
        Surface::Passthrough => Some(Api::Raw),
        _ => None,
    }
}

pub(super) fn vercel_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::Images => Some(Api::VercelImages),
        Surface::Passthrough => Some(Api::Raw),
        _ => None,
    }
}

pub(super) fn typesafe_api(_: &Site, surface: Surface, _: &str) -> Option<Api> {
    match surface {
        Surface::SystemOne => Some(Api::SystemOne),
        Surface::Passthrough => Some(Api::Raw),
        _ => None,
    }
}

pub(super) fn openai(_: &Site, api: Api, _: &str, _: bool) -> String {
    let path = match api {
        Api::Completions => "/completions",
        Api::Embeddings => "/embeddings",
        Api::Images => "/images/generations",
        Api::Responses => "/responses",
        _ => "/chat/completions",
    };
    path.to_owned()
}

pub(super) fn anthropic(_: &Site, api: Api, _: &str, _: bool) -> String {
    let path = match api {
        Api::CountTokens => "/messages/count_tokens",
        _ => "/messages",
    };
    path.to_owned()
}

/// With a version of the API the path names a deployment (and the base is the resource's address); without
/// one the base ends in `/openai/v1`, where paths are OpenAI's.
pub(super) fn azure(site: &Site, api: Api, model: &str, stream: bool) -> String {
    let below = openai(site, api, model, stream);
    match &site.api_version {
        Some(version) => format!(
            "/openai/deployments/{}{below}?api-version={}",
            segment(model),
            segment(version)
        ),
        None => below,
    }
}

pub(super) fn gemini(_: &Site, api: Api, model: &str, stream: bool) -> String {
    // a tuned model is named with its collection
    let model = match model.split_once('/') {
        Some((collection @ ("models" | "tunedModels"), name)) => {
            format!("{collection}/{}", segment(name))
        }
        _ => format!("models/{}", segment(model)),
    };
    format!("/{model}:{}", google_method(api, stream))
}

pub(super) fn vertex(site: &Site, api: Api, model: &str, stream: bool) -> String {
    let publisher = match api {
        Api::VertexMessages => "anthropic",
        _ => "google",
    };
    format!(
        "/projects/{}/locations/{}/publishers/{publisher}/models/{}:{}",
        segment(site.project.as_deref().unwrap_or_default()),
        segment(site.location.as_deref().unwrap_or("global")),
        segment(model),
        google_method(api, stream),
    )
}

fn google_method(api: Api, stream: bool) -> &'static str {
    match (api, stream) {
        (Api::GeminiEmbeddings, _) => "batchEmbedContents",
        (Api::VertexEmbeddings, _) => "predict",
        (Api::VertexContent, _) => "embedContent",
        (Api::VertexMessages, false) => "rawPredict",
        (Api::VertexMessages, true) => "streamRawPredict",
        (_, false) => "generateContent",
        (_, true) => "streamGenerateContent?alt=sse",
    }
}

pub(super) fn ollama(_: &Site, api: Api, _: &str, _: bool) -> String {
    let path = match api {
        Api::OllamaGenerate => "/api/generate",
        Api::OllamaEmbed => "/api/embed",
        _ => "/api/chat",
    };
    path.to_owned()
}

pub(super) fn bedrock(_: &Site, api: Api, model: &str, stream: bool) -> String {
    let method = match (api, stream) {
        (Api::Converse, false) => "converse",
        (Api::Converse, true) => "converse-stream",
        (Api::InvokeMessages, true) => "invoke-with-response-stream",
        _ => "invoke",
    };
    format!("/model/{}/{method}", segment(model))
}

/// The protocol of the AI SDK's gateway provider, which has no OpenAI form for images.
pub(super) const VERCEL: &[(&str, &str)] = &[
    ("ai-gateway-protocol-version", "0.0.1"),
    ("ai-image-model-specification-version", "3"),
    ("ai-gateway-auth-method", "api-key"),
];

pub(super) fn vercel(_: &Site, _: Api, _: &str, _: bool) -> String {
    "/image-model".to_owned()
}

pub(super) fn typesafe(_: &Site, _: Api, _: &str, _: bool) -> String {
    "/systemone".to_owned()
}

/// A path with further parameters in its query.
pub(crate) fn with_query<'a>(path: &'a str, query: &[(String, String)]) -> Cow<'a, str> {
    let mut out = Cow::Borrowed(path);
    for (name, value) in query {
        let sign = if out.contains('?') { '&' } else { '?' };
        let parameter = format!("{sign}{}={}", segment(name), segment(value));
        out.to_mut().push_str(&parameter);
    }
    out
}

/// One segment of a path: everything but RFC 3986's unreserved characters encoded.
pub(crate) fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    // a segment of dots alone would be another directory
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_model_name_reaches_another_path() {
        for (model, encoded) in [
            (
                "anthropic.claude-3-5-sonnet-20241022-v2:0",
                "anthropic.claude-3-5-sonnet-20241022-v2%3A0",
            ),
            (
                "arn:aws:bedrock:us-east-1:1:inference-profile/x",
                "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx",
            ),
            ("../../admin", "..%2F..%2Fadmin"),
            ("..", "%2E%2E"),
            ("a b?c#d", "a%20b%3Fc%23d"),
        ] {
            assert_eq!(segment(model), encoded);
        }
    }

    #[test]
    fn further_parameters_follow_those_of_the_dialect() {
        let query = [("a b".to_owned(), "c&d".to_owned())];
        assert_eq!(with_query("/x", &query), "/x?a%20b=c%26d");
        assert_eq!(with_query("/x?alt=sse", &query), "/x?alt=sse&a%20b=c%26d");
        assert_eq!(with_query("/x", &[]), "/x");
    }

    #[test]
    fn claude_is_invoked_where_that_is_said_and_nobody_else_is() {
        let invoked = Site {
            invoke: true,
            ..Site::default()
        };
        let profile = "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2";
        for (site, model, api) in [
            (&invoked, "us.anthropic.claude-x-v1:0", Api::InvokeMessages),
            (&invoked, profile, Api::InvokeMessages),
            (&invoked, "amazon.nova-lite-v1:0", Api::Converse),
            (&Site::default(), "anthropic.claude-x-v1:0", Api::Converse),
        ] {
            for surface in [Surface::Chat, Surface::Responses, Surface::Messages] {
                assert_eq!(bedrock_api(site, surface, model), Some(api), "{model}");
            }
            assert_eq!(bedrock_api(site, Surface::Embeddings, model), None);
        }
    }

    #[test]
    fn each_dialect_has_its_request_lines() {
        let site = Site {
            api_version: Some("2024-10-21".into()),
            project: Some("p".into()),
            location: Some("us-central1".into()),
            ..Site::default()
        };
        let plain = Site::default();
        for (path, expected) in [
            (openai(&plain, Api::Chat, "m", true), "/chat/completions"),
            (openai(&plain, Api::Responses, "m", true), "/responses"),
            (anthropic(&plain, Api::Messages, "m", true), "/messages"),
            (
                azure(&site, Api::Chat, "my dep", true),
                "/openai/deployments/my%20dep/chat/completions?api-version=2024-10-21",
            ),
            (azure(&plain, Api::Chat, "d", true), "/chat/completions"),
            (
                gemini(&plain, Api::Gemini, "gemini-2.5-flash", true),
                "/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            ),
            (
                gemini(&plain, Api::Gemini, "tunedModels/x", false),
                "/tunedModels/x:generateContent",
            ),
            (
                vertex(&site, Api::Gemini, "gemini-2.5-pro", false),
                "/projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro:generateContent",
            ),
            (
                vertex(
                    &site,
                    Api::VertexMessages,
                    "claude-sonnet-4-5@20250929",
                    true,
                ),
                "/projects/p/locations/us-central1/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict",
            ),
            (ollama(&plain, Api::Ollama, "m", true), "/api/chat"),
            (
                bedrock(&plain, Api::Converse, "amazon.nova-lite-v1:0", true),
                "/model/amazon.nova-lite-v1%3A0/converse-stream",
            ),
            (
                bedrock(
                    &plain,
                    Api::InvokeMessages,
                    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x",
                    true,
                ),
                "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-x/invoke-with-response-stream",
            ),
            (
                bedrock(
                    &plain,
                    Api::TitanEmbeddings,
                    "amazon.titan-embed-text-v2:0",
                    false,
                ),
                "/model/amazon.titan-embed-text-v2%3A0/invoke",
            ),
            (
                vertex(&site, Api::VertexEmbeddings, "text-embedding-005", false),
                "/projects/p/locations/us-central1/publishers/google/models/text-embedding-005:predict",
            ),
            (typesafe(&plain, Api::SystemOne, "m", false), "/systemone"),
        ] {
            assert_eq!(path, expected);
        }
    }

    #[test]
    fn on_vertex_the_version_of_a_model_says_how_its_embeddings_are_asked_for() {
        for (model, api) in [
            ("gemini-embedding-001", Api::VertexEmbeddings),
            ("text-embedding-005", Api::VertexEmbeddings),
            ("gemini-embedding-exp", Api::VertexEmbeddings),
            ("gemini-embedding-2", Api::VertexContent),
            ("gemini-embedding-2-preview", Api::VertexContent),
            ("gemini-embedding-10", Api::VertexContent),
        ] {
            let found = vertex_api(&Site::default(), Surface::Embeddings, model);
            assert_eq!(found, Some(api), "{model}");
        }
    }
}
