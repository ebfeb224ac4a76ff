//! Watches the responses of one connection from beside it.
//!
//! An HTTP server polls a response body only while its caller reads. Deadline, stall and drain must hold
//! for a caller that stopped, so they do not live in the body: the connection's task runs
//! [`Vigil::run`] beside the connection, and that ends what is due. `run` returns when nothing on the
//! connection is worth keeping it open for: then drop it. One reader that stopped is no reason to end the
//! other requests of its connection.

use crate::clock::early;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Poll, Waker, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

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
    /// Responses came, or must end: [`Vigil::run`] has to look.
    changed: AtomicBool,
    /// Of the task that runs it; never set where that is polled after every change.
    runner: Mutex<Option<Waker>>,
    in_turn: bool,
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

    /// A watch whose responses are made in the task that runs it, and which is polled after all else in
    /// that task (HTTP/1.1): it is not woken, which would only make the task run once more.
    #[must_use]
    pub fn in_turn() -> Self {
        Self {
            in_turn: true,
            ..Self::default()
        }
    }

    /// Watches one more response. One that comes after [`Vigil::drain`] ends at once.
    pub fn watch(&self, response: Weak<dyn Expire>) {
        self.lock().push(response.clone());
        if self.drained.load(SeqCst)
            && let Some(response) = response.upgrade()
        {
            response.drain();
        }
        self.wake();
    }

    fn wake(&self) {
        self.changed.store(true, SeqCst);
        if !self.in_turn
            && let Some(runner) = &*self.runner()
        {
            runner.wake_by_ref();
        }
    }

    fn runner(&self) -> MutexGuard<'_, Option<Waker>> {
        self.runner.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.wake();
    }

    /// Runs beside the connection; returns when it should be closed: when of the requests that are open
    /// on it every one is a response whose last words stay unread. `standing` is asked at each look.
    pub async fn run(&self, standing: impl Fn() -> Standing) {
        let mut over = 0;
        let mut timer: Option<Pin<Box<Sleep>>> = None;
        self.changed.store(true, SeqCst);
        poll_fn(|cx| {
            if !self.in_turn {
                self.listen(cx.waker());
            }
            loop {
                if self.changed.swap(false, SeqCst) {
                    match self.next(over, standing().blocked_since) {
                        Some(at) => set(&mut timer, early(at)),
                        None => timer = None,
                    }
                }
                let Some(due) = timer.as_mut() else {
                    return Poll::Pending;
                };
                ready!(due.as_mut().poll(cx));
                timer = None;
                let now = standing();
                over = self.sweep(now.blocked_since);
                if over > 0 && over >= now.requests {
                    return Poll::Ready(());
                }
                self.changed.store(true, SeqCst);
            }
        })
        .await;
    }

    fn listen(&self, waker: &Waker) {
        let mut runner = self.runner();
        if !runner.as_ref().is_some_and(|w| w.will_wake(waker)) {
            *runner = Some(waker.clone());
        }
    }

    /// When to look again, with so many over.
    fn next(&self, over: usize, blocked: Option<Instant>) -> Option<Instant> {
        let due = self.living().iter().filter_map(|r| r.due(blocked)).min();
        // others are still served: whether they are is looked at from time to time
        let again = (over > 0).then(|| Instant::now() + LAST_WORDS);
        [due, again].into_iter().flatten().min()
    }

    /// Looks at all of them; how many are of no further use.
    fn sweep(&self, blocked: Option<Instant>) -> usize {
        self.living().iter().filter(|r| r.look(blocked)).count()
    }
}

/// Sets a timer that fires no later than at `at`: one that is set earlier only means one more look.
fn set(timer: &mut Option<Pin<Box<Sleep>>>, at: Instant) {
    match timer {
        Some(timer) if timer.deadline() <= at => {}
        Some(timer) => timer.as_mut().reset(at),
        None => *timer = Some(Box::pin(sleep_until(at))),
    }
}
