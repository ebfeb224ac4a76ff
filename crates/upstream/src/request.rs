//! The request of one attempt, built from the caller's and the target's: pure, no I/O.
//!
//! Every attempt is built anew from the caller's own body and headers; nothing carries over from the
//! attempt before. Headers go by allow-list: what is not named here or by the target stays behind, the
//! caller's credentials and hop-by-hop headers always (unless the target passes credentials through).

use crate::{dialect::Slot, target::Target, way::Way};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, header};
use punctual_core::{Attempt, Call};
use punctual_wire::{Api, frame::Framing};
use std::time::Duration;

mod body;
mod deadline;
mod hop;
mod payload;

pub(crate) use body::{Written, takes_long, written, written_aside};
pub use deadline::ForwardDeadline;
pub(crate) use hop::{is_listed, never_forwarded};
pub(crate) use payload::Payload;

/// Headers of the caller that every target gets.
pub(crate) const FORWARD: [HeaderName; 1] = [HeaderName::from_static("idempotency-key")];

/// What one attempt sends; built again should a dead pooled connection have taken it.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    pub(crate) target: &'a Target,
    pub(crate) way: &'a Way,
    pub(crate) call: &'a Call,
    pub(crate) attempt: &'a Attempt<'a>,
    pub(crate) body: &'a Payload,
    /// What proves who asks, where that is made anew for each request.
    pub(crate) credential: Option<&'a HeaderMap>,
}

impl Outgoing<'_> {
    /// Whether it may be sent again although it may have been processed. What is passed on by its path may be
    /// anything, so only what changes nothing is.
    pub(crate) fn replays(&self) -> bool {
        let by_path = self.way.api == Api::Raw || self.way.stored;
        let harmless = self.call.method.is_safe();
        self.target.replay && (!by_path || harmless)
    }

    /// The request.
    pub(crate) fn request(&self) -> Request<Payload> {
        let mut request = Request::new(self.body.clone());
        *request.method_mut() = self.call.method.clone();
        *request.uri_mut() = self.way.uri.clone();
        *request.headers_mut() = self.headers();
        request
    }

    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = headers(self.target, self.way, self.call, self.attempt);
        for (name, value) in self.credential.into_iter().flatten() {
            headers.insert(name.clone(), value.clone());
        }
        headers
    }
}

/// Where the request stands in its trace (W3C Trace Context).
const PARENT: HeaderName = HeaderName::from_static("traceparent");
const STATE: HeaderName = HeaderName::from_static("tracestate");
/// What describes a body that is passed on as it is, and which part of one is asked for.
const DESCRIPTION: [HeaderName; 4] = [
    header::CONTENT_TYPE,
    header::ACCEPT,
    header::RANGE,
    header::IF_RANGE,
];
/// What begins the names of headers that describe an upload in parts to Google.
const UPLOAD: &str = "x-goog-upload-";

fn headers(target: &Target, way: &Way, call: &Call, attempt: &Attempt<'_>) -> HeaderMap {
    let mut out = target.headers.clone();
    let described = match way.api {
        Api::Raw => &DESCRIPTION[..],
        _ => &[],
    };
    let uploads = call.headers.keys();
    let uploads = uploads.filter(|n| way.api == Api::Raw && n.as_str().starts_with(UPLOAD));
    // what a body is, its caller says; where there is none, there is nothing to say
    if way.api == Api::Raw || call.body.is_empty() {
        out.remove(header::CONTENT_TYPE);
    }
    for name in target.forward.iter().chain(described).chain(uploads) {
        let values = call.headers.get_all(name);
        if values.iter().next().is_none() || is_listed(&call.headers, name) {
            continue;
        }
        // what we would have said ourselves (`User-Agent`) is the caller's to say where the target passes it on
        out.remove(name);
        for value in values {
            out.append(name.clone(), value.clone());
        }
    }
    for (name, value) in own_credentials(target, call) {
        let mut value = value.clone();
        value.set_sensitive(true);
        out.insert(name, value);
    }
    if way.api == Api::VercelImages
        && let Ok(model) = HeaderValue::from_str(target.model(call))
    {
        out.insert(HeaderName::from_static("ai-model-id"), model);
    }
    if way.api == Api::InvokeMessages {
        // it stands in the body
        out.remove(body::BETA);
    }
    if way.api != Api::Raw {
        out.insert(header::ACCEPT, HeaderValue::from_static(accept(way, call)));
    }
    let parent = Bytes::from(attempt.trace.traceparent(attempt.span));
    if let Ok(parent) = HeaderValue::from_maybe_shared(parent) {
        out.insert(PARENT, parent);
    }
    if let Some(state) = &attempt.trace.state {
        out.insert(STATE, state.clone());
    }
    // what was done since the dispatch, connecting above all, took its part
    let gone = match target.forward_deadline.is_empty() {
        true => Duration::ZERO,
        false => attempt.progress.started().elapsed(),
    };
    let left = attempt.left.map(|left| left.saturating_sub(gone));
    for forward in &target.forward_deadline {
        forward.write(&mut out, &call.headers, left, attempt.limit);
    }
    out
}

fn accept(way: &Way, call: &Call) -> &'static str {
    match (call.stream, way.api.framing()) {
        (false, _) => "application/json",
        (true, Framing::Sse) => "text/event-stream, application/json",
        (true, Framing::Lines) => "application/x-ndjson, application/json",
        (true, _) => "*/*",
    }
}

/// The caller's own credentials that go on to a target which passes them on, in each place where its dialect can
/// have one.
pub(crate) fn own_credentials<'a>(
    target: &'a Target,
    call: &'a Call,
) -> impl Iterator<Item = (HeaderName, &'a HeaderValue)> {
    let own = match target.rules.key {
        Slot::Header(name) => Some(HeaderName::from_static(name)),
        Slot::Bearer => None,
    };
    let names = own.into_iter().chain([header::AUTHORIZATION]);
    let names = names.filter(|_| target.passes_credentials);
    names.filter_map(|name| {
        let value = call.headers.get(&name)?;
        (!speaks_for_a_connection(value)).then_some((name, value))
    })
}

/// Whether a credential is for the connection it comes on (RFC 4559), which others use after its caller.
fn speaks_for_a_connection(credential: &HeaderValue) -> bool {
    let scheme = credential.as_bytes().split(|b| *b == b' ').next();
    scheme.is_some_and(|scheme| {
        [&b"ntlm"[..], b"negotiate"]
            .iter()
            .any(|bound| scheme.eq_ignore_ascii_case(bound))
    })
}
