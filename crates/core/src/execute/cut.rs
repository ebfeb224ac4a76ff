//! Racing a step against the limits that may cut it short.
//!
//! Each limit carries its reason, so which one fired is known by construction. The step is polled first:
//! what is complete in the same instant wins. On a tie between limits the request's deadline wins, because
//! it is terminal.

use crate::{
    clock::{Clock, Limits, early, reached},
    deadline::Deadline,
    upstream::Progress,
};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// Why a step was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The request's time is up.
    Deadline,
    /// A member's own clock of this length.
    Clock(Clock, Duration),
    /// The lane kept it too long.
    QueueWait,
}

/// An instant and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    at: Instant,
    why: Why,
}

impl Cut {
    pub(super) fn deadline(deadline: &Deadline) -> Option<Self> {
        deadline.at().map(|at| Self {
            at,
            why: Why::Deadline,
        })
    }

    pub(super) fn clock(clock: Clock, started: Instant, length: Duration) -> Option<Self> {
        started.checked_add(length).map(|at| Self {
            at,
            why: Why::Clock(clock, length),
        })
    }

    pub(super) fn queue_wait(length: Duration) -> Option<Self> {
        Instant::now().checked_add(length).map(|at| Self {
            at,
            why: Why::QueueWait,
        })
    }
}

/// Up to six limits of one step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cuts {
    cuts: [Option<Cut>; 6],
}

impl Cuts {
    /// Adds a limit, if there is one.
    pub(super) fn with(mut self, cut: Option<Cut>) -> Self {
        if let (Some(cut), Some(slot)) = (cut, self.cuts.iter_mut().find(|c| c.is_none())) {
            *slot = Some(cut);
        }
        self
    }

    /// Adds the clock that ends with the connection.
    pub(super) fn with_connect(self, limits: &Limits, started: Instant) -> Self {
        self.with(
            limits
                .connect
                .and_then(|length| Cut::clock(Clock::Connect, started, length)),
        )
    }

    fn earliest(&self, connected: bool) -> Option<Cut> {
        let binding = |c: &&Cut| !(connected && matches!(c.why, Why::Clock(Clock::Connect, _)));
        let order = |c: &&Cut| (c.at, c.why != Why::Deadline);
        self.cuts
            .iter()
            .flatten()
            .filter(binding)
            .min_by_key(order)
            .copied()
    }
}

/// Runs `step` until the earliest limit. With a `progress`, `connect_timeout` binds only until there is a
/// connection.
pub(super) async fn race<F: Future>(
    step: F,
    cuts: Cuts,
    progress: Option<&Progress>,
) -> Result<F::Output, Why> {
    let connected = || progress.is_some_and(Progress::is_connected);
    let mut step = pin!(step);
    let Some(first) = cuts.earliest(false) else {
        return Ok(step.await);
    };
    let mut timer = pin!(sleep_until(early(first.at)));
    poll_fn(|cx| {
        if let Poll::Ready(done) = step.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        loop {
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            match cuts.earliest(connected()) {
                Some(cut) if reached(cut.at) => return Poll::Ready(Err(cut.why)),
                Some(cut) => timer.as_mut().reset(early(cut.at)),
                None => return Poll::Pending,
            }
        }
    })
    .await
}
