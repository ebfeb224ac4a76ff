//! When the next heartbeat is due: an interval after the last thing that was written.

use std::{future::Future, pin::Pin, task::Context, time::Duration};
use tokio::time::{Instant, Sleep, sleep_until};

pub(super) struct Beat {
    every: Option<Duration>,
    last: Instant,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Beat {
    pub(super) fn new(every: Option<Duration>) -> Self {
        Self {
            every,
            last: Instant::now(),
            timer: None,
        }
    }

    /// Something was written.
    pub(super) fn frame(&mut self) {
        self.last = Instant::now();
    }

    /// Whether one is due now; arms the timer when not. The timer is moved lazily: it fires early after a
    /// frame and is then set anew.
    pub(super) fn due(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(at) = self.every.and_then(|every| self.last.checked_add(every)) else {
            return false;
        };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= at {
                self.last = Instant::now();
                return true;
            }
            timer.as_mut().reset(at);
        }
        false
    }
}
