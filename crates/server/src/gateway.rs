//! The gateway: one snapshot at a time, everything that outlives it, and the course of its life.
//!
//! A request works with the snapshot that was current when its head was read, to its end. What is counted
//! (requests, connections, memory) is counted here, once, whatever is reloaded.

use crate::{
    admin,
    keys::Keys,
    listen,
    load::Load,
    memory::Memory,
    routes::Routes,
    settings::Settings,
    shutdown::{Shutdown, Stage},
};
use arc_swap::ArcSwap;
use punctual_core::{Engine, Observer, Trace, Upstream};
use std::{
    any::Any,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::available_parallelism,
    time::Duration,
};
use tokio::{
    net::TcpListener,
    select,
    sync::{Semaphore, watch},
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;

/// TLS handshakes computed at the same time: each takes about a millisecond of a worker.
const HANDSHAKES: usize = 32;
/// What last words, and bytes still in buffers, are given at the end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// All that a configuration says, ready to serve. Replaced as a whole by [`Gateway::swap`].
pub struct Snapshot<U> {
    /// Targets and the way to them.
    pub engine: Arc<Engine<U>>,
    /// From `model` to a plan.
    pub routes: Routes,
    /// Who may ask.
    pub keys: Keys,
    /// Who may use the administrative listener.
    pub admin_keys: Keys,
    /// Clocks, limits and names.
    pub settings: Arc<Settings>,
}

/// What the gateway asks of, and tells, whoever put it together.
pub struct Hooks {
    /// The text of `/metrics`, in Prometheus' text format.
    pub metrics: Box<dyn Fn(&Stats) -> String + Send + Sync>,
    /// Decides whether a new request's trace is sampled, before the upstream is told.
    pub sample: Box<dyn Fn(&mut Trace) + Send + Sync>,
    /// A caller's connection was accepted; what this returns is dropped when it ends.
    pub connected: Box<dyn Fn() -> Connected + Send + Sync>,
    /// A deadline header of this name was ignored because nobody could read it.
    pub ignored: Box<dyn Fn(&'static str) + Send + Sync>,
    /// What still runs is about to be ended: nothing further may start, so the lanes must close, or permits
    /// that return would go to requests that wait for theirs.
    pub ending: Box<dyn Fn() + Send + Sync>,
}

/// Lives as long as a connection.
pub type Connected = Box<dyn Any + Send>;

impl Default for Hooks {
    /// No metrics; traces are sampled as the caller's are; nobody is told of anything.
    fn default() -> Self {
        Self {
            metrics: Box::new(|_| String::new()),
            sample: Box::new(|_| ()),
            connected: Box::new(|| Box::new(())),
            ignored: Box::new(|_| ()),
            ending: Box::new(|| ()),
        }
    }
}

/// What is going on at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Requests on LLM surfaces, up to the last byte of their answers.
    pub in_flight: usize,
    /// Open connections.
    pub connections: usize,
    /// Bytes reserved for request bodies.
    pub memory_bytes: usize,
    /// Deadline headers ignored in the agent-proxy mode because nobody could read them.
    pub unreadable_deadlines: u64,
}

/// Sockets to serve on, bound already.
#[derive(Debug, Default)]
pub struct Listeners {
    /// For callers.
    pub public: Vec<TcpListener>,
    /// For operators: metrics, health, status.
    pub admin: Option<TcpListener>,
}

/// The HTTP front over an engine.
pub struct Gateway<U: Upstream> {
    current: ArcSwap<Snapshot<U>>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) hooks: Hooks,
    pub(crate) in_flight: Arc<Load>,
    pub(crate) connections: Arc<Load>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) handshakes: Semaphore,
    /// Passes over large bodies at the same time.
    pub(crate) passes: Arc<Semaphore>,
    pub(crate) unreadable: AtomicU64,
    pub(crate) tasks: TaskTracker,
    stage: watch::Sender<Stage>,
}

impl<U: Upstream> Gateway<U> {
    /// A gateway that serves `snapshot` and tells `observer` of every request.
    #[must_use]
    pub fn new(snapshot: Snapshot<U>, observer: Arc<dyn Observer>, hooks: Hooks) -> Arc<Self> {
        Arc::new(Self {
            current: ArcSwap::from_pointee(snapshot),
            observer,
            hooks,
            in_flight: Arc::default(),
            connections: Arc::default(),
            memory: Arc::default(),
            handshakes: Semaphore::new(HANDSHAKES),
            // more of them than cores would only take turns with the workers
            passes: Arc::new(Semaphore::new(
                available_parallelism().map_or(1, NonZero::get),
            )),
            unreadable: AtomicU64::new(0),
            tasks: TaskTracker::new(),
            stage: watch::Sender::default(),
        })
    }

    /// Serves `snapshot` from the next request on; running ones keep theirs.
    pub fn swap(&self, snapshot: Snapshot<U>) {
        self.current.store(Arc::new(snapshot));
    }

    /// The snapshot that new requests work with.
    #[must_use]
    pub fn current(&self) -> Arc<Snapshot<U>> {
        self.current.load_full()
    }

    /// What is going on.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            in_flight: self.in_flight.taken(),
            connections: self.connections.taken(),
            memory_bytes: self.memory.used(),
            unreadable_deadlines: self.unreadable.load(Relaxed),
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    pub(crate) fn follow(&self) -> watch::Receiver<Stage> {
        self.stage.subscribe()
    }

    /// Serves until `shutdown` orders the end and everything has ended: at most `lame_duck`,
    /// `drain_timeout` and two seconds later.
    pub async fn run(self: &Arc<Self>, listeners: Listeners, shutdown: Shutdown) {
        let public = listeners
            .public
            .into_iter()
            .map(|l| listen::public(self.clone(), l));
        let accepting: Vec<_> = public.map(|f| self.tasks.spawn(f)).collect();
        let admin = listeners
            .admin
            .map(|l| self.tasks.spawn(admin::listen(self.clone(), l)));
        let mut stop = shutdown.clone();
        select! {
            () = self.wind_down(shutdown) => {}
            () = stop.stop() => {}
        }
        (self.hooks.ending)();
        self.stage.send_replace(Stage::Ending);
        // refused connections are better than ones that nobody serves
        accepting.iter().for_each(|task| task.abort());
        let _ = timeout(LAST_WORDS, self.in_flight.empty()).await;
        let _ = timeout(LAST_WORDS / 2, self.connections.empty()).await;
        self.stage.send_replace(Stage::Over);
        if let Some(task) = admin {
            task.abort();
        }
        self.tasks.close();
        let _ = timeout(LAST_WORDS / 2, self.tasks.wait()).await;
    }

    /// From the order to drain to the moment at which nothing more is waited for.
    async fn wind_down(&self, mut shutdown: Shutdown) {
        shutdown.drain().await;
        let settings = self.current().settings.clone();
        self.stage.send_replace(Stage::LameDuck);
        sleep(settings.lame_duck).await;
        self.stage.send_replace(Stage::Draining);
        let _ = timeout(settings.drain_timeout, self.in_flight.empty()).await;
    }
}
