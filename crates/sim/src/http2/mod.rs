//! HTTP/2 over the `h2` crate, one task per stream.
//!
//! `h2` rather than hyper, because a script must be able to reset a stream, send GOAWAY, and notice a
//! client's RST_STREAM while it sends nothing. The connection's own task reads all the time, so a closed
//! connection ends every stream's wait.

mod stream;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::Request;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};

use crate::admin;
use crate::answer::Idle;
use crate::ask::Ask;
use crate::connection::Peer;
use crate::host::Host;
use crate::play::{Played, Sink, play};
use crate::seen::Ended;
use crate::socket::Cut;
use stream::{Stream, close_of, head_of, read};

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
        Err(error) => {
            return peer
                .line
                .ended(Ended::Client(close_of(&error, &peer.handle)));
        }
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
                Some(Err(error)) => return peer.line.ended(Ended::Client(close_of(&error, &peer.handle))),
                None if leaving => return peer.line.ended(Ended::Sim),
                None => return peer.line.ended(Ended::Client(peer.handle.close())),
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

/// One stream.
struct Exchange {
    peer: Peer,
    orders: mpsc::Sender<Order>,
    carried: usize,
}

impl Exchange {
    async fn run(self, request: Request<RecvStream>, respond: SendResponse<Bytes>) {
        let (head, mut body) = head_of(request);
        let mut stream = Stream::new(respond, self.orders.clone(), self.peer.handle.clone());
        if head.path.starts_with(admin::PREFIX) {
            let (bytes, _) = read(&mut body, &self.peer.handle).await;
            let answer = self.peer.host.admin(&head.method, &head.path, &bytes);
            play(&answer, head.arrived, &mut stream, None).await;
            return;
        }
        let (path, arrived) = (head.path.clone(), head.arrived);
        let entry = self.peer.line.request(head.clone());
        let unread = matches!(Host::of_path(&path), Some(Ok(script)) if script.has("unread"));
        let (bytes, gone) = if unread {
            (Bytes::new(), None)
        } else {
            read(&mut body, &self.peer.handle).await
        };
        entry.received(bytes.clone(), gone.is_none() && !unread);
        if let Some(close) = gone {
            return entry.closed(close);
        }
        let (ask, complaint) = Ask::read(entry.seq(), &head, &bytes);
        entry.asked(&ask.model, ask.stream);
        let answer = self.peer.host.answer(ask, complaint);
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
