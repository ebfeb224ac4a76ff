//! A request from its head to its answer.
//!
//! [`handle`] is the whole of it: the clock starts, the place is found, the door is checked, and what comes
//! of it is answered. A request on an LLM surface has its record from the first line on, so whatever ends
//! it (a refusal, a panic, the caller's leaving) closes that record exactly once.

use crate::{
    answer::{self, Answered, Refusal, Reply},
    connection::{Busy, Link, Turn},
    gateway::Snapshot,
    health,
};
use http::{HeaderMap, Request, Response, Version, request::Parts};
use hyper::body::Incoming;
use punctual_core::{Code, Failure, Record, Trace, TraceId, Upstream};
use punctual_wire::Surface;
use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::{Arc, OnceLock, atomic::Ordering::Relaxed},
    task::Poll,
};
use tokio::time::Instant;

mod admit;
mod asked;
mod body;
mod door;
mod head;
mod models;
mod page;
mod path;
mod peek;
mod place;
mod serve;
mod words;
pub(crate) use door::{LetIn, is_local_name};
use page::Page;
use place::{Ask, Place};

/// One request on its way through the front.
pub(crate) struct Visit<U: Upstream> {
    pub(crate) link: Arc<Link<U>>,
    /// What was current when the head was read; good to the end of the request.
    pub(crate) now: Arc<Snapshot<U>>,
    pub(crate) id: Arc<str>,
    pub(crate) started: Instant,
    pub(crate) version: Version,
    /// Whose errors the caller reads.
    pub(crate) words: Surface,
    /// The web page that asks, once it is let in.
    pub(crate) page: OnceLock<Page>,
}

/// Answers one request. Never fails: whatever happens is an answer.
pub(crate) async fn handle<U: Upstream>(
    link: Arc<Link<U>>,
    busy: Busy,
    request: Request<Incoming>,
) -> Result<Response<Reply<U::Pieces>>, Infallible> {
    let visit = Visit {
        started: Instant::now(),
        now: link.gateway.current(),
        id: request_id(request.headers()),
        version: request.version(),
        words: words::of(Place::of(request.uri().path()), request.headers()),
        page: OnceLock::new(),
        link,
    };
    let whole = caught(pin!(answer(&visit, request))).await;
    let answered = whole.unwrap_or_else(|Panicked| {
        let failure = Failure::new(Code::Internal, "internal error");
        answer::plain_failure(&visit, &failure)
    });
    Ok(answered.finish(&visit, busy))
}

async fn answer<U: Upstream>(visit: &Visit<U>, request: Request<Incoming>) -> Answered<U> {
    let (mut head, body) = request.into_parts();
    // never honoured, so nobody behind us may hear of it
    head.headers.remove(http::header::UPGRADE);
    let path = head.uri.path().to_owned();
    let place = Place::of(&path);
    let door = door::check(&head, visit);
    if let (Ok(()), Some(page)) = (&door, Page::of(&head.headers)) {
        visit.page.get_or_init(|| page);
        if page::is_preflight(&head) && place.methods().is_some() {
            return page::preflight(visit, place, &head).leaving(body);
        }
    }
    let door = door.and_then(|()| place.allows(&head.method));
    let answered = match (place, door) {
        (Place::Ask(wish), door) => return ask(visit, wish, door, head, body).await,
        (_, Err(refusal)) => answer::refused(visit, &refusal),
        (Place::Models, _) => models::list(visit, &head.headers),
        (Place::Model(id), _) => models::one(visit, &head.headers, id),
        (Place::Live, _) => answer::json(visit, http::StatusCode::OK, health::live()),
        (Place::Ready(route), _) => {
            let (status, body) = health::ready(&visit.link.gateway, &visit.now, route);
            answer::json(visit, status, body)
        }
        (Place::Unknown, _) => answer::refused(visit, &Refusal::unknown_path()),
    };
    answered.leaving(body)
}

/// A request on an LLM surface.
async fn ask<U: Upstream>(
    visit: &Visit<U>,
    wish: Ask<'_>,
    door: Result<(), Box<Refusal>>,
    head: Parts,
    mut body: Incoming,
) -> Answered<U> {
    let deadline = punctual_core::Deadline::starting(visit.started);
    let mut trace = Trace::from_headers(&head.headers);
    (visit.link.gateway.hooks.sample)(&mut trace);
    let observer = visit.link.gateway.observer.clone();
    let mut record = Record::open(visit.id.clone(), wish.surface(), trace, deadline, observer);
    let admitted = match door {
        Ok(()) => admit::admit(visit, wish, head, &mut body, &mut record).await,
        Err(refusal) => Err(admit::Stop::Refused(refusal)),
    };
    if admitted.is_err() {
        // whatever was wrong with it: nothing of the request is read any more
        record.received();
    }
    let answered = match admitted {
        Ok(admitted) => return serve::serve(visit, admitted, record).await,
        Err(admit::Stop::Refused(refusal)) => answer::rejected(visit, &refusal, record),
        Err(admit::Stop::Failed(failure)) => {
            record.fail(&failure);
            answer::failed(visit, &failure, record)
        }
        Err(admit::Stop::Gone) => answer::to_nobody(visit, record),
    };
    answered.leaving(body)
}

/// The caller's own id when it is plain, else a new one.
fn request_id(headers: &HeaderMap) -> Arc<str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    let given = headers.get("x-request-id").and_then(|v| v.to_str().ok());
    match given.filter(|id| (1..=128).contains(&id.len()) && id.bytes().all(plain)) {
        Some(id) => id.into(),
        None => TraceId::mint().text(|id| id.into()),
    }
}

struct Panicked;

/// A panic in one request is that request's failure, never the connection's. hyper polls a request whenever
/// its connection has something to do: it is only looked at when it was called itself.
async fn caught<F: Future>(mut future: Pin<&mut F>) -> Result<F::Output, Panicked> {
    let turn = Turn::default();
    std::future::poll_fn(|cx| {
        let turn = AssertUnwindSafe(|| turn.take_if_called(future.as_mut(), cx));
        match std::panic::catch_unwind(turn) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}

impl<U: Upstream> Visit<U> {
    /// Whether the connection can be told to close with a header.
    pub(crate) fn is_http1(&self) -> bool {
        self.version <= Version::HTTP_11
    }

    /// The rest of the request will not be read: the connection must be closed so that the caller can
    /// still read the answer.
    pub(crate) fn leaves_unread(&self) {
        self.link.unread.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::request_id;
    use http::{HeaderMap, HeaderValue};

    #[test]
    fn a_plain_request_id_is_kept_and_any_other_replaced() {
        let id = |text: &str| {
            let mut h = HeaderMap::new();
            h.insert("x-request-id", HeaderValue::from_str(text).unwrap());
            request_id(&h).to_string()
        };
        assert_eq!(id("run-7.a_B"), "run-7.a_B");
        for odd in ["a b", "a/b", "", &"x".repeat(129)] {
            assert_ne!(id(odd), odd);
        }
        assert_eq!(request_id(&HeaderMap::new()).len(), 32);
    }
}
