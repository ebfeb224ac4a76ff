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
    task::{Context, Poll, ready},
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

    /// Whether its last byte was read, or no more of them can come.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.carrier, Carrier::Released)
    }

    /// The next bytes, never none of them; `None` at the end of the body.
    pub(crate) fn poll_chunk(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        loop {
            let body = &mut self.body;
            let frame = |cx: &mut Context<'_>| {
                let polled = Pin::new(&mut *body).poll_frame(cx);
                polled.map(|frame| frame.map(|frame| frame.map_err(|_| Broken)))
            };
            let next = match &mut self.carrier {
                Carrier::Released => return Poll::Ready(None),
                Carrier::Http2(_) => {
                    let mut frame = frame;
                    frame(cx)
                }
                Carrier::Http1(line, _) => {
                    let polled = line.driven.poll(cx, frame);
                    // a connection that is over has told its body so before
                    polled.map(|frame| frame.unwrap_or(Some(Err(Broken))))
                }
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
