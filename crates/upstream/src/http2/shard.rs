//! The connections of an HTTP/2 pool, each with the task that dials and drives it.

use crate::{
    dial::{DialError, Dialled, Gauge, Held, Reads},
    pool::{Pool, count},
    request::Payload,
};
use hyper::{
    client::conn::http2::{Builder, Connection, SendRequest},
    rt::Executor,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed},
    },
    task::Poll,
    time::Duration,
};
use tokio::{
    select,
    sync::watch,
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;

/// Streams of one connection; servers commonly allow 100 to 250.
const MAX_STREAMS: usize = 100;
/// Connections to one endpoint.
const MAX_SHARDS: usize = 64;
/// After this a connection gets no new streams, so that changes of DNS are seen.
const MAX_AGE: Duration = Duration::from_secs(600);
/// Sweeps without a stream after which a connection is let go: 90 s.
const IDLE_SWEEPS: u32 = 6;
/// A dial that took this long has failed.
const DIAL: u64 = 30;
/// A dial that took this long is likely to: a lost SYN is sent again after 1 s and 3 s, so what comes now
/// had better dial anew.
const HANGING: Duration = Duration::from_secs(3);
/// A request given up after this, with nothing at all read from the connection since it was sent, says that
/// the connection may be dead. Long enough for a round trip; the price of a mistake is one more dial.
const SILENCE: Duration = Duration::from_millis(500);
/// A peer that answers no ping within this, while streams are open, is dead.
const PING: Duration = Duration::from_secs(20);
/// What one stream may have in flight. A slow reader holds this much and no more.
const STREAM_WINDOW: u32 = 256 * 1024;
/// Room for all streams, so that slow readers never block the others.
const CONNECTION_WINDOW: u32 = 32 * 1024 * 1024;

/// Streams we reset of which late frames are still known to be theirs. Beyond it such a frame is an error,
/// and hyper's own bound on errors (1,024 in the life of a connection) would end all streams on it: so there
/// is none. The peer is one that the configuration names.
const REMEMBERED: usize = 1024;

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
                let shard = Arc::new(dial(pool));
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

/// Starts a connection in a task of its own, which ends with it.
fn dial(pool: &Arc<Pool>) -> Shard {
    let (say, state) = watch::channel(None);
    let limit = Arc::new(AtomicUsize::new(MAX_STREAMS));
    let (weak, allowed) = (Arc::downgrade(pool), limit.clone());
    let (tasks, stop) = (pool.tasks.clone(), pool.stop.clone());
    pool.tasks.spawn(async move {
        let connect = async {
            let Some(pool) = weak.upgrade() else { return };
            count(&pool.counts.dials);
            let dial = timeout(Duration::from_secs(DIAL), connect(&pool, tasks));
            let made = select! { biased;
                made = dial => made.unwrap_or(Err(DialError::Timeout(DIAL))),
                () = say.closed() => return,
            };
            drop(pool);
            match made {
                Err(error) => {
                    if let Some(pool) = weak.upgrade() {
                        count(&pool.counts.failed_dials);
                    }
                    say.send_replace(Some(Err(error)));
                }
                Ok((ready, conn)) => {
                    say.send_replace(Some(Ok(ready)));
                    // the sender must live in the shard only, or the connection never ends
                    drop(say);
                    drive(conn, &allowed).await;
                }
            }
        };
        stop.run_until_cancelled(connect).await;
    });
    Shard {
        state,
        streams: Gauge::default(),
        limit,
        born: Instant::now(),
        retired: AtomicBool::new(false),
        idle_sweeps: AtomicU32::new(0),
    }
}

type Conn = Connection<TokioIo<crate::dial::Socket>, Payload, Tracked>;

async fn connect(pool: &Pool, tasks: TaskTracker) -> Result<(Ready, Conn), DialError> {
    let open = pool.counts.open.clone();
    let Dialled { io, tls, wire } = pool.dialer.dial(&pool.place, open).await?;
    let shaken = Builder::new(Tracked(tasks))
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_reset_streams(REMEMBERED)
        .max_local_error_reset_streams(None)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .handshake(io)
        .await;
    let (sender, conn) = shaken.map_err(|_| DialError::Preface)?;
    let reads = wire.reads();
    Ok((Ready { sender, tls, reads }, conn))
}

/// Drives a connection to its end and keeps what its peer allows.
async fn drive(mut conn: Conn, allowed: &AtomicUsize) {
    poll_fn(|cx| {
        let polled = Pin::new(&mut conn).poll(cx);
        if polled.is_ready() {
            return Poll::Ready(());
        }
        let streams = conn.current_max_send_streams().clamp(1, MAX_STREAMS);
        allowed.store(streams, Relaxed);
        Poll::Pending
    })
    .await;
}

/// Runs hyper's own small tasks where they are waited for at shutdown.
#[derive(Clone)]
struct Tracked(TaskTracker);

impl<F> Executor<F> for Tracked
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, task: F) {
        self.0.spawn(task);
    }
}
