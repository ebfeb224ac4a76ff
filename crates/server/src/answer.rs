//! What the caller is told: status, headers and body of every answer.
//!
//! Whatever a request came to is made into an [`Answered`] here and becomes a response at one place,
//! [`Answered::finish`], which stamps what every response carries and closes the connections that must be
//! closed.

use crate::{
    connection::{Busy, rest},
    front::Visit,
    load::Place,
    shutdown::Stage,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use hyper::body::{Body, Incoming};
use punctual_core::{
    Answer, Failure, Fate, Open, Opening, Pace, Record, Relay, Report, Surface, Upstream, Voice,
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

mod fault;
mod refusal;
mod reply;
mod stamp;
mod voice;
use fault::Told;
pub(crate) use refusal::Refusal;
pub(crate) use reply::Reply;

/// A unary answer larger than this can outlast its caller's reading, so it is watched like a stream.
const WATCHED: usize = 64 << 10;

/// How long an answer with no route behind it may go unread; what routes have by default.
const STALL: Option<Duration> = Some(Duration::from_secs(60));

/// An answer that has not been sent.
pub(crate) struct Answered<U: Upstream> {
    status: StatusCode,
    headers: HeaderMap,
    body: Relay<U::Pieces>,
    place: Option<Place>,
    /// The request's body, when some of it was left unread.
    unread: Option<Incoming>,
    /// It may outlast its caller's reading.
    watched: bool,
}

impl<U: Upstream> Answered<U> {
    fn new(status: StatusCode, headers: HeaderMap, body: Relay<U::Pieces>) -> Self {
        Self {
            status,
            headers,
            body,
            place: None,
            unread: None,
            watched: false,
        }
    }

    /// Keeps the place among the requests in flight until the last byte.
    pub(crate) fn holding(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Takes what may have been left unread of the request's body.
    pub(crate) fn leaving(mut self, body: Incoming) -> Self {
        self.unread = Some(body).filter(|body| !body.is_end_stream());
        self
    }

    /// The response.
    pub(crate) fn finish(mut self, visit: &Visit<U>, busy: Busy) -> Response<Reply<U::Pieces>> {
        stamp::text(&mut self.headers, stamp::REQUEST_ID, &visit.id);
        if visit.words.is_anthropic() {
            stamp::text(&mut self.headers, stamp::ANTHROPIC_ID, &visit.id);
        }
        if let Some(page) = visit.page.get() {
            page.stamp(&mut self.headers);
        }
        let last = visit.link.gateway.stage() > Stage::Serving;
        if visit.is_http1() && (self.unread.is_some() || last) {
            let close = HeaderValue::from_static("close");
            self.headers.insert(header::CONNECTION, close);
        }
        match self.unread {
            Some(_) if visit.is_http1() => visit.leaves_unread(),
            Some(body) => drop(visit.link.gateway.tasks.spawn(rest(body))),
            None => {}
        }
        // a window of HTTP/2 can be so small that even a short answer stays
        if self.watched || !visit.is_http1() {
            visit.link.vigil.watch(self.body.watched());
        }
        let mut response = Response::new(Reply::new(self.body, self.place, busy));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

fn json_headers() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(12);
    stamp::json(&mut headers);
    headers
}

/// Nothing but headers.
pub(crate) fn empty<U: Upstream>(_: &Visit<U>, headers: HeaderMap) -> Answered<U> {
    let body = Relay::plain(Bytes::new());
    Answered::new(StatusCode::NO_CONTENT, headers, body)
}

/// Plain JSON, with no record behind it.
pub(crate) fn json<U: Upstream>(_: &Visit<U>, status: StatusCode, body: Bytes) -> Answered<U> {
    Answered::new(status, json_headers(), Relay::plain(body).with_stall(STALL))
}

/// A refusal of something that is not a request to a model.
pub(crate) fn refused<U: Upstream>(visit: &Visit<U>, refusal: &Refusal) -> Answered<U> {
    let mut headers = json_headers();
    refusal.stamp(&mut headers);
    let body = refusal.body(told(visit));
    Answered::new(
        refusal.status,
        headers,
        Relay::plain(body).with_stall(STALL),
    )
}

/// A refusal at the front door.
pub(crate) fn rejected<U: Upstream>(
    visit: &Visit<U>,
    refusal: &Refusal,
    mut record: Record,
) -> Answered<U> {
    let mut headers = json_headers();
    refusal.stamp(&mut headers);
    stamp::report(&mut headers, record.report());
    record.refuse(refusal.outcome, refusal.code);
    record.head_sent(refusal.status);
    let body = refusal.body(told(visit));
    Answered::new(
        refusal.status,
        headers,
        Relay::whole(body, record).with_stall(STALL),
    )
}

/// The caller has left while it was sending: nobody reads this.
pub(crate) fn to_nobody<U: Upstream>(_: &Visit<U>, record: Record) -> Answered<U> {
    drop(record);
    let body = Relay::plain(Bytes::new());
    Answered::new(StatusCode::BAD_REQUEST, HeaderMap::new(), body)
}

/// A failure with nothing known about the request.
pub(crate) fn plain_failure<U: Upstream>(visit: &Visit<U>, failure: &Failure) -> Answered<U> {
    let body = fault::body(failure, None, told(visit));
    Answered::new(
        failure.http_status(),
        json_headers(),
        Relay::plain(body).with_stall(STALL),
    )
}

/// The last word on a request is a failure, and no head was sent.
pub(crate) fn failed<U: Upstream>(
    visit: &Visit<U>,
    failure: &Failure,
    mut record: Record,
) -> Answered<U> {
    let status = failure.http_status();
    let headers = failure_headers(failure, record.report());
    let body = fault::body(failure, Some(record.report()), told(visit));
    record.head_sent(status);
    Answered::new(
        status,
        headers,
        Relay::whole(body, record).with_stall(STALL),
    )
}

/// The whole body in which a failure is told, to be made of a report that is not complete yet.
pub(crate) fn telling<U: Upstream>(
    visit: &Visit<U>,
) -> impl FnOnce(&Failure, &Report) -> Bytes + Send + 'static {
    let (words, compat, id) = (visit.words, visit.now.settings.compat, visit.id.clone());
    move |failure, report| {
        let id = &id;
        fault::body(failure, Some(report), Told { words, compat, id })
    }
}

/// The request was ended from outside; its record is closed and left behind its report and what is told.
pub(crate) fn ended<U: Upstream>(visit: &Visit<U>, failure: &Failure, fate: &Fate) -> Answered<U> {
    let Some((report, Some(body))) = fate.left() else {
        return plain_failure(visit, failure);
    };
    Answered::new(
        failure.http_status(),
        failure_headers(failure, &report),
        Relay::plain(body).with_stall(STALL),
    )
}

fn failure_headers(failure: &Failure, report: &Report) -> HeaderMap {
    let mut headers = json_headers();
    if let Some(theirs) = &failure.headers {
        stamp::upstream(&mut headers, theirs);
        // theirs may have been a page of HTML
        stamp::json(&mut headers);
    }
    let last = report.attempts.last();
    if let Some(id) = last.and_then(|a| a.request_id.as_deref()) {
        stamp::text(&mut headers, stamp::UPSTREAM_ID, id);
    }
    stamp::failure(&mut headers, failure);
    stamp::report(&mut headers, report);
    headers
}

/// The engine has an answer.
pub(crate) fn served<U: Upstream>(
    visit: &Visit<U>,
    mut open: Open<U::Pieces>,
    stream: bool,
    pace: Pace,
) -> Answered<U> {
    let passed = open.record.report().surface == Surface::Passthrough;
    let mut headers = match passed {
        true => HeaderMap::with_capacity(12),
        false => json_headers(),
    };
    let status = open.head.status;
    stamp::upstream(&mut headers, &open.head.headers);
    stamp::dropped(&mut headers, &open.head.dropped);
    if let Some(id) = &open.head.request_id {
        stamp::text(&mut headers, stamp::UPSTREAM_ID, id);
    }
    if stream && !passed {
        stamp::stream(&mut headers);
    }
    stamp::report(&mut headers, open.record.report());
    open.record.head_sent(status);
    let small = matches!(&open.answer, Answer::Whole(bytes) if bytes.len() <= WATCHED);
    let voice = match passed {
        true => voice::of(
            punctual_wire::Surface::Passthrough,
            visit.now.settings.compat,
        ),
        false => voice(visit),
    };
    let relay = Relay::answer(open, voice, pace);
    Answered {
        watched: !small,
        ..Answered::new(status, headers, relay)
    }
}

/// The first heartbeat is due: the head goes out, and the plan goes on inside the body.
pub(crate) fn beating<U: Upstream>(
    visit: &Visit<U>,
    opening: Opening<U::Pieces>,
    fate: Arc<Fate>,
    ends_at: Option<Instant>,
    pace: Pace,
) -> Answered<U> {
    let mut headers = HeaderMap::with_capacity(8);
    stamp::stream(&mut headers);
    fate.head_sent(StatusCode::OK);
    let relay = Relay::opening(opening, fate, ends_at, voice(visit), pace);
    Answered {
        watched: true,
        ..Answered::new(StatusCode::OK, headers, relay)
    }
}

fn voice<U: Upstream>(visit: &Visit<U>) -> Arc<dyn Voice> {
    voice::of(visit.words, visit.now.settings.compat)
}

fn told<U: Upstream>(visit: &Visit<U>) -> Told<'_> {
    Told {
        words: visit.words,
        compat: visit.now.settings.compat,
        id: &visit.id,
    }
}
