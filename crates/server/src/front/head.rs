//! What the head of a request on an LLM surface must say, beside who sends it.

use super::Visit;
use crate::{answer::Refusal, declared::Declared};
use http::{HeaderMap, StatusCode, header};
use hyper::body::{Body, Incoming};
use punctual_core::Upstream;
use std::{sync::atomic::Ordering::Relaxed, time::SystemTime};

/// JSON, uncompressed, and no expectation but the one that hyper fulfils.
pub(super) fn media(headers: &HeaderMap) -> Result<(), Box<Refusal>> {
    let text = |name| headers.get(name).map(|v| v.to_str().unwrap_or("?").trim());
    let essence = |value: &str| {
        value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let unsupported = |code, message: &str| {
        Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            code,
            message.to_owned(),
        ))
    };
    match text(header::CONTENT_TYPE).map(essence) {
        Some(kind) if kind.eq_ignore_ascii_case("application/json") => {}
        _ => {
            return unsupported(
                "unsupported_media_type",
                "send Content-Type: application/json",
            );
        }
    }
    if text(header::CONTENT_ENCODING).is_some_and(|e| !e.eq_ignore_ascii_case("identity")) {
        return unsupported(
            "unsupported_content_encoding",
            "compressed request bodies are not taken; send the body without Content-Encoding",
        );
    }
    match text(header::EXPECT) {
        Some(expected) if !expected.eq_ignore_ascii_case("100-continue") => Err(Refusal::new(
            StatusCode::EXPECTATION_FAILED,
            "expectation_failed",
            "the only expectation that is met is 100-continue".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// What is declared is refused before the first byte of it.
pub(super) fn length(body: &Incoming, most: usize) -> Result<(), Box<Refusal>> {
    if body.size_hint().lower() > most as u64 {
        return Err(Refusal::too_large(most));
    }
    Ok(())
}

/// How much time the caller says it has.
pub(super) fn declared<U: Upstream>(
    visit: &Visit<U>,
    headers: &HeaderMap,
) -> Result<Declared, Box<Refusal>> {
    let settings = &visit.now.settings;
    let trusted = (settings.trusted)(visit.link.peer);
    let declared = Declared::read(headers, trusted, settings.compat, SystemTime::now());
    let declared = declared.map_err(|unusable| Refusal::unusable_deadline(unusable.message))?;
    for name in declared.ignored() {
        let gateway = &visit.link.gateway;
        gateway.unreadable.fetch_add(1, Relaxed);
        (gateway.hooks.ignored)(name);
    }
    Ok(if settings.sdk_timeouts {
        declared
    } else {
        declared.without_sdks()
    })
}
