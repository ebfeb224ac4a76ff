//! The body of an answer as it comes from a connection, and what becomes of the connection afterwards.
//!
//! Read to its end, an HTTP/1.1 connection goes back to its pool. Dropped before that, it closes; an
//! HTTP/2 stream is reset. Nothing is read ahead: bytes are taken from the socket when somebody asks.

use crate::{http1::Line, http2::Slot, pool::Pool};
use bytes::Bytes;
use hyper::body::{Body, Incoming};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
};

/// The connection ended before the body did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// A body being read.
pub(crate) struct Stream {
    body: Incoming,
    carrier: Carrier,
}

enum Carrier {
    Http1(Box<Line>, Arc<Pool>),
    /// Counts among the streams of its connection until it is dropped.
    Http2(#[expect(dead_code, reason = "held for its drop")] Slot),
    /// The body was read to its end, or broke.
    Released,
}

impl Stream {
    pub(crate) fn http1(body: Incoming, line: Box<Line>, pool: Arc<Pool>) -> Self {
        let carrier = Carrier::Http1(line, pool);
        Self { body, carrier }
    }

    pub(crate) fn http2(body: Incoming, slot: Slot) -> Self {
        let carrier = Carrier::Http2(slot);
        Self { body, carrier }
    }

    /// What `Content-Length` said, if it did.
    pub(crate) fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// The next bytes, never none of them; `None` at the end of the body.
    pub(crate) fn poll_chunk(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        loop {
            let next = match &mut self.carrier {
                Carrier::Released => return Poll::Ready(None),
                Carrier::Http2(_) => Pin::new(&mut self.body).poll_frame(cx),
                Carrier::Http1(line, _) => poll_over(line, &mut self.body, cx),
            };
            match ready!(next) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => {
                        if self.body.is_end_stream() {
                            self.release();
                        }
                        return Poll::Ready(Some(Ok(data)));
                    }
                    // trailers say nothing in these APIs
                    _ => continue,
                },
                Some(Err(_)) => {
                    self.carrier = Carrier::Released;
                    return Poll::Ready(Some(Err(Broken)));
                }
                None => {
                    self.release();
                    return Poll::Ready(None);
                }
            }
        }
    }

    /// The body is complete: the connection may serve the next request.
    fn release(&mut self) {
        let carrier = std::mem::replace(&mut self.carrier, Carrier::Released);
        if let Carrier::Http1(mut line, pool) = carrier
            && line.rests()
        {
            pool.idle.put(line);
        }
    }
}

type Framed = Option<hyper::Result<hyper::body::Frame<Bytes>>>;

/// Polls the body, and the connection that feeds it when it is empty.
fn poll_over(line: &mut Line, body: &mut Incoming, cx: &mut Context<'_>) -> Poll<Framed> {
    // only the connection fills the body, and it is polled here: the body needs no waker
    let mut unwoken = Context::from_waker(Waker::noop());
    if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(&mut unwoken) {
        return Poll::Ready(frame);
    }
    let over = line.poll(cx).is_ready();
    match Pin::new(body).poll_frame(&mut unwoken) {
        // a connection that is over has nothing more to give
        Poll::Pending if over => Poll::Ready(None),
        polled => polled,
    }
}
