//! The connections of an HTTP/2 pool, and the places of streams on them.
//!
//! What is shared must not let one bad connection hold up everybody: a dial that hangs gets no further
//! requests, and a connection on which a request was given up in silence gets no further streams. Either
//! way the next request dials anew, which is all that a mistake costs.

use crate::{
    dial::{DialError, Gauge, Held, Reads},
    pool::Pool,
    request::Payload,
};
use hyper::client::conn::http2::SendRequest;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

mod dialling;

/// Streams of one connection; servers commonly allow 100 to 250.
const MAX_STREAMS: usize = 100;
/// Connections to one endpoint.
const MAX_SHARDS: usize = 64;
/// After this a connection gets no new streams, so that changes of DNS are seen.
const MAX_AGE: Duration = Duration::from_secs(600);
/// Sweeps without a stream after which a connection is let go: 90 s.
const IDLE_SWEEPS: u32 = 6;
/// A dial that took this long is likely to: a lost SYN is sent again after 1 s and 3 s, so what comes now
/// had better dial anew.
const HANGING: Duration = Duration::from_secs(3);
/// A request given up after this, with nothing at all read from the connection since it was sent, says that
/// the connection may be dead. Long enough for a round trip; the price of a mistake is one more dial.
const SILENCE: Duration = Duration::from_millis(500);

type Sender = SendRequest<Payload>;
type State = Option<Result<Ready, DialError>>;

/// A connection that takes streams.
struct Ready {
    sender: Sender,
    /// How long its TLS handshake took.
    tls: Option<Duration>,
    reads: Reads,
}

/// The connections.
#[derive(Default)]
pub(crate) struct Shards(Mutex<Vec<Arc<Shard>>>);

struct Shard {
    state: watch::Receiver<State>,
    streams: Gauge,
    limit: Arc<AtomicUsize>,
    born: Instant,
    retired: AtomicBool,
    idle_sweeps: AtomicU32,
}

/// A stream's place on a connection, which may still be being made.
pub(crate) struct Slot {
    shard: Arc<Shard>,
    reused: bool,
    held: Option<Held>,
    pool: Weak<Pool>,
    /// When its request was sent and what had been read by then, until it is answered.
    asked: Option<(Instant, u64)>,
}

impl Drop for Slot {
    /// The last one that waits for a connection takes its dial along: nobody would want it. And one that
    /// was given up after a silence of the whole connection spares others the same.
    fn drop(&mut self) {
        if self.unheard().is_some_and(|silence| silence > SILENCE) {
            self.retire();
        }
        self.held = None;
        let dialling = self.shard.state.borrow().is_none();
        if let Some(pool) = self.pool.upgrade().filter(|_| dialling) {
            pool.shards.abandon(&self.shard);
        }
    }
}

impl Slot {
    /// Waits for the connection. Dropping this stops nobody else.
    pub(crate) async fn sender(&self) -> Result<Sender, DialError> {
        let mut state = self.shard.state.clone();
        let state = state.wait_for(Option::is_some).await;
        match state.as_deref() {
            Ok(Some(Ok(ready))) => Ok(ready.sender.clone()),
            Ok(Some(Err(error))) => Err(error.clone()),
            Ok(None) | Err(_) => Err(DialError::Closed),
        }
    }

    /// Whether the connection was there before this stream.
    pub(crate) fn reused(&self) -> bool {
        self.reused
    }

    /// How long its TLS handshake took.
    pub(crate) fn tls(&self) -> Option<Duration> {
        match &*self.shard.state.borrow() {
            Some(Ok(ready)) => ready.tls,
            _ => None,
        }
    }

    /// The request is being sent.
    pub(crate) fn asks(&mut self) {
        self.asked = self.reads().map(|read| (Instant::now(), read));
    }

    /// The head of its answer is here.
    pub(crate) fn answered(&mut self) {
        self.asked = None;
    }

    /// For how long its peer has sent nothing at all to an unanswered request; `None` when it has, or when
    /// there is no such request.
    pub(crate) fn unheard(&self) -> Option<Duration> {
        let (since, read) = self.asked?;
        (self.reads() == Some(read)).then(|| since.elapsed())
    }

    fn reads(&self) -> Option<u64> {
        match &*self.shard.state.borrow() {
            Some(Ok(ready)) => Some(ready.reads.bytes()),
            _ => None,
        }
    }

    /// No new streams on this connection.
    pub(crate) fn retire(&self) {
        self.shard.retired.store(true, Relaxed);
    }
}

impl Shard {
    fn is_usable(&self) -> bool {
        let alive = match &*self.state.borrow() {
            Some(Ok(ready)) => !ready.sender.is_closed(),
            Some(Err(_)) => false,
            None => self.state.has_changed().is_ok(),
        };
        alive && !self.retired.load(Relaxed) && self.born.elapsed() < MAX_AGE
    }

    /// A dial that hangs takes no more requests than it has: the next one may find a better way.
    fn has_room(&self) -> bool {
        let hangs = self.born.elapsed() > HANGING && self.state.borrow().is_none();
        !hangs && self.streams.value() < self.limit.load(Relaxed)
    }
}

impl Shards {
    /// A place on the connection with the fewest streams, on a new one if all are full.
    pub(crate) fn slot(&self, pool: &Arc<Pool>) -> Slot {
        let mut shards = self.lock();
        let (usable, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut *shards)
            .into_iter()
            .partition(|shard| shard.is_usable());
        *shards = usable;
        let full = shards.len() >= MAX_SHARDS;
        let least = shards.iter().filter(|shard| full || shard.has_room());
        let least = least.min_by_key(|shard| shard.streams.value()).cloned();
        let (shard, reused) = match least {
            Some(shard) => {
                let there = shard.state.borrow().is_some();
                (shard, there)
            }
            None => {
                let shard = Arc::new(dialling::dial(pool));
                shards.push(shard.clone());
                (shard, false)
            }
        };
        shard.idle_sweeps.store(0, Relaxed);
        // counted before the lock goes, or a burst would all see the same room
        let held = Some(shard.streams.hold());
        drop(shards);
        drop(gone);
        Slot {
            shard,
            reused,
            held,
            pool: Arc::downgrade(pool),
            asked: None,
        }
    }

    /// Lets go of a connection that is being made, unless somebody has come to wait for it.
    fn abandon(&self, shard: &Arc<Shard>) {
        let mut shards = self.lock();
        if shard.streams.value() == 0 {
            shards.retain(|other| !Arc::ptr_eq(other, shard));
        }
    }

    /// Lets go of connections that are dead or had no stream for long.
    pub(crate) fn sweep(&self) {
        let keep = |shard: &Arc<Shard>| {
            let idle = match shard.streams.value() {
                0 => shard.idle_sweeps.fetch_add(1, Relaxed),
                _ => 0,
            };
            shard.is_usable() && idle < IDLE_SWEEPS
        };
        let mut shards = self.lock();
        let (kept, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut *shards).into_iter().partition(keep);
        *shards = kept;
        drop(shards);
        drop(gone);
    }

    pub(crate) fn close(&self) {
        let gone = std::mem::take(&mut *self.lock());
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Shard>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
