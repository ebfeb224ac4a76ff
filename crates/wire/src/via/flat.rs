//! The translations that need no middle form: one question, one answer.

use super::{Flat, Streams};
use crate::{
    Api, Surface,
    dialect::{bedrock, gemini, ollama, vercel},
};

const GENERATE: Flat = Flat {
    request: ollama::generate_request,
    answer: ollama::generate_answer,
    stream: Some(Streams {
        read: ollama::generate_stream,
        write: ollama::completions_stream,
    }),
};

const OLLAMA_EMBED: Flat = Flat {
    request: |body, options, lost| ollama::embed_request(body, options.model, lost),
    answer: ollama::embed_answer,
    stream: None,
};

const GEMINI_EMBED: Flat = Flat {
    request: |body, options, lost| gemini::embed_request(body, options.model, lost),
    answer: gemini::embed_answer,
    stream: None,
};

const VERTEX_EMBED: Flat = Flat {
    request: |body, _, lost| gemini::predict_request(body, lost),
    answer: gemini::predict_answer,
    stream: None,
};

const TITAN_EMBED: Flat = Flat {
    request: |body, options, lost| bedrock::titan_request(body, options.model, lost),
    answer: bedrock::titan_answer,
    stream: None,
};

const COHERE_EMBED: Flat = Flat {
    request: |body, options, lost| bedrock::cohere_request(body, options.model, lost),
    answer: bedrock::cohere_answer,
    stream: None,
};

const VERCEL_IMAGES: Flat = Flat {
    request: |body, _, lost| vercel::request(body, lost),
    answer: vercel::answer,
    stream: None,
};

/// The translation from `surface` to `api`, if it is one of these.
pub(super) const fn between(surface: Surface, api: Api) -> Option<&'static Flat> {
    match (surface, api) {
        (Surface::Completions, Api::OllamaGenerate) => Some(&GENERATE),
        (Surface::Embeddings, Api::OllamaEmbed) => Some(&OLLAMA_EMBED),
        (Surface::Embeddings, Api::GeminiEmbeddings) => Some(&GEMINI_EMBED),
        (Surface::Embeddings, Api::VertexEmbeddings) => Some(&VERTEX_EMBED),
        (Surface::Embeddings, Api::TitanEmbeddings) => Some(&TITAN_EMBED),
        (Surface::Embeddings, Api::CohereEmbeddings) => Some(&COHERE_EMBED),
        (Surface::Images, Api::VercelImages) => Some(&VERCEL_IMAGES),
        _ => None,
    }
}
