//! One HTTP/2 stream: reading its request, and writing its answer within flow control.
//!
//! Every wait polls for the client's RST_STREAM too; the end of the connection comes the same way.

use std::future::poll_fn;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::Order;
use crate::answer::{Answer, Framing};
use crate::log::RequestHead;
use crate::play::Sink;
use crate::seen::{Close, Protocol};
use crate::socket::Handle;

/// How the client left: `h2` knows a stream's reset, the socket a connection's.
pub(super) fn close_of(error: &h2::Error, handle: &Handle) -> Close {
    if error.is_reset() {
        Close::StreamReset
    } else {
        handle.close()
    }
}

pub(super) fn head_of(request: Request<RecvStream>) -> (RequestHead, RecvStream) {
    let (parts, body) = request.into_parts();
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut headers: Vec<_> = parts
        .headers
        .iter()
        .map(|(n, v)| (n.as_str().to_owned(), text(v)))
        .collect();
    if let Some(authority) = parts.uri.authority() {
        headers.insert(0, ("host".to_owned(), authority.to_string()));
    }
    let path = parts
        .uri
        .path_and_query()
        .map_or("/", |p| p.as_str())
        .to_owned();
    let method = parts.method.to_string();
    (
        RequestHead {
            protocol: Protocol::Http2,
            method,
            path,
            headers,
            arrived: Instant::now(),
        },
        body,
    )
}

/// The body, and how the client left if it did so within.
pub(super) async fn read(body: &mut RecvStream, handle: &Handle) -> (Bytes, Option<Close>) {
    let mut all = BytesMut::new();
    while let Some(piece) = body.data().await {
        match piece {
            Ok(piece) => {
                // refused only for more than was received
                let _ = body.flow_control().release_capacity(piece.len());
                all.extend_from_slice(&piece);
            }
            Err(error) => return (all.freeze(), Some(close_of(&error, handle))),
        }
    }
    (all.freeze(), None)
}

/// The sending half of one stream.
pub(super) struct Stream {
    respond: SendResponse<Bytes>,
    out: Option<SendStream<Bytes>>,
    orders: mpsc::Sender<Order>,
    handle: Handle,
}

impl Stream {
    pub(super) fn new(
        respond: SendResponse<Bytes>,
        orders: mpsc::Sender<Order>,
        handle: Handle,
    ) -> Self {
        Self {
            respond,
            out: None,
            orders,
            handle,
        }
    }

    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<Close> {
        let reset = match &mut self.out {
            Some(out) => out.poll_reset(cx),
            None => self.respond.poll_reset(cx),
        };
        reset.map(|reset| {
            reset.map_or_else(
                |error| close_of(&error, &self.handle),
                |_| Close::StreamReset,
            )
        })
    }

    async fn flush(&mut self) {
        let (done, flushed) = oneshot::channel();
        if self.orders.send(Order::Flush(done)).await.is_ok() {
            // an error says that the connection is gone, which the next call will tell
            let _ = flushed.await;
        }
    }

    /// Resets behind what was sent: a reset throws away what is still queued.
    pub(super) async fn reset(&mut self, reason: Reason) {
        self.flush().await;
        match &mut self.out {
            Some(out) => out.send_reset(reason),
            None => self.respond.send_reset(reason),
        }
    }

    async fn capacity(&mut self, wanted: usize) -> Result<usize, Close> {
        if let Some(out) = &mut self.out {
            out.reserve_capacity(wanted);
        }
        poll_fn(|cx| {
            if let Poll::Ready(close) = self.poll_gone(cx) {
                return Poll::Ready(Err(close));
            }
            let Some(out) = &mut self.out else {
                return Poll::Ready(Err(Close::Fin));
            };
            match out.poll_capacity(cx) {
                Poll::Ready(Some(Ok(n))) => Poll::Ready(Ok(n)),
                Poll::Ready(Some(Err(error))) => Poll::Ready(Err(close_of(&error, &self.handle))),
                Poll::Ready(None) => Poll::Ready(Err(Close::StreamReset)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    fn send(&mut self, bytes: Bytes, last: bool) -> Result<(), Close> {
        match &mut self.out {
            Some(out) => out
                .send_data(bytes, last)
                .map_err(|error| close_of(&error, &self.handle)),
            None => Ok(()),
        }
    }
}

impl Sink for Stream {
    async fn rest(&mut self, until: Option<Instant>) -> Result<(), Close> {
        let gone = poll_fn(|cx| self.poll_gone(cx));
        match until {
            None => Err(gone.await),
            Some(until) => tokio::select! {
                biased;
                close = gone => Err(close),
                () = sleep_until(until) => Ok(()),
            },
        }
    }

    async fn head(&mut self, answer: &Answer) -> Result<(), Close> {
        let mut head = Response::new(());
        *head.status_mut() = http::StatusCode::from_u16(answer.status).unwrap_or_default();
        for (name, value) in &answer.headers {
            // RFC 9113 §8.2.2: fields of the connection have no place here
            if !matches!(
                name.as_str(),
                "connection" | "keep-alive" | "transfer-encoding" | "upgrade"
            ) {
                head.headers_mut().append(name, value.clone());
            }
        }
        if let Framing::Length(length) = answer.framing {
            head.headers_mut()
                .insert(http::header::CONTENT_LENGTH, length.into());
        }
        let out = self
            .respond
            .send_response(head, false)
            .map_err(|error| close_of(&error, &self.handle))?;
        self.out = Some(out);
        Ok(())
    }

    async fn data(&mut self, mut bytes: Bytes) -> Result<(), Close> {
        while !bytes.is_empty() {
            let room = self.capacity(bytes.len()).await?;
            let piece = bytes.split_to(room.min(bytes.len()));
            if !piece.is_empty() {
                self.send(piece, false)?;
            }
        }
        Ok(())
    }

    async fn end(&mut self) -> Result<(), Close> {
        self.send(Bytes::new(), true)?;
        self.flush().await;
        Ok(())
    }
}
