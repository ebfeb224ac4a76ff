//! Watches the responses of one connection from beside it.
//!
//! An HTTP server polls a response body only while its caller reads. Deadline, stall and drain must hold
//! for a caller that stopped, so they do not live in the body: the connection's task runs
//! [`Vigil::run`] beside the connection, and that ends what is due. `run` returns when nothing on the
//! connection is worth keeping it open for: then drop it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// What a response is given to write its last words before its connection is closed.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(1);

/// Something that ends at an instant although nobody polls it.
pub trait Expire: Send + Sync {
    /// When to [`look`](Expire::look) next; `None` when there is nothing to watch any more.
    fn due(&self) -> Option<Instant>;
    /// Ends what is due. True when it has ended and its last words stayed unread: the connection is of no
    /// further use to it.
    fn look(&self) -> bool;
    /// Ends it because the process is shutting down.
    fn drain(&self);
}

/// The watch over one connection's responses.
#[derive(Default)]
pub struct Vigil {
    watched: Mutex<Vec<Weak<dyn Expire>>>,
    changed: Notify,
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

    /// Watches one more response.
    pub fn watch(&self, response: Weak<dyn Expire>) {
        self.lock().push(response);
        self.changed.notify_one();
    }

    fn living(&self) -> Vec<Arc<dyn Expire>> {
        let mut watched = self.lock();
        watched.retain(|w| w.strong_count() > 0);
        watched.iter().filter_map(Weak::upgrade).collect()
    }

    /// Ends every response on the connection with a shutdown.
    pub fn drain(&self) {
        self.living().iter().for_each(|r| r.drain());
        self.changed.notify_one();
    }

    /// Runs beside the connection; returns when it should be closed.
    pub async fn run(&self) {
        loop {
            let next = self.living().iter().filter_map(|r| r.due()).min();
            let Some(at) = next else {
                self.changed.notified().await;
                continue;
            };
            let woken = timeout_at(crate::clock::early(at), self.changed.notified())
                .await
                .is_ok();
            if !woken && self.sweep() {
                return;
            }
        }
    }

    /// Looks at all of them; true when there are some and every one is of no further use.
    fn sweep(&self) -> bool {
        let living = self.living();
        let mut over = 0;
        for response in &living {
            over += usize::from(response.look());
        }
        over > 0 && over == living.len()
    }
}
