//! The connections to one endpoint, and one exchange over them.
//!
//! HTTP/1.1 connections are lent to one exchange at a time; HTTP/2 connections are shared by many. Either
//! way an exchange is owned by its request: dropping it closes the connection or resets the stream, and a
//! pool never lets one request's end become another's.

use crate::{
    dial::{Dialer, Gauge, Place},
    http1::Idle,
    http2::Shards,
    request::Outgoing,
    stream::Stream,
};
use http::response::Parts;
use punctual_core::{Failure, Progress};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// One endpoint's connections.
pub(crate) struct Pool {
    pub(crate) name: Arc<str>,
    pub(crate) place: Place,
    pub(crate) dialer: Arc<Dialer>,
    pub(crate) counts: Counts,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
    pub(crate) idle: Idle,
    pub(crate) shards: Shards,
}

/// What a pool has done, and has now.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) open: Gauge,
    pub(crate) dials: AtomicU64,
    pub(crate) failed_dials: AtomicU64,
    pub(crate) reuses: AtomicU64,
    pub(crate) found_dead: AtomicU64,
}

/// The counts of one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolStats {
    /// The target that first needed it.
    pub name: Arc<str>,
    /// Whether it speaks HTTP/2.
    pub http2: bool,
    /// Open connections.
    pub open: usize,
    /// Of these, HTTP/1.1 connections that wait for a request.
    pub idle: usize,
    /// Connections that were made.
    pub dials: u64,
    /// Attempts to make one that failed.
    pub failed_dials: u64,
    /// Exchanges over a connection that was there already.
    pub reuses: u64,
    /// Pooled connections that turned out to be dead when an exchange used them, each replaced at no cost
    /// to the request's attempts.
    pub found_dead: u64,
}

impl Pool {
    pub(crate) fn new(
        name: Arc<str>,
        place: Place,
        dialer: Arc<Dialer>,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self {
            name,
            place,
            dialer,
            counts: Counts::default(),
            tasks,
            stop,
            idle: Idle::default(),
            shards: Shards::default(),
        }
    }

    /// Sends a request and reads the head of its answer.
    pub(crate) async fn exchange(
        self: &Arc<Self>,
        outgoing: Outgoing<'_>,
        progress: &Progress,
    ) -> Result<(Parts, Stream), Box<Failure>> {
        match self.place.is_http2() {
            false => self.exchange_http1(outgoing, progress).await,
            true => self.exchange_http2(outgoing, progress).await,
        }
    }

    /// Lets go of what nobody needs.
    pub(crate) fn sweep(&self) {
        self.idle.sweep();
        self.shards.sweep();
    }

    /// Lets go of everything that no exchange holds.
    pub(crate) fn close(&self) {
        self.idle.close();
        self.shards.close();
    }

    pub(crate) fn stats(&self) -> PoolStats {
        PoolStats {
            name: self.name.clone(),
            http2: self.place.is_http2(),
            open: self.counts.open.value(),
            idle: self.idle.len(),
            dials: self.counts.dials.load(Relaxed),
            failed_dials: self.counts.failed_dials.load(Relaxed),
            reuses: self.counts.reuses.load(Relaxed),
            found_dead: self.counts.found_dead.load(Relaxed),
        }
    }
}

/// Adds one to a count.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
