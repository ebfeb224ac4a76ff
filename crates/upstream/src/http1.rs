//! HTTP/1.1 exchanges: one connection, one request at a time, owned by the request.
//!
//! hyper's connection future is not spawned. It is polled together with the response inside the request's
//! own future, so no task and no channel stands between the request and its socket: dropping the exchange
//! closes the socket at once. A connection whose answer was read to its end rests on a stack, the warmest
//! on top.
//!
//! A pooled connection can be dead without our having seen it. One that dies before it answered a byte is
//! replaced by a fresh one, once, outside the count of attempts. Only a quick death says so; a connection
//! that stayed silent for long may have done the work. Once bytes of the request were written, even a quick
//! one may have: that send stays counted, and a target that wants no replays gets none.

use crate::{
    dial::DialError,
    fault,
    pool::{Pool, count},
    request::{Outgoing, Payload},
    stream::Stream,
};
use http::{Request, Response, response::Parts};
use hyper::{
    body::Incoming,
    client::conn::http1::{Builder, SendRequest},
};
use punctual_core::{Failure, Progress};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

mod driven;

pub(crate) use driven::Driven;

/// Connections that rest at the same time, per endpoint.
const MAX_IDLE: usize = 256;
/// Shorter than the 60 s after which common load balancers close on their side.
const MAX_REST: Duration = Duration::from_secs(50);
/// A reused connection that ends unanswered within this was closed while it rested.
pub(crate) const QUICK_DEATH: Duration = Duration::from_secs(2);

/// A connection and the only handle to it.
pub(crate) struct Line {
    sender: SendRequest<Payload>,
    pub(crate) driven: Driven,
}

impl Line {
    /// Sends a request and reads the head of its answer. The error is `None` when the connection was over
    /// before it took the request.
    async fn ask(
        &mut self,
        request: Request<Payload>,
        progress: &Progress,
    ) -> Result<Response<Incoming>, Option<hyper::Error>> {
        let Self { sender, driven } = self;
        let before = driven.wire().written();
        let mut answer = pin!(sender.send_request(request));
        let answer = poll_fn(|cx| {
            let polled = driven.poll(cx, |cx| answer.as_mut().poll(cx));
            if driven.wire().written() > before {
                progress.writing();
            }
            polled
        });
        match answer.await {
            Some(answer) => answer.map_err(Some),
            None => Err(None),
        }
    }

    /// Whether it can take another request, as far as the socket tells.
    pub(crate) fn rests(&mut self) -> bool {
        !self.driven.rest() && self.sender.is_ready()
    }
}

/// The connections that wait for a request.
#[derive(Default)]
pub(crate) struct Idle(Mutex<Resting>);

#[derive(Default)]
struct Resting {
    lines: Vec<(Box<Line>, Instant)>,
    closed: bool,
}

impl Idle {
    /// The one that came last and is not known to be dead.
    fn take(&self, now: Instant) -> Option<Box<Line>> {
        loop {
            let (mut line, since) = self.lock().lines.pop()?;
            if now.saturating_duration_since(since) < MAX_REST && line.rests() {
                return Some(line);
            }
        }
    }

    pub(crate) fn put(&self, line: Box<Line>) {
        let mut resting = self.lock();
        if resting.lines.len() < MAX_IDLE && !resting.closed {
            resting.lines.push((line, Instant::now()));
        } else {
            // closing a socket is a system call: not under the lock
            drop(resting);
        }
    }

    /// Drops those that are dead or have rested for long.
    pub(crate) fn sweep(&self) {
        let mut lines = std::mem::take(&mut self.lock().lines);
        lines.retain_mut(|(line, since)| since.elapsed() < MAX_REST && line.rests());
        let mut resting = self.lock();
        if !resting.closed {
            // those that came in the meantime are warmer
            lines.append(&mut resting.lines);
            std::mem::swap(&mut resting.lines, &mut lines);
        }
        drop(resting);
    }

    pub(crate) fn close(&self) {
        let lines = {
            let mut resting = self.lock();
            resting.closed = true;
            std::mem::take(&mut resting.lines)
        };
        drop(lines);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().lines.len()
    }

    fn lock(&self) -> MutexGuard<'_, Resting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    pub(crate) async fn exchange_http1(
        self: &Arc<Self>,
        outgoing: Outgoing<'_>,
        progress: &Progress,
    ) -> Result<(Parts, Stream), Box<Failure>> {
        let started = Instant::now();
        if let Some(mut line) = self.idle.take(started) {
            progress.connected(true);
            let wire = line.driven.wire();
            let (read, written) = (wire.read(), wire.written());
            match line.ask(outgoing.request(), progress).await {
                Ok(answer) => {
                    count(&self.counts.reuses);
                    return Ok(self.answered(answer, line));
                }
                Err(error) => {
                    let wire = line.driven.wire();
                    let quick = wire.read() == read && started.elapsed() < QUICK_DEATH;
                    match wire.written() == written {
                        true if quick => progress.starts_over(),
                        false if quick && outgoing.replays() => progress.goes_again(),
                        _ => return Err(fault::unanswered(error.as_ref(), progress)),
                    }
                    count(&self.counts.found_dead);
                }
            }
        }
        // rare and large: the future of every exchange would carry it
        let dialled = Box::pin(self.dial_http1(progress)).await;
        let mut line = dialled.map_err(DialError::into_failure)?;
        match line.ask(outgoing.request(), progress).await {
            Ok(answer) => Ok(self.answered(answer, line)),
            Err(error) => Err(fault::unanswered(error.as_ref(), progress)),
        }
    }

    fn answered(self: &Arc<Self>, answer: Response<Incoming>, line: Box<Line>) -> (Parts, Stream) {
        let (head, body) = answer.into_parts();
        (head, Stream::http1(body, line, self.clone()))
    }

    async fn dial_http1(&self, progress: &Progress) -> Result<Box<Line>, DialError> {
        count(&self.counts.dials);
        let dial = self.dialer.dial(&self.place, self.counts.open.clone());
        let dialled = dial
            .await
            .inspect_err(|_| count(&self.counts.failed_dials))?;
        if let Some(took) = dialled.tls {
            progress.tls(took);
        }
        progress.connected(false);
        let shaken = Builder::new().handshake(dialled.io).await;
        let (sender, conn) = shaken.map_err(|_| DialError::Preface)?;
        let driven = Driven::new(conn, dialled.wire);
        Ok(Box::new(Line { sender, driven }))
    }
}
