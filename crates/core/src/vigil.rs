//! Watches the responses of one connection from beside it.
//!
//! An HTTP server polls a response body only while its caller reads. Deadline, stall and drain must hold
//! for a caller that stopped, so they do not live in the body: the connection's task runs
//! [`Vigil::run`] beside the connection, and that ends what is due. `run` returns when nothing on the
//! connection is worth keeping it open for: then drop it. One reader that stopped is no reason to end the
//! other requests of its connection.

use crate::clock::early;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// What a response is given to write its last words before its connection is closed.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(1);

/// Something that ends at an instant although nobody polls it. `blocked` is since when the caller's socket
/// has taken nothing.
pub trait Expire: Send + Sync {
    /// When to [`look`](Expire::look) next; `None` when there is nothing to watch any more.
    fn due(&self, blocked: Option<Instant>) -> Option<Instant>;
    /// Ends what is due. True when it has ended and its last words stayed unread: the connection is of no
    /// further use to it.
    fn look(&self, blocked: Option<Instant>) -> bool;
    /// Ends it because the process is shutting down.
    fn drain(&self);
}

/// What a server knows of a connection and its responses do not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Requests that are open on it.
    pub requests: usize,
    /// Since when its socket has taken nothing of what is to be written.
    pub blocked_since: Option<Instant>,
}

/// The watch over one connection's responses.
#[derive(Default)]
pub struct Vigil {
    watched: Mutex<Vec<Weak<dyn Expire>>>,
    changed: Notify,
    drained: AtomicBool,
}

impl std::fmt::Debug for Vigil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vigil")
            .field("watched", &self.lock().len())
            .finish_non_exhaustive()
    }
}

impl Vigil {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn Expire>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches one more response. One that comes after [`Vigil::drain`] ends at once.
    pub fn watch(&self, response: Weak<dyn Expire>) {
        self.lock().push(response.clone());
        if self.drained.load(SeqCst)
            && let Some(response) = response.upgrade()
        {
            response.drain();
        }
        self.changed.notify_one();
    }

    fn living(&self) -> Vec<Arc<dyn Expire>> {
        let mut watched = self.lock();
        watched.retain(|w| w.strong_count() > 0);
        watched.iter().filter_map(Weak::upgrade).collect()
    }

    /// Ends every response on the connection with a shutdown.
    pub fn drain(&self) {
        self.drained.store(true, SeqCst);
        self.living().iter().for_each(|r| r.drain());
        self.changed.notify_one();
    }

    /// Runs beside the connection; returns when it should be closed: when of the requests that are open
    /// on it every one is a response whose last words stay unread. `standing` is asked at each look.
    pub async fn run(&self, standing: impl Fn() -> Standing) {
        let mut over = 0;
        loop {
            let blocked = standing().blocked_since;
            let due = self.living().iter().filter_map(|r| r.due(blocked)).min();
            // others are still served: whether they are is looked at from time to time
            let again = (over > 0).then(|| Instant::now() + LAST_WORDS);
            let Some(at) = [due, again].into_iter().flatten().min() else {
                self.changed.notified().await;
                continue;
            };
            let changed = timeout_at(early(at), self.changed.notified());
            if changed.await.is_err() {
                let Standing {
                    requests,
                    blocked_since,
                } = standing();
                over = self.sweep(blocked_since);
                if over > 0 && over >= requests {
                    return;
                }
            }
        }
    }

    /// Looks at all of them; how many are of no further use.
    fn sweep(&self, blocked: Option<Instant>) -> usize {
        self.living().iter().filter(|r| r.look(blocked)).count()
    }
}
