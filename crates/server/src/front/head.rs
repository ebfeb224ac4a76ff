//! What the head of a request on an LLM surface must say, beside who sends it.

use super::Visit;
use crate::{answer::Refusal, declared::Declared};
use http::{HeaderMap, HeaderName, StatusCode, header};
use hyper::body::{Body, Incoming};
use punctual_core::Upstream;
use std::{sync::atomic::Ordering::Relaxed, time::SystemTime};

/// The body is JSON.
pub(super) fn json(headers: &HeaderMap) -> Result<(), Box<Refusal>> {
    let kind = text(headers, header::CONTENT_TYPE).and_then(|value| value.split(';').next());
    match kind {
        Some(kind) if kind.trim().eq_ignore_ascii_case("application/json") => Ok(()),
        _ => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "send Content-Type: application/json".to_owned(),
        )),
    }
}

/// It is not compressed, and nothing is expected but what hyper fulfils.
pub(super) fn transfer(headers: &HeaderMap) -> Result<(), Box<Refusal>> {
    let coding = text(headers, header::CONTENT_ENCODING);
    if coding.is_some_and(|e| !e.eq_ignore_ascii_case("identity")) {
        let message =
            "compressed request bodies are not taken; send the body without Content-Encoding";
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_content_encoding",
            message.to_owned(),
        ));
    }
    match text(headers, header::EXPECT) {
        Some(expected) if !expected.eq_ignore_ascii_case("100-continue") => Err(Refusal::new(
            StatusCode::EXPECTATION_FAILED,
            "expectation_failed",
            "the only expectation that is met is 100-continue".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|v| v.to_str().unwrap_or("?").trim())
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
    let declared = Declared::read(headers, trusted, settings.compat, SystemTime::now);
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
