//! The translations that need no middle form: one question, one answer.

use bytes::Bytes;

use super::{Flat, Said, Streams};
use crate::{
    Api, BadBody, Surface, Verdict,
    dialect::{bedrock, gemini, ollama, vercel},
    middle::{Asked, Lost, Options},
};

type Question = fn(&[u8], &Options<'_>, &mut Lost) -> Result<Bytes, BadBody>;
type Answer = fn(&[u8], &Asked) -> Result<Said, Verdict>;

const GENERATE: Flat = Flat {
    request: ollama::generate_request,
    answer: ollama::generate_answer,
    stream: Some(Streams {
        read: ollama::generate_stream,
        write: ollama::completions_stream,
    }),
};

const OLLAMA_EMBED: Flat = whole(
    |body, options, lost| ollama::embed_request(body, options.model, lost),
    ollama::embed_answer,
);

const GEMINI_EMBED: Flat = whole(
    |body, options, lost| gemini::embed_request(body, options.model, lost),
    gemini::embed_answer,
);

const VERTEX_EMBED: Flat = whole(
    |body, _, lost| gemini::predict_request(body, lost),
    gemini::predict_answer,
);

const VERTEX_CONTENT: Flat = whole(
    |body, _, lost| gemini::embed_single_request(body, lost),
    gemini::embed_answer,
);

const TITAN_EMBED: Flat = whole(
    |body, options, lost| bedrock::titan_request(body, options.model, lost),
    bedrock::titan_answer,
);

const COHERE_EMBED: Flat = whole(
    |body, options, lost| bedrock::cohere_request(body, options.model, lost),
    bedrock::cohere_answer,
);

const VERCEL_IMAGES: Flat = whole(|body, _, lost| vercel::request(body, lost), vercel::answer);

/// One without streams.
const fn whole(request: Question, answer: Answer) -> Flat {
    Flat {
        request,
        answer,
        stream: None,
    }
}

/// The translation from `surface` to `api`, if it is one of these.
pub(super) const fn between(surface: Surface, api: Api) -> Option<&'static Flat> {
    match (surface, api) {
        (Surface::Completions, Api::OllamaGenerate) => Some(&GENERATE),
        (Surface::Embeddings, Api::OllamaEmbed) => Some(&OLLAMA_EMBED),
        (Surface::Embeddings, Api::GeminiEmbeddings) => Some(&GEMINI_EMBED),
        (Surface::Embeddings, Api::VertexEmbeddings) => Some(&VERTEX_EMBED),
        (Surface::Embeddings, Api::VertexContent) => Some(&VERTEX_CONTENT),
        (Surface::Embeddings, Api::TitanEmbeddings) => Some(&TITAN_EMBED),
        (Surface::Embeddings, Api::CohereEmbeddings) => Some(&COHERE_EMBED),
        (Surface::Images, Api::VercelImages) => Some(&VERCEL_IMAGES),
        _ => None,
    }
}
