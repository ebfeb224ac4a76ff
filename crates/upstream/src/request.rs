//! The request of one attempt, built from the caller's and the target's: pure, no I/O.
//!
//! Every attempt is built anew from the caller's own body and headers; nothing carries over from the
//! attempt before. Headers go by allow-list: what is not named here or by the target stays behind, the
//! caller's credentials and hop-by-hop headers always (unless the target passes credentials through).

use crate::{spec::ModelChoice, target::Target};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use punctual_core::{Attempt, Call};
use punctual_wire::{Surface, peek, splice};

mod deadline;
mod hop;
mod payload;

pub use deadline::ForwardDeadline;
pub(crate) use hop::{is_listed, never_forwarded};
pub(crate) use payload::Payload;

/// Headers of the caller that every target gets.
pub(crate) const FORWARD: [HeaderName; 1] = [HeaderName::from_static("idempotency-key")];

/// What one attempt sends; built again should a dead pooled connection have taken it.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    pub(crate) target: &'a Target,
    pub(crate) surface: Surface,
    pub(crate) call: &'a Call,
    pub(crate) attempt: &'a Attempt<'a>,
}

impl Outgoing<'_> {
    /// The request.
    pub(crate) fn request(&self) -> Request<Payload> {
        let body = body(self.target, self.surface, self.call);
        let mut request = Request::new(Payload::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.uri(self.surface);
        *request.headers_mut() = headers(self.target, self.call, self.attempt);
        request
    }
}

fn headers(target: &Target, call: &Call, attempt: &Attempt<'_>) -> HeaderMap {
    let mut out = target.headers.clone();
    for name in &target.forward {
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
    if target.passes_credentials
        && let Some(value) = call.headers.get(header::AUTHORIZATION)
        && !speaks_for_a_connection(value)
    {
        let mut value = value.clone();
        value.set_sensitive(true);
        out.insert(header::AUTHORIZATION, value);
    }
    let accept = match call.stream {
        true => "text/event-stream, application/json",
        false => "application/json",
    };
    out.insert(header::ACCEPT, HeaderValue::from_static(accept));
    let parent = Bytes::from(attempt.trace.traceparent(attempt.span));
    if let Ok(parent) = HeaderValue::from_maybe_shared(parent) {
        out.insert(HeaderName::from_static("traceparent"), parent);
    }
    if let Some(state) = &attempt.trace.state {
        out.insert(HeaderName::from_static("tracestate"), state.clone());
    }
    for forward in &target.forward_deadline {
        forward.write(&mut out, &call.headers, attempt.left, attempt.limit);
    }
    out
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

/// The caller's body with the target's model, and with the usage chunk asked for where the target does.
fn body(target: &Target, surface: Surface, call: &Call) -> Vec<Bytes> {
    let model = match &target.model {
        ModelChoice::Fixed(model) => model,
        ModelChoice::FromCaller => &call.model,
    };
    // the one place where the body is read a second time: only targets that inject pay for it
    if target.injects_usage(call)
        && let Ok(peek) = peek::peek(surface, &call.body)
    {
        return splice::request(&call.body, &peek, model, true);
    }
    splice::splice_model(&call.body, call.model_span.clone(), model).into()
}
