//! Questions: what one API's codec reads, all the others' can write.

use bytes::Bytes;
use punctual_wire::{
    Api, Surface,
    middle::{Lost, Options, Part, Request},
    via::surface_codec,
};

use super::{is_json, told};

pub(super) const SURFACES: [Surface; 3] = [Surface::Chat, Surface::Messages, Surface::Responses];
const APIS: [Api; 6] = [
    Api::Chat,
    Api::Responses,
    Api::Messages,
    Api::Gemini,
    Api::Converse,
    Api::Ollama,
];

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
            let options = Options {
                model: "the \"model\"",
                num_ctx: plain.then_some(8192),
                stream_options: plain,
                plain_content: plain,
            };
            let mut lost = Lost::default();
            let Some(sent) = api
                .codec()
                .map(|to| (to.request)(&asked, &options, &mut lost))
            else {
                continue;
            };
            assert!(is_json(&sent), "{surface} to {api:?}: {}", told(&sent));
            read_again(surface, api, &asked, &sent);
        }
    }
}

/// What was written for an API that callers speak too is a question of that API, apart from members that
/// nobody between them understood.
fn read_again(from: Surface, api: Api, asked: &Request, sent: &Bytes) {
    let to = SURFACES
        .into_iter()
        .find(|surface| Api::of(*surface) == api);
    let Some(Err(fault)) = to
        .and_then(surface_codec)
        .map(|codec| (codec.request)(sent))
    else {
        return;
    };
    let of = |name: &str| fault.param.is_some_and(|param| param.starts_with(name));
    let parts = || asked.messages.iter().flat_map(|message| &message.parts);
    let passed_on = asked.extra.iter().any(|(name, _)| of(name)) || parts().any(is_foreign);
    assert!(passed_on, "{from} to {api:?}: {fault:?} {}", told(sent));
}

/// Passed on as it came to whoever has a block of that name.
fn is_foreign(part: &Part) -> bool {
    match part {
        Part::Other { .. } => true,
        Part::ToolResult(result) => result.parts.iter().any(is_foreign),
        _ => false,
    }
}
