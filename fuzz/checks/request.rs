//! Questions: what one API's codec reads, all the others' can write.

use bytes::Bytes;
use punctual_wire::{
    Api, Surface, Via,
    middle::{Json, Lost, Message, Options, Part, Request, Role, Tool},
    via::surface_codec,
};

use super::{is_json, kept::same_input, told};

pub(super) const SURFACES: [Surface; 3] = [Surface::Chat, Surface::Messages, Surface::Responses];
const APIS: [Api; 8] = [
    Api::Chat,
    Api::Responses,
    Api::Messages,
    Api::VertexMessages,
    Api::InvokeMessages,
    Api::Gemini,
    Api::Converse,
    Api::Ollama,
];
/// What is translated directly.
pub(super) const FLAT: [(Surface, Api); 8] = [
    (Surface::Completions, Api::OllamaGenerate),
    (Surface::Embeddings, Api::OllamaEmbed),
    (Surface::Embeddings, Api::GeminiEmbeddings),
    (Surface::Embeddings, Api::VertexEmbeddings),
    (Surface::Embeddings, Api::VertexContent),
    (Surface::Embeddings, Api::TitanEmbeddings),
    (Surface::Embeddings, Api::CohereEmbeddings),
    (Surface::Images, Api::VercelImages),
];
const MODEL: &str = "the \"model\"";

/// Reads a body as a question on each surface and writes it for each API.
pub fn request(data: &[u8]) {
    let body = Bytes::copy_from_slice(data);
    for surface in SURFACES {
        let Some(codec) = surface_codec(surface) else {
            continue;
        };
        let Ok(asked) = (codec.request)(&body) else {
            continue;
        };
        assert!(
            is_json(data),
            "{surface} read what is no JSON: {}",
            told(data)
        );
        for (api, plain) in APIS.into_iter().flat_map(|api| [(api, false), (api, true)]) {
            let mut lost = Lost::default();
            let Some(sent) = api
                .codec()
                .map(|to| (to.request)(&asked, &options(plain), &mut lost))
            else {
                continue;
            };
            assert!(is_json(&sent), "{surface} to {api:?}: {}", told(&sent));
            named(&lost);
            read_again(surface, api, &asked, &sent, &lost);
        }
    }
    for (surface, api) in FLAT {
        let mut lost = Lost::default();
        let sent = Via::between(surface, api).and_then(|via| {
            via.request(&body, &options(false), &mut lost)
                .ok()
                .flatten()
        });
        named(&lost);
        if let Some(sent) = sent {
            assert!(is_json(data) && is_json(&sent), "{api:?}: {}", told(&sent));
        }
    }
}

fn options(plain: bool) -> Options<'static> {
    Options {
        model: MODEL,
        num_ctx: plain.then_some(8192),
        stream_options: plain,
        plain_content: plain,
    }
}

/// Names of what was lost go into headers.
fn named(lost: &Lost) {
    let plain = |b: u8| b.is_ascii_graphic() && b != b',';
    assert!(lost.names().count() <= 64);
    for name in lost.names() {
        assert!(name.len() <= 64 && name.bytes().all(plain), "{name:?}");
    }
}

/// What was written for an API that callers speak too is a question of that API, apart from members that
/// nobody between them understood; and it is the same question.
fn read_again(from: Surface, api: Api, asked: &Request, sent: &Bytes, lost: &Lost) {
    let to = SURFACES
        .into_iter()
        .find(|surface| Api::of(*surface) == api);
    match to
        .and_then(surface_codec)
        .map(|codec| (codec.request)(sent))
    {
        None => {}
        Some(Ok(again)) => {
            let held = is_kept(api, asked, &again, lost);
            held.unwrap_or_else(|what| panic!("{from} to {api:?}: {what} {}", told(sent)));
        }
        Some(Err(fault)) => {
            let of = |name: &str| fault.param.is_some_and(|param| param.starts_with(name));
            let parts = || asked.messages.iter().flat_map(|message| &message.parts);
            let passed_on = asked.extra.iter().any(|(name, _)| of(name)) || parts().any(is_foreign);
            assert!(passed_on, "{from} to {api:?}: {fault:?} {}", told(sent));
        }
    }
}

/// The inputs of calls byte for byte, results, schemas, and the numbers in their spelling.
fn is_kept(api: Api, asked: &Request, again: &Request, lost: &Lost) -> Result<(), String> {
    if again.model != MODEL || again.stream != asked.stream {
        return Err("another model, or way to answer".to_owned());
    }
    let (old, new) = (calls(&asked.messages), calls(&again.messages));
    let same = |(old, new): (&(&str, &str), &(&str, &str))| {
        old.0 == new.0 && same_input(old.1, new.1, api == Api::Messages)
    };
    let kept = old.len() == new.len() && old.iter().zip(&new).all(same);
    if !kept && are_the_models(&asked.messages) {
        return Err(format!("{old:?} became {new:?}"));
    }
    let (old, new) = (results(&asked.messages), results(&again.messages));
    if !old.iter().all(|result| new.contains(result)) {
        return Err(format!("{old:?} became {new:?}"));
    }
    for (old, new) in schemas(&asked.tools).zip(schemas(&again.tools)) {
        // where one must be there, it is that of any object, and says so
        let said = api != Api::Messages || old.is_some_and(|old| old.member("type").is_some());
        if lost.is_empty() && said && old.is_some() && old != new {
            return Err(format!("{old:?} became {new:?}"));
        }
    }
    for (old, new) in numbers(asked).into_iter().zip(numbers(again)) {
        if old.is_some() && old != new && lost.parameters.is_empty() {
            return Err(format!("{old:?} became {new:?}"));
        }
    }
    Ok(())
}

fn parts(messages: &[Message]) -> impl Iterator<Item = &Part> {
    messages.iter().flat_map(|message| &message.parts)
}

fn calls(messages: &[Message]) -> Vec<(&str, &str)> {
    let calls = parts(messages).filter_map(|part| match part {
        Part::ToolCall(call) => Some((call.name.as_str(), call.input.as_str())),
        _ => None,
    });
    calls.collect()
}

/// Whether only the model calls tools, as every API has it.
fn are_the_models(messages: &[Message]) -> bool {
    let is_call = |part: &Part| matches!(part, Part::ToolCall(_));
    let others = messages.iter().filter(|m| m.role != Role::Assistant);
    !others.flat_map(|m| &m.parts).any(is_call)
}

/// The texts of each result. Several are lines of one where an API has no more, and what is no text need not have
/// a place there; a refusal is a text to some.
fn results(messages: &[Message]) -> Vec<String> {
    let is_refusal = |part: &Part| matches!(part, Part::Refusal { .. });
    let result = |part: &Part| match part {
        Part::ToolResult(result) if result.parts.iter().any(is_refusal) => None,
        Part::ToolResult(result) => Some(result.text().replace('\n', "")),
        _ => None,
    };
    parts(messages).filter_map(result).collect()
}

fn schemas(tools: &[Tool]) -> impl Iterator<Item = Option<&Json>> {
    tools.iter().filter_map(|tool| match tool {
        Tool::Function { parameters, .. } => Some(parameters.as_ref()),
        _ => None,
    })
}

fn numbers(asked: &Request) -> [Option<&Json>; 10] {
    let sampling = &asked.sampling;
    [
        &sampling.max_tokens,
        &sampling.temperature,
        &sampling.top_p,
        &sampling.top_k,
        &sampling.frequency_penalty,
        &sampling.presence_penalty,
        &sampling.seed,
        &sampling.n,
        &sampling.top_logprobs,
        &sampling.logit_bias,
    ]
    .map(Option::as_ref)
}

/// Passed on as it came to whoever has a block of that name.
fn is_foreign(part: &Part) -> bool {
    match part {
        Part::Other { .. } => true,
        Part::ToolResult(result) => result.parts.iter().any(is_foreign),
        _ => false,
    }
}
