//! HTTP/2 over the `h2` crate, one task per stream.
//!
//! `h2` rather than hyper, because a script must be able to reset a stream, send GOAWAY, and notice a
//! client's RST_STREAM while it sends nothing. The connection's own task reads all the time, so a closed
//! connection ends every stream's wait.

use std::future::poll_fn;
use std::task::Poll;

use bytes::{Bytes, BytesMut};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::admin;
use crate::answer::{Answer, Framing, Idle};
use crate::ask::Ask;
use crate::connection::Peer;
use crate::host::Host;
use crate::log::RequestHead;
use crate::play::{Played, Sink, play};
use crate::seen::{Close, Ended, Protocol};
use crate::socket::Cut;

/// The `h2` default of 64 KiB would make a large upload a matter of round trips.
const WINDOW: u32 = 1 << 20;

/// What a stream asks of its connection.
enum Order {
    /// Answered when everything queued before has been handed to the socket, as far as the client takes it.
    Flush(oneshot::Sender<()>),
    Cut(Cut),
    GoAway,
}

/// Serves a connection until either side ends it.
pub(crate) async fn serve<S>(io: S, peer: Peer)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = h2::server::Builder::new();
    builder.max_concurrent_streams(peer.host.max_streams);
    builder
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let mut connection = match builder.handshake::<_, Bytes>(io).await {
        Ok(connection) => connection,
        Err(error) => return peer.line.ended(Ended::Client(close_of(&error))),
    };
    let (orders, mut taken) = mpsc::channel(64);
    let mut carried = 0;
    let mut leaving = false;
    loop {
        tokio::select! {
            biased;
            // polled first: it also writes what streams have queued, so an order finds that done
            next = connection.accept() => match next {
                Some(Ok((request, respond))) => {
                    carried += 1;
                    let exchange = Exchange { peer: peer.clone(), orders: orders.clone(), carried };
                    let token = peer.token.clone();
                    peer.tasks.spawn(async move {
                        token.run_until_cancelled(exchange.run(request, respond)).await;
                    });
                }
                Some(Err(error)) => return peer.line.ended(Ended::Client(close_of(&error))),
                None if leaving => return peer.line.ended(Ended::Sim),
                None => return peer.line.ended(Ended::Client(Close::Fin)),
            },
            Some(order) = taken.recv() => match order {
                // a stream that stopped waiting has been ended otherwise
                Order::Flush(done) => drop(done.send(())),
                Order::GoAway => {
                    leaving = true;
                    connection.graceful_shutdown();
                }
                Order::Cut(cut) => {
                    peer.line.ended(Ended::Sim);
                    return peer.handle.cut(cut != Cut::Fin);
                }
            },
        }
    }
}

/// How the client left, by the error it caused. `h2` reports the end of input as a broken pipe.
fn close_of(error: &h2::Error) -> Close {
    if error.is_reset() {
        return Close::StreamReset;
    }
    match error.get_io().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::ConnectionAborted) => {
            Close::Rst
        }
        _ => Close::Fin,
    }
}

/// One stream.
struct Exchange {
    peer: Peer,
    orders: mpsc::Sender<Order>,
    carried: usize,
}

impl Exchange {
    async fn run(self, request: Request<RecvStream>, respond: SendResponse<Bytes>) {
        let (head, mut body) = head_of(request);
        let mut stream = Stream {
            respond,
            out: None,
            orders: self.orders.clone(),
        };
        if head.path.starts_with(admin::PREFIX) {
            let (bytes, _) = read(&mut body).await;
            let answer = self.peer.host.admin(&head.method, &head.path, &bytes);
            play(&answer, head.arrived, &mut stream, None).await;
            return;
        }
        let (path, arrived) = (head.path.clone(), head.arrived);
        let entry = self.peer.line.request(head);
        let unread = matches!(Host::of_path(&path), Some(Ok(script)) if script.has("unread"));
        let (bytes, gone) = if unread {
            (Bytes::new(), None)
        } else {
            read(&mut body).await
        };
        entry.received(bytes.clone(), gone.is_none() && !unread);
        if let Some(close) = gone {
            return entry.closed(close);
        }
        let (ask, complaint) = Ask::read(entry.seq(), &path, &bytes);
        entry.asked(&ask.model, ask.stream);
        let answer = self.peer.host.answer(&path, ask, complaint);
        if answer.goes_away(self.carried) {
            self.order(Order::GoAway).await;
        }
        match play(&answer, arrived, &mut stream, Some(&entry)).await {
            Played::Gone(_) => {}
            Played::Cut(cut) => self.cut(stream, cut).await,
            Played::Complete => {
                if let Idle::Cut(cut) | Idle::Stale(cut) = answer.idle {
                    self.order(Order::Cut(if cut == Cut::Rst { cut } else { Cut::Fin }))
                        .await;
                }
            }
        }
    }

    async fn order(&self, order: Order) {
        // without a connection there is nothing left to order
        let _ = self.orders.send(order).await;
    }

    async fn cut(&self, mut stream: Stream, cut: Cut) {
        match cut {
            Cut::Fin | Cut::Rst => {
                self.order(Order::Cut(cut)).await;
                // a dropped stream would be reset before the connection is
                let _ = stream.rest(None).await;
            }
            Cut::Refuse => stream.reset(Reason::REFUSED_STREAM).await,
            Cut::Reset | Cut::Truncate => stream.reset(Reason::INTERNAL_ERROR).await,
        }
    }
}

fn head_of(request: Request<RecvStream>) -> (RequestHead, RecvStream) {
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
async fn read(body: &mut RecvStream) -> (Bytes, Option<Close>) {
    let mut all = BytesMut::new();
    while let Some(piece) = body.data().await {
        match piece {
            Ok(piece) => {
                // refused only for more than was received
                let _ = body.flow_control().release_capacity(piece.len());
                all.extend_from_slice(&piece);
            }
            Err(error) => return (all.freeze(), Some(close_of(&error))),
        }
    }
    (all.freeze(), None)
}

struct Stream {
    respond: SendResponse<Bytes>,
    out: Option<SendStream<Bytes>>,
    orders: mpsc::Sender<Order>,
}

impl Stream {
    fn poll_gone(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Close> {
        let reset = match &mut self.out {
            Some(out) => out.poll_reset(cx),
            None => self.respond.poll_reset(cx),
        };
        reset.map(|reset| reset.map_or_else(|error| close_of(&error), |_| Close::StreamReset))
    }

    async fn flush(&mut self) {
        let (done, flushed) = oneshot::channel();
        if self.orders.send(Order::Flush(done)).await.is_ok() {
            // an error says that the connection is gone, which the next call will tell
            let _ = flushed.await;
        }
    }

    /// Resets behind what was sent: a reset throws away what is still queued.
    async fn reset(&mut self, reason: Reason) {
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
                Poll::Ready(Some(Err(error))) => Poll::Ready(Err(close_of(&error))),
                Poll::Ready(None) => Poll::Ready(Err(Close::StreamReset)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    fn send(&mut self, bytes: Bytes, last: bool) -> Result<(), Close> {
        match &mut self.out {
            Some(out) => out.send_data(bytes, last).map_err(|error| close_of(&error)),
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
            .map_err(|error| close_of(&error))?;
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
