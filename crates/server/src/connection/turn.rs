//! One turn of a connection: hyper polled until it has nothing more to do.
//!
//! hyper's halves (the connection, the service it feeds with a body) wake each other through the task's
//! waker, several times a request. Within one poll of the connection such a wake-up would put the task into
//! the runtime's queue, and with it every clock beside the connection would be looked at again, for nothing.
//! So hyper gets a waker of its own: while the connection is polled it only asks for one more round, at any
//! other time it wakes the task. The same kind of waker tells which of the futures beside it was called at
//! all. No wake-up is lost: it is noted first and then looks whether somebody will read the note, and the
//! turn ends by saying that nobody will and then reads it.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Rounds of one turn; then others are let run first.
const ROUNDS: u32 = 8;

/// Notes a wake-up, and wakes the task unless that is just polling what was woken.
#[derive(Debug)]
struct Bell {
    rung: AtomicBool,
    inside: AtomicBool,
    task: Mutex<Waker>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, SeqCst);
        if !self.inside.load(SeqCst) {
            let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
            task.wake_by_ref();
        }
    }
}

/// Polls something with a [`Bell`] for its waker.
#[derive(Debug)]
pub(crate) struct Turn {
    bell: Arc<Bell>,
    waker: Waker,
}

impl Default for Turn {
    fn default() -> Self {
        let bell = Arc::new(Bell {
            rung: AtomicBool::new(true),
            inside: AtomicBool::new(false),
            task: Mutex::new(Waker::noop().clone()),
        });
        Self {
            waker: bell.clone().into(),
            bell,
        }
    }
}

impl Turn {
    /// Polls until it is ready or waits for something from outside.
    pub(super) fn take<F: Future>(
        &self,
        mut of: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<F::Output> {
        self.called_by(cx.waker());
        let mut own = Context::from_waker(&self.waker);
        for _ in 0..ROUNDS {
            self.bell.inside.store(true, SeqCst);
            self.bell.rung.swap(false, SeqCst);
            let polled = of.as_mut().poll(&mut own);
            self.bell.inside.store(false, SeqCst);
            if polled.is_ready() || !self.bell.rung.load(SeqCst) {
                return polled;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Polls it if it was woken since it was polled last.
    pub(crate) fn take_if_called<F: Future>(
        &self,
        of: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<F::Output> {
        self.called_by(cx.waker());
        if !self.bell.rung.swap(false, SeqCst) {
            return Poll::Pending;
        }
        of.poll(&mut Context::from_waker(&self.waker))
    }

    fn called_by(&self, waker: &Waker) {
        let mut task = self
            .bell
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !task.will_wake(waker) {
            task.clone_from(waker);
        }
    }
}

#[cfg(test)]
mod tests;
