//! Every dialect behind every conversation, on real sockets: what the caller reads is in its own API, what the
//! upstream was asked is in its own.

use crate::support::{Ask, Bench, HTTP1, Heard};
use punctual_core::{Code, End, Kind, Surface};
use punctual_sim::Listen;
use punctual_upstream::{Dialect, ModelChoice, Site, TargetSpec};

/// Dialects that hold conversations, with the base of their simulated server.
const CONVERSATIONS: [(Dialect, &str); 10] = [
    (Dialect::OpenAi, "/v1"),
    (Dialect::Generic, "/v1"),
    (Dialect::Responses, "/v1"),
    (Dialect::Azure, ""),
    (Dialect::OpenRouter, "/api/v1"),
    (Dialect::Ollama, ""),
    (Dialect::Anthropic, "/v1"),
    (Dialect::Gemini, "/v1beta"),
    (Dialect::Vertex, "/v1"),
    (Dialect::Bedrock, ""),
];

const SURFACES: [Surface; 3] = [Surface::Chat, Surface::Responses, Surface::Messages];

async fn bench(dialect: Dialect, base: &'static str, model: &str) -> Bench {
    let model = model.to_owned();
    Bench::with(HTTP1, Listen::loopback(), move |spec: &mut TargetSpec| {
        let origin = spec.endpoint.base_url.trim_end_matches("/v1").to_owned();
        spec.endpoint.base_url = format!("{origin}{base}");
        spec.dialect = dialect;
        spec.model = ModelChoice::Fixed(model.as_str().into());
        spec.site = Site {
            api_version: (dialect == Dialect::Azure).then(|| "2024-10-21".into()),
            project: Some("p".into()),
            location: Some("l".into()),
            ..Site::default()
        };
    })
    .await
}

fn ask(surface: Surface, stream: bool) -> Ask {
    let mut ask = match stream {
        true => Ask::stream("route"),
        false => Ask::unary("route"),
    };
    ask.surface = surface;
    ask
}

/// What tells that an answer is in a surface's own words.
fn marks(surface: Surface, stream: bool) -> (&'static str, &'static str) {
    match (surface, stream) {
        (Surface::Chat, true) => ("\"object\":\"chat.completion.chunk\"", "data: [DONE]\n\n"),
        (Surface::Chat, false) => ("\"object\":\"chat.completion\"", "}"),
        (Surface::Responses, true) => ("event: response.created\n", "\n\n"),
        (Surface::Responses, false) => ("\"object\":\"response\"", "}"),
        (Surface::Messages, true) => ("event: message_start\n", "\n\n"),
        (_, _) => ("\"type\":\"message\"", "}"),
    }
}

fn compact(text: &str) -> String {
    text.replace("\": ", "\":")
}

#[tokio::test]
async fn every_dialect_serves_every_conversation_in_the_callers_words() {
    for (dialect, base) in CONVERSATIONS {
        for surface in SURFACES {
            for stream in [true, false] {
                let bench = bench(dialect, base, "sim:tokens=3").await;
                let heard = bench.hear(&ask(surface, stream)).await;
                let at = format!("{dialect:?} {surface:?} stream {stream}");
                assert!(heard.failure.is_none(), "{at}: {:?}", heard.failure);
                let text = compact(&heard.everything());
                let (first, last) = marks(surface, stream);
                assert!(text.contains(first), "{at}: {text}");
                assert!(text.ends_with(last), "{at}: {text}");
                let said = if stream { "tok2" } else { "tok0 tok1 tok2" };
                assert!(text.contains(said), "{at}: {text}");
                // chat completions tell a stream's usage to those who ask for it
                let untold = heard.summary.usage.output_tokens.is_none();
                let unasked = surface == Surface::Chat || dialect == Dialect::Generic;
                assert!(!untold || (unasked && stream), "{at}");
                assert_eq!(heard.end(), Some(End::Stop), "{at}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_conversation_is_served_by_those_who_have_it() {
    for (dialect, base, surface, path, holds) in [
        (
            Dialect::OpenAi,
            "/v1",
            Surface::Images,
            "/v1/images/generations",
            "b64_json",
        ),
        (
            Dialect::Images,
            "/v1",
            Surface::Images,
            "/v1/images/generations",
            "b64_json",
        ),
        (
            Dialect::VercelImages,
            "/v3/ai",
            Surface::Images,
            "/v3/ai/image-model",
            "b64_json",
        ),
        (
            Dialect::Anthropic,
            "/v1",
            Surface::CountTokens,
            "/v1/messages/count_tokens",
            "input_tokens",
        ),
        (
            Dialect::Ollama,
            "",
            Surface::Embeddings,
            "/api/embed",
            "\"embedding\"",
        ),
        (
            Dialect::Ollama,
            "",
            Surface::Completions,
            "/api/generate",
            "text_completion",
        ),
        (
            Dialect::Gemini,
            "/v1beta",
            Surface::Embeddings,
            "/v1beta/models/m:batchEmbedContents",
            "\"embedding\"",
        ),
        (
            Dialect::Vertex,
            "/v1",
            Surface::Embeddings,
            "/v1/projects/p/locations/l/publishers/google/models/m:predict",
            "\"embedding\"",
        ),
        (
            Dialect::Bedrock,
            "",
            Surface::Embeddings,
            "/model/cohere.embed-v4%3A0/invoke",
            "\"embedding\"",
        ),
        (
            Dialect::TypeSafe,
            "/v1",
            Surface::SystemOne,
            "/v1/systemone",
            "{",
        ),
    ] {
        let model = match dialect {
            Dialect::Bedrock => "cohere.embed-v4:0",
            _ => "m",
        };
        let bench = bench(dialect, base, model).await;
        let heard = bench.hear(&ask(surface, false)).await;
        assert!(
            heard.failure.is_none(),
            "{dialect:?} {surface:?}: {:?}",
            heard.failure
        );
        assert!(
            heard.text.contains(holds),
            "{dialect:?} {surface:?}: {}",
            heard.text
        );
        assert_eq!(bench.seen(|_| true).await.path, path);
    }
}

#[tokio::test]
async fn a_newer_model_of_vertex_is_asked_for_one_embedding_by_another_method() {
    let bench = bench(Dialect::Vertex, "/v1", "gemini-embedding-2").await;
    let heard = bench.hear(&ask(Surface::Embeddings, false)).await;
    assert!(heard.failure.is_none(), "{:?}", heard.failure);
    assert!(heard.text.contains("\"embedding\""), "{}", heard.text);
    let path =
        "/v1/projects/p/locations/l/publishers/google/models/gemini-embedding-2:embedContent";
    assert_eq!(bench.seen(|_| true).await.path, path);
}

#[tokio::test]
async fn a_surface_that_a_dialect_lacks_is_refused_before_anything_is_sent() {
    for (dialect, base) in CONVERSATIONS {
        let bench = bench(dialect, base, "m").await;
        let failure = bench.fails(&ask(Surface::SystemOne, false)).await;
        assert_eq!(failure.code, Code::Unsupported, "{dialect:?}");
        assert!(
            failure.message.contains(dialect.as_str()),
            "{}",
            failure.message
        );
        assert_eq!(bench.sim.report().len(), 0);
    }
}

#[tokio::test]
async fn an_error_before_content_is_a_failure_in_every_dialect_with_its_code() {
    for (dialect, base) in CONVERSATIONS {
        for (script, code) in [
            ("sim:status=429", Code::RateLimited),
            ("sim:status=500", Code::ServerError),
            ("sim:status=401", Code::Unauthorized),
            ("sim:status=404", Code::NotFound),
            ("sim:status=400", Code::InvalidRequest),
            ("sim:error=overloaded,error-after=0", Code::Overloaded),
        ] {
            for stream in [true, false] {
                let bench = bench(dialect, base, script).await;
                let heard = bench.hear(&ask(Surface::Chat, stream)).await;
                let at = format!("{dialect:?} {script} stream {stream}");
                let failure = heard
                    .failure
                    .unwrap_or_else(|| panic!("{at}: {}", heard.text));
                // Bedrock has no errors inside a whole answer
                let unnamed = dialect == Dialect::Bedrock
                    && !stream
                    && failure.code == Code::MalformedResponse;
                // Ollama's errors inside an answer are words without a code
                let unnamed =
                    unnamed || dialect == Dialect::Ollama && failure.code == Code::StreamError;
                assert!(failure.code == code || unnamed, "{at}: {}", failure.message);
                assert!(
                    !heard
                        .pieces
                        .iter()
                        .any(|(_, p)| matches!(p.kind, Kind::Content { .. }))
                );
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_truncated_in_every_dialect() {
    for (dialect, base) in CONVERSATIONS {
        for surface in SURFACES {
            let bench = bench(dialect, base, "sim:tokens=5,fin-after=2").await;
            let heard: Heard = bench.hear(&ask(surface, true)).await;
            let ended = heard.pieces.iter().any(|(_, piece)| piece.end.is_some());
            assert!(!ended, "{dialect:?} {surface:?}: {}", heard.text);
            assert!(
                heard.contents() >= 2,
                "{dialect:?} {surface:?}: {}",
                heard.text
            );
        }
    }
}

#[tokio::test]
async fn fewer_candidates_than_asked_for_are_a_whole_answer() {
    for (script, ended) in [("sim:tokens=5", true), ("sim:tokens=5,fin-after=2", false)] {
        let bench = bench(Dialect::Gemini, "/v1beta", script).await;
        let heard = bench
            .hear(&Ask {
                choices: 3,
                ..ask(Surface::Chat, true)
            })
            .await;
        let ends = heard.pieces.iter().filter(|(_, p)| p.end.is_some()).count();
        assert_eq!(ends, usize::from(ended), "{}", heard.text);
    }
}
