//! From a head on an LLM surface to a call that the engine can serve, or to the reason why not.
//!
//! Everything that can be said from the head alone is said before the first byte of the body is asked for:
//! then a caller that waits for `100 Continue` never sends it, and nothing is read for a request that will
//! not be served.

use super::{
    Visit,
    asked::Asked,
    body::{self, Cut},
    head,
    peek::peek,
    place::Ask,
    words,
};
use crate::{answer::Refusal, load::Place, shutdown::Stage};
use bytes::Bytes;
use http::request::Parts;
use hyper::body::Incoming;
use punctual_core::{
    Call, Code, Deadline, Failure, Record, Source, Upstream, arm, deadline_exceeded,
};
use punctual_wire::Peek;
use std::time::Duration;
use tokio::select;

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
    pub(super) call: Box<Call>,
    pub(super) place: Place,
    /// The interval of heartbeats, for this route, key and caller.
    pub(super) heartbeat: Option<Duration>,
}

pub(super) async fn admit<U: Upstream>(
    visit: &Visit<U>,
    ask: Ask<'_>,
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
    if let Ask::Body(_) = ask {
        head::json(&head.headers)?;
    }
    head::transfer(&head.headers)?;
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
    if !words::wire(ask.surface()).streams() {
        declared.bind_kind(&mut deadline, false);
    }
    let key_name = key.as_ref().map(|k| k.name.clone());
    record.identify(None, key_name, false, deadline);
    in_time(&deadline)?;
    let place = gateway
        .in_flight
        .take(settings.max_in_flight)
        .ok_or_else(Refusal::busy)?;
    let (bytes, peek) = receive(visit, ask, body, &deadline).await?;
    record.received();
    let asked = Box::new(Asked {
        id: visit.id.clone(),
        head,
        bytes,
        declared,
        deadline,
        key,
    });
    let (call, heartbeat) = asked.call(ask, peek, visit, record)?;
    Ok(Admitted {
        call,
        place,
        heartbeat,
    })
}

pub(super) fn in_time(deadline: &Deadline) -> Result<(), Stop> {
    if deadline.spent() {
        return Err(Stop::Failed(deadline_exceeded(deadline)));
    }
    Ok(())
}

/// The body and what it asks for (if that is said there), unless time, the caller or the process ends first.
async fn receive<U: Upstream>(
    visit: &Visit<U>,
    ask: Ask<'_>,
    body: &mut Incoming,
    deadline: &Deadline,
) -> Result<(Bytes, Option<Peek>), Stop> {
    let received = async {
        let bytes = read(visit, body, deadline).await?;
        let Ask::Body(surface) = ask else {
            return Ok((bytes, None));
        };
        let late = async {
            match deadline.at() {
                Some(at) => arm(at).await,
                None => std::future::pending().await,
            }
        };
        let peek = select! { biased;
            found = peek(visit, words::wire(surface), &bytes) => found?,
            () = late => return Err(Stop::Failed(deadline_exceeded(deadline))),
        };
        Ok((bytes, Some(peek)))
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
