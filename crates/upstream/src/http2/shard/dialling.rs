//! How a connection comes to be, and the task that drives it.
//!
//! The task belongs to the pool: nobody who waits for the connection can end it for the others. It ends
//! with the connection, with the pool, or during the dial when nobody waits any more.

use super::{MAX_STREAMS, Ready, Shard};
use crate::{
    dial::{DialError, Dialled, Gauge},
    pool::{Pool, count},
    request::Payload,
};
use hyper::{
    client::conn::http2::{Builder, Connection},
    rt::Executor,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc,
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

/// A dial that took this long has failed.
const DIAL: u64 = 30;
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

/// Starts a connection in a task of its own, which ends with it.
pub(super) fn dial(pool: &Arc<Pool>) -> Shard {
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
