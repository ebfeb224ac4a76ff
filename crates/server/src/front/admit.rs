//! From a head on an LLM surface to a call that the engine can serve, or to the reason why not.
//!
//! Everything that can be said from the head alone is said before the first byte of the body is asked for:
//! then a caller that waits for `100 Continue` never sends it, and nothing is read for a request that will
//! not be served.

use super::{
    Visit,
    body::{self, Cut},
    head,
    peek::peek,
};
use crate::{
    answer::Refusal, declared::Declared, keys::Key, load::Place, memory::Held, routes::Route,
    shutdown::Stage,
};
use bytes::Bytes;
use http::request::Parts;
use hyper::body::Incoming;
use punctual_core::{
    Call, Code, Deadline, Failure, Record, Room, Source, State, Surface, Upstream, arm,
    deadline_exceeded,
};
use punctual_wire::Peek;
use std::{sync::Arc, time::Duration};
use tokio::select;

/// No caller can ask for heartbeats more often than this.
const QUICKEST: Duration = Duration::from_millis(50);

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
    mut head: Parts,
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
        .take(&mut head.headers)
        .map_err(Refusal::denied)?;
    head::media(&head.headers)?;
    head::length(body, settings.max_body_bytes)?;
    let mut deadline = Deadline::starting(visit.started);
    if let Some(ceiling) = settings.request_deadline {
        deadline.tighten(ceiling, Source::Server);
    }
    if let Some(ceiling) = key.as_ref().and_then(|k| k.deadline) {
        deadline.tighten(ceiling, Source::Key);
    }
    let declared = head::declared(visit, &head.headers)?;
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
    let (bytes, peek) = receive(visit, surface, body, &deadline).await?;
    record.received();
    let asked = Asked {
        id: visit.id.clone(),
        surface,
        head,
        bytes,
        declared,
        deadline,
        key,
    };
    let (call, heartbeat) = asked.call(peek, visit, record)?;
    Ok(Admitted {
        call,
        place,
        heartbeat,
    })
}

/// A request whose body is here.
struct Asked {
    id: Arc<str>,
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
        peek: Peek,
        visit: &Visit<U>,
        record: &mut Record,
    ) -> Result<(Call, Option<Duration>), Stop> {
        let routes = &visit.now.routes;
        let resolved = routes.resolve(&peek.model).ok_or_else(|| {
            if routes.is_odd(&peek.model) {
                return Refusal::odd_model();
            }
            let allowed = |route: &str| self.key.as_ref().is_none_or(|k| k.may_use(route));
            Refusal::unknown_model(routes.nearest(&peek.model, allowed))
        })?;
        let route = resolved.route;
        let stream = peek.stream && self.surface != Surface::Embeddings;
        self.tighten(&route, stream);
        let key = self.key.as_ref().map(|k| k.name.clone());
        record.identify(Some(route.name.clone()), key.clone(), stream, self.deadline);
        if self.key.as_ref().is_some_and(|k| !k.may_use(&route.name)) {
            return Err(Refusal::not_for_this_key().into());
        }
        in_time(&self.deadline)?;
        let heartbeat = self.heartbeat(&route);
        let memory = visit.link.gateway.memory.clone();
        let room = Held::new(memory, visit.now.settings.max_memory_bytes);
        Ok((
            self.into_call(peek, &route, resolved.model, stream, key, room),
            heartbeat,
        ))
    }

    fn tighten(&mut self, route: &Route, stream: bool) {
        self.declared.bind_kind(&mut self.deadline, stream);
        if let Some(ceiling) = route.deadline {
            self.deadline.tighten(ceiling, Source::Route);
        }
    }

    /// Twice within the silence that the caller can bear.
    fn heartbeat(&self, route: &Route) -> Option<Duration> {
        let configured = match self.key.as_ref().and_then(|k| k.heartbeat) {
            Some(of_key) => of_key,
            None => route.policy.heartbeat,
        };
        let bearable = self.declared.silence().map_or(Duration::MAX, |s| s / 2);
        configured
            .filter(|every| !every.is_zero())
            .map(|every| every.min(bearable).max(QUICKEST))
    }

    fn into_call(
        self,
        peek: Peek,
        route: &Route,
        model: Arc<str>,
        stream: bool,
        key: Option<Arc<str>>,
        room: Arc<dyn Room>,
    ) -> Call {
        let surface = self.surface;
        Call {
            id: self.id,
            stream,
            choices: peek.n,
            include_usage: peek.include_usage,
            model,
            model_span: peek.model_span,
            body: self.bytes,
            headers: Arc::new(self.head.headers),
            state: State {
                pieces: peek.state.pieces,
                required: peek.state.required,
                affinity: None,
            },
            key,
            policy: route.policy.clone(),
            room: Some(room),
            ..Call::new(surface, route.plan.clone(), self.deadline)
        }
    }
}

fn in_time(deadline: &Deadline) -> Result<(), Stop> {
    if deadline.spent() {
        return Err(Stop::Failed(deadline_exceeded(deadline)));
    }
    Ok(())
}

/// The body and what it asks for, unless time, the caller or the process ends first.
async fn receive<U: Upstream>(
    visit: &Visit<U>,
    surface: Surface,
    body: &mut Incoming,
    deadline: &Deadline,
) -> Result<(Bytes, Peek), Stop> {
    let received = async {
        let bytes = read(visit, body, deadline).await?;
        let late = async {
            match deadline.at() {
                Some(at) => arm(at).await,
                None => std::future::pending().await,
            }
        };
        let peek = select! { biased;
            found = peek(visit, surface, &bytes) => found?,
            () = late => return Err(Stop::Failed(deadline_exceeded(deadline))),
        };
        Ok((bytes, peek))
    };
    select! { biased;
        received = received => received,
        () = visit.link.ending.cancelled() => Err(Stop::Failed(shutting_down())),
    }
}

async fn read<U: Upstream>(
    visit: &Visit<U>,
    body: &mut Incoming,
    deadline: &Deadline,
) -> Result<Bytes, Stop> {
    let settings = &visit.now.settings;
    let read = body::receive(body, settings, deadline, &visit.link.gateway.memory).await;
    read.map_err(|cut| {
        Stop::Refused(match cut {
            Cut::Gone => return Stop::Gone,
            Cut::Deadline => return Stop::Failed(deadline_exceeded(deadline)),
            Cut::TooLarge => Refusal::too_large(settings.max_body_bytes),
            Cut::NoMemory => Refusal::no_memory(),
            Cut::Stalled => Refusal::stalled(),
            Cut::Malformed => Refusal::malformed(),
        })
    })
}

/// New work is refused because the process ends.
pub(super) fn shutting_down() -> Box<Failure> {
    let mut failure = Failure::new(Code::ShuttingDown, "the gateway is shutting down");
    failure.retry_after = Some(Duration::from_secs(1));
    failure
}
