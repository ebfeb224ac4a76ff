//! hyper's connection future, polled by whoever waits for what it brings.
//!
//! The two halves of hyper (the connection, and the answer or body it feeds) wake each other through the
//! task's waker, once or twice a chunk. Here both are polled in the same turn, so these wake-ups would
//! only make the task run again for nothing. So the socket wakes the task, and hyper gets a [`Nudge`],
//! which is looked at before the turn ends: no wake-up can be lost, and none is made in vain.

use crate::{
    dial::{Socket, Wire},
    request::Payload,
};
use hyper::client::conn::http1::Connection;
use hyper_util::rt::TokioIo;
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll, Wake, Waker},
};

type Conn = Connection<TokioIo<Socket>, Payload>;

/// A connection with its one user.
pub(crate) struct Driven {
    conn: Conn,
    wire: Arc<Wire>,
    nudge: Arc<Nudge>,
    /// Of the nudge.
    waker: Waker,
    over: bool,
}

/// Hyper wants to be polled again although the socket has nothing new.
#[derive(Default)]
struct Nudge(AtomicBool);

impl Wake for Nudge {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}

impl Driven {
    pub(crate) fn new(conn: Conn, wire: Arc<Wire>) -> Self {
        let nudge = Arc::<Nudge>::default();
        Self {
            conn,
            wire,
            waker: nudge.clone().into(),
            nudge,
            over: false,
        }
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Polls `part`, and the connection that feeds it while it waits. `None` when the connection is over
    /// and has left nothing for it.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut part: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Option<T>> {
        // only the connection feeds it, and that is polled here
        let mut unwoken = Context::from_waker(Waker::noop());
        if let Poll::Ready(ready) = part(&mut unwoken) {
            return Poll::Ready(Some(ready));
        }
        let over = self.turn(cx);
        match part(&mut unwoken) {
            Poll::Ready(ready) => Poll::Ready(Some(ready)),
            Poll::Pending if over => Poll::Ready(None),
            Poll::Pending => {
                if self.nudge.0.load(Relaxed) {
                    cx.waker().wake_by_ref();
                }
                Poll::Pending
            }
        }
    }

    /// Polls the connection while nobody uses it; true if it is over.
    pub(crate) fn rest(&mut self) -> bool {
        self.turn(&mut Context::from_waker(Waker::noop()))
    }

    fn turn(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.over {
            self.wire.belongs_to(cx.waker());
            self.nudge.0.store(false, Relaxed);
            let mut nudged = Context::from_waker(&self.waker);
            self.over = Pin::new(&mut self.conn).poll(&mut nudged).is_ready();
        }
        self.over
    }
}
