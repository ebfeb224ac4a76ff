//! From a head on an LLM surface to a call that the engine can serve, or to the reason why not.
//!
//! Everything that can be said from the head alone is said before the first byte of the body is asked for:
//! then a caller that waits for `100 Continue` never sends it, and nothing is read for a request that will
//! not be served.

use super::{
    Visit,
    body::{self, Cut},
};
use crate::{
    answer::Refusal, declared::Declared, keys::Key, load::Place, routes::Route, shutdown::Stage,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header, request::Parts};
use hyper::body::{Body, Incoming};
use punctual_core::{Call, Code, Deadline, Failure, Record, Source, Surface, Upstream};
use punctual_wire::{Peek, peek};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, SystemTime},
};

/// Why a request is not served.
pub(super) enum Stop {
    Refused(Box<Refusal>),
    Failed(Box<Failure>),
    Gone,
}

impl From<Box<Refusal>> for Stop {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

/// A request that will be served.
pub(super) struct Admitted {
    pub(super) call: Call,
    pub(super) place: Place,
    /// The interval of heartbeats, for this route, key and caller.
    pub(super) heartbeat: Option<Duration>,
}

pub(super) async fn admit<U: Upstream>(
    visit: &Visit<U>,
    surface: Surface,
    head: Parts,
    body: &mut Incoming,
    record: &mut Record,
) -> Result<Admitted, Stop> {
    let settings = &visit.now.settings;
    let gateway = &visit.link.gateway;
    if gateway.stage() >= Stage::Draining {
        return Err(Stop::Failed(shutting_down()));
    }
    let key = visit
        .now
        .keys
        .check(&head.headers)
        .map_err(Refusal::denied)?;
    media(&head.headers)?;
    length(body, settings.max_body_bytes)?;
    let mut deadline = Deadline::starting(visit.started);
    if let Some(ceiling) = settings.request_deadline {
        deadline.tighten(ceiling, Source::Server);
    }
    let declared = declared(visit, &head.headers)?;
    declared.bind(&mut deadline);
    if surface == Surface::Embeddings {
        declared.bind_kind(&mut deadline, false);
    }
    let key_name = key.as_ref().map(|k| k.name.clone());
    record.identify(None, key_name, false, deadline);
    in_time(&deadline)?;
    let place = gateway
        .in_flight
        .take(settings.max_in_flight)
        .ok_or_else(Refusal::busy)?;
    let received = body::receive(body, settings, &deadline, &gateway.memory).await;
    let bytes = received.map_err(|cut| stopped(cut, &deadline, settings.max_body_bytes))?;
    record.received();
    let asked = Asked {
        surface,
        head,
        bytes,
        declared,
        deadline,
        key,
    };
    let (call, heartbeat) = asked.call(visit, record)?;
    Ok(Admitted {
        call,
        place,
        heartbeat,
    })
}

/// A request whose body is here.
struct Asked {
    surface: Surface,
    head: Parts,
    bytes: Bytes,
    declared: Declared,
    deadline: Deadline,
    key: Option<Arc<Key>>,
}

impl Asked {
    /// Finds the route and all that it says.
    fn call<U: Upstream>(
        mut self,
        visit: &Visit<U>,
        record: &mut Record,
    ) -> Result<(Call, Option<Duration>), Stop> {
        let surface = wire_surface(self.surface);
        let peek = peek::peek(surface, &self.bytes).map_err(Refusal::bad_body)?;
        let routes = &visit.now.routes;
        let resolved = routes
            .resolve(&peek.model)
            .ok_or_else(|| Refusal::unknown_model(routes.nearest(&peek.model)))?;
        let route = resolved.route;
        let stream = peek.stream && surface.streams();
        self.tighten(&route, stream);
        let key = self.key.as_ref().map(|k| k.name.clone());
        record.identify(Some(route.name.clone()), key.clone(), stream, self.deadline);
        if self.key.as_ref().is_some_and(|k| !k.may_use(&route.name)) {
            return Err(Refusal::not_for_this_key().into());
        }
        in_time(&self.deadline)?;
        let heartbeat = self.heartbeat(&route);
        Ok((
            self.into_call(peek, &route, resolved.model, stream, key),
            heartbeat,
        ))
    }

    fn tighten(&mut self, route: &Route, stream: bool) {
        self.declared.bind_kind(&mut self.deadline, stream);
        if let Some(ceiling) = route.deadline {
            self.deadline.tighten(ceiling, Source::Route);
        }
        if let Some(ceiling) = self.key.as_ref().and_then(|k| k.deadline) {
            self.deadline.tighten(ceiling, Source::Key);
        }
    }

    /// Twice within the silence that the caller can bear.
    fn heartbeat(&self, route: &Route) -> Option<Duration> {
        let configured = match self.key.as_ref().and_then(|k| k.heartbeat) {
            Some(of_key) => of_key,
            None => route.policy.heartbeat,
        };
        let bearable = self.declared.silence().map_or(Duration::MAX, |s| s / 2);
        configured.map(|every| every.min(bearable))
    }

    fn into_call(
        self,
        peek: Peek,
        route: &Route,
        model: Arc<str>,
        stream: bool,
        key: Option<Arc<str>>,
    ) -> Call {
        Call {
            surface: self.surface,
            stream,
            choices: peek.n,
            include_usage: peek.include_usage,
            model,
            model_span: peek.model_span,
            body: self.bytes,
            headers: Arc::new(self.head.headers),
            key,
            deadline: self.deadline,
            plan: route.plan.clone(),
            policy: route.policy.clone(),
        }
    }
}

/// JSON, uncompressed, and no expectation but the one that hyper fulfils.
fn media(headers: &HeaderMap) -> Result<(), Box<Refusal>> {
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

fn length(body: &Incoming, most: usize) -> Result<(), Box<Refusal>> {
    if body.size_hint().lower() > most as u64 {
        return Err(Refusal::too_large(most));
    }
    Ok(())
}

fn declared<U: Upstream>(visit: &Visit<U>, headers: &HeaderMap) -> Result<Declared, Box<Refusal>> {
    let settings = &visit.now.settings;
    let trusted = (settings.trusted)(visit.link.peer);
    let declared = Declared::read(headers, trusted, settings.compat, SystemTime::now());
    let declared = declared.map_err(|unusable| Refusal::unusable_deadline(unusable.message))?;
    if declared.ignored > 0 {
        visit
            .link
            .gateway
            .unreadable
            .fetch_add(declared.ignored, Relaxed);
    }
    Ok(declared)
}

fn in_time(deadline: &Deadline) -> Result<(), Stop> {
    if deadline.spent() {
        return Err(Stop::Failed(punctual_core::deadline_exceeded(deadline)));
    }
    Ok(())
}

fn stopped(cut: Cut, deadline: &Deadline, most: usize) -> Stop {
    Stop::Refused(match cut {
        Cut::Gone => return Stop::Gone,
        Cut::Deadline => return Stop::Failed(punctual_core::deadline_exceeded(deadline)),
        Cut::TooLarge => Refusal::too_large(most),
        Cut::NoMemory => Refusal::no_memory(),
        Cut::Stalled => Refusal::stalled(),
        Cut::Malformed => Refusal::malformed(),
    })
}

/// New work is refused because the process ends.
pub(super) fn shutting_down() -> Box<Failure> {
    let mut failure = Failure::new(Code::ShuttingDown, "the gateway is shutting down");
    failure.retry_after = Some(Duration::from_secs(1));
    failure
}

fn wire_surface(surface: Surface) -> punctual_wire::Surface {
    match surface {
        Surface::Completions => punctual_wire::Surface::Completions,
        Surface::Embeddings => punctual_wire::Surface::Embeddings,
        _ => punctual_wire::Surface::Chat,
    }
}
