//! Whole answers of every API on every surface, as an answer and as a stream.

use std::sync::Arc;

use bytes::Bytes;
use punctual_wire::{
    Api, Surface,
    middle::Asked,
    via::Via,
};

use super::{Source, is_json, request::SURFACES, told, written};

/// What a caller asked for.
pub(super) fn asked() -> Asked {
    Asked {
        model: Arc::from("asked \"for\""),
        id: Arc::from("0123456789abcdef"),
        now: 1_800_000_000,
        include_usage: true,
        base64: false,
    }
}

/// Reads an answer and writes it; reads what was written as that API's own.
pub fn answer(data: &[u8]) {
    let Some((source, body)) = Source::of(data) else {
        return;
    };
    let body = Bytes::copy_from_slice(body);
    for surface in SURFACES {
        let _ = source.api.answer(surface, &body);
        let translated = Via::between(surface, source.api)
            .and_then(|via| via.answer(&body, &asked()).ok().flatten());
        if let Some(translated) = translated {
            let sent = translated.bytes;
            assert!(is_json(&sent), "to {surface}: {}", told(&sent));
            let own = Api::of(surface).answer(surface, &sent);
            let failed = own.as_ref().is_err();
            assert!(!failed, "to {surface}: {own:?} {}", told(&sent));
        }
        streamed(surface, source.api, &body);
    }
}

fn streamed(surface: Surface, api: Api, body: &Bytes) {
    let Some(via) = Via::between(surface, api) else {
        return;
    };
    if let Ok(translated) = via.as_stream(surface, api, body, &asked()) {
        // what is relayed but for its form is the upstream's business
        if (surface, api) != (Surface::Chat, Api::Chat) {
            written::check(surface, &translated.bytes, true);
        }
    }
}
