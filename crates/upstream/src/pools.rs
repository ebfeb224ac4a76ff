//! All connections of the process, kept by what they are and not by who uses them.
//!
//! A reload builds new targets; those whose endpoint, trust and proxy are the same find the pool they had
//! before, with its open connections and its counts. A pool lives as long as a target uses it. Every task
//! of this crate (dials and connections of HTTP/2, look-ups, the sweeper, work on large bodies) is tracked here and ends with
//! [`Pools::shutdown`].

use crate::{
    address::Address,
    aside::Aside,
    bonds::Bonds,
    dial::{Dialer, Identity, Place, Roots},
    pool::{Pool, PoolStats},
    spec::{Endpoint, Fault},
};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::time::sleep;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often idle connections are looked at, so that closed ones do not linger.
pub(crate) const SWEEP: Duration = Duration::from_secs(15);

/// The registry of connection pools; one per process, or per test.
pub struct Pools {
    known: Mutex<HashMap<Identity, Weak<Pool>>>,
    pub(crate) bonds: Arc<Bonds>,
    pub(crate) aside: Aside,
    roots: Roots,
    dialer: Arc<Dialer>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl fmt::Debug for Pools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pools").finish_non_exhaustive()
    }
}

impl Pools {
    /// An empty registry. Must be called within a tokio runtime, on which its tasks then run.
    #[must_use]
    pub fn new() -> Arc<Self> {
        let tasks = TaskTracker::new();
        let pools = Arc::new(Self {
            known: Mutex::default(),
            bonds: Arc::default(),
            aside: Aside::new(tasks.clone()),
            roots: Roots::default(),
            dialer: Arc::new(Dialer::new(tasks.clone())),
            tasks,
            stop: CancellationToken::new(),
        });
        let (weak, stop) = (Arc::downgrade(&pools), pools.stop.clone());
        pools.tasks.spawn(async move {
            while stop.run_until_cancelled(sleep(SWEEP)).await.is_some() {
                let Some(pools) = weak.upgrade() else { return };
                pools.all().iter().for_each(|pool| pool.sweep());
            }
        });
        pools
    }

    /// The pool for an endpoint, the one that is there already if it is the same endpoint.
    pub(crate) fn pool(
        &self,
        name: &Arc<str>,
        address: &Address,
        endpoint: &Endpoint,
    ) -> Result<Arc<Pool>, Fault> {
        let identity = Identity::new(address, endpoint)?;
        let mut known = self.lock();
        if let Some(pool) = known.get(&identity).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let place = Place::new(identity.clone(), &self.roots)?;
        let pool = Arc::new(Pool::new(
            name.clone(),
            place,
            self.dialer.clone(),
            self.tasks.clone(),
            self.stop.clone(),
        ));
        known.retain(|_, pool| pool.strong_count() > 0);
        known.insert(identity, Arc::downgrade(&pool));
        Ok(pool)
    }

    /// The counts of every pool in use.
    #[must_use]
    pub fn stats(&self) -> Vec<PoolStats> {
        self.all().iter().map(|pool| pool.stats()).collect()
    }

    /// Closes all idle connections and all HTTP/2 ones, and waits for every task. HTTP/1.1 exchanges that
    /// still run belong to their requests and are not touched.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.all().iter().for_each(|pool| pool.close());
        self.tasks.wait().await;
    }

    fn all(&self) -> Vec<Arc<Pool>> {
        self.lock().values().filter_map(Weak::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Weak<Pool>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pools {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_core::{Attempt, Call, Deadline, Plan, Progress, TargetId, Trace};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
        time::{Instant, timeout},
    };

    fn call() -> Call {
        let plan = Arc::new(Plan::Target(TargetId(0)));
        let deadline = Deadline::starting(Instant::now());
        Call {
            model: "m".into(),
            ..Call::new(punctual_core::Surface::Chat, plan, deadline)
        }
    }

    /// Answers one request and closes behind it, a little later.
    async fn serve_once(listener: TcpListener) {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let mut head = [0; 1024];
        let _ = tcp.read(&mut head).await.unwrap();
        let answer = b"HTTP/1.1 400 Bad\r\ncontent-length: 2\r\n\r\n{}";
        tcp.write_all(answer).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    #[tokio::test]
    async fn a_sweep_lets_go_of_idle_connections_that_died() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let pools = Pools::new();
        let spec = crate::TargetSpec::new("t", base);
        let target = crate::target::Target::new(&spec, &pools).unwrap();
        let (call, trace, progress) = (call(), Trace::root(), Progress::new());
        let attempt = Attempt {
            number: 1,
            left: None,
            limit: None,
            trace: &trace,
            span: trace.span,
            progress: &progress,
        };
        let ask = async {
            let way = target.way(punctual_wire::Surface::Chat, &call).unwrap();
            let outgoing = crate::request::Outgoing {
                target: &target,
                way: &way,
                call: &call,
                attempt: &attempt,
                body: &crate::request::Payload::default(),
                credential: None,
            };
            let exchange = target.pool.exchange(outgoing, &progress).await;
            let (_, mut stream) = exchange.unwrap();
            while std::future::poll_fn(|cx| stream.poll_chunk(cx))
                .await
                .is_some()
            {}
            assert_eq!(target.pool.stats().idle, 1);
        };
        tokio::join!(serve_once(listener), ask);
        let swept = async {
            while target.pool.stats().open > 0 {
                target.pool.sweep();
                tokio::task::yield_now().await;
            }
        };
        timeout(SWEEP, swept).await.unwrap();
        assert_eq!(target.pool.stats().idle, 0);
    }
}
