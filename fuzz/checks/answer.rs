//! Whole answers of every API on every surface, as an answer and as a stream.

use std::sync::Arc;

use bytes::Bytes;
use punctual_wire::{
    Api, Surface,
    frame::Framing,
    middle::{Answer, Asked},
    via::{Via, surface_codec},
};

use super::{
    Source, is_json,
    kept::Said,
    request::{FLAT, SURFACES},
    stream, told, written,
};

/// What a caller asked for.
pub(super) fn asked() -> Asked {
    Asked {
        model: Arc::from("asked \"for\""),
        id: Arc::from("0123456789abcdef"),
        now: 1_800_000_000,
        include_usage: true,
        base64: false,
        counted: None,
    }
}

/// Reads an answer and writes it; reads what was written as that API's own.
pub fn answer(data: &[u8]) {
    let Some((source, body)) = Source::of(data) else {
        return;
    };
    let body = Bytes::copy_from_slice(body);
    let read = source
        .api
        .codec()
        .and_then(|codec| (codec.answer)(&body).ok());
    for surface in SURFACES {
        if let Ok(summary) = source.api.answer(surface, &body) {
            assert!(summary.state.len() <= stream::STATES);
        }
        let own = Api::of(surface).codec().zip(surface_codec(surface));
        if let (Some(read), Some((upstream, caller))) = (&read, own) {
            let sent = (caller.answer)(read, &asked(), &mut read.lost.clone());
            assert!(is_json(&sent), "to {surface}: {}", told(&sent));
            let again = (upstream.answer)(&sent);
            let again =
                again.unwrap_or_else(|fault| panic!("to {surface}: {fault:?} {}", told(&sent)));
            kept(surface, read, &Said::of(&again, true), true, &sent);
        }
        streamed(surface, source.api, &body, read.as_ref());
    }
    if let Some(read) = &read {
        own_stream(source.api, &body, read);
    }
    for (surface, api) in FLAT.into_iter().filter(|(_, api)| *api == source.api) {
        let via = Via::between(surface, api);
        let translated = via.and_then(|via| via.answer(&body, &asked()).ok().flatten());
        if let Some(sent) = translated.map(|translated| translated.bytes) {
            assert!(is_json(&sent), "to {surface}: {}", told(&sent));
            let own = Api::of(surface).answer(surface, &sent);
            assert!(own.is_ok(), "to {surface}: {own:?} {}", told(&sent));
        }
    }
}

fn streamed(surface: Surface, api: Api, body: &Bytes, read: Option<&Answer>) {
    let Some(via) = Via::between(surface, api).filter(|via| !via.is_relay()) else {
        return;
    };
    let Ok(translated) = via.as_stream(surface, api, body, &asked()) else {
        return;
    };
    let sent = &translated.bytes;
    written::check(surface, sent, true);
    if let Some(read) = read {
        let again = stream::said(Api::of(surface), Framing::Sse, 1, sent);
        kept(surface, read, &again, false, sent);
    }
}

/// An answer as a stream of its own API. A chat completion keeps the pieces of its choices as they are.
fn own_stream(api: Api, body: &Bytes, read: &Answer) {
    let relays = |surface: &Surface| Via::between(*surface, api).is_some_and(Via::is_relay);
    let own = SURFACES.into_iter().find(relays);
    let surface = own.unwrap_or(Surface::Passthrough);
    let Ok(made) = Via::Relay.as_stream(surface, api, body, &asked()) else {
        return;
    };
    let (spoken, framing) = match own {
        Some(surface) => (Api::of(surface), Framing::Sse),
        None => (api, api.framing()),
    };
    if api != Api::Chat {
        let again = stream::said(spoken, framing, 1, &made.bytes);
        kept(surface, read, &again, false, &made.bytes);
    }
}

fn kept(surface: Surface, read: &Answer, again: &Said, whole: bool, sent: &Bytes) {
    if let Err(what) = Said::of(read, whole).is_kept(surface, again, whole) {
        panic!("to {surface}: {what}\n{}", told(sent));
    }
}
