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
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

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

/// Up to which event a limit binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Connected,
    Content,
    End,
}

/// An instant and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    at: Instant,
    why: Why,
    until: Until,
}

impl Cut {
    pub(super) fn clock(clock: Clock, started: Instant, length: Duration) -> Option<Self> {
        let until = match clock {
            Clock::Connect => Until::Connected,
            Clock::FirstToken | Clock::Reserve => Until::Content,
            _ => Until::End,
        };
        let why = Why::Clock(clock, length);
        let at = started.checked_add(length)?;
        Some(Self { at, why, until })
    }

    pub(super) fn queue_wait(length: Duration) -> Option<Self> {
        let (why, until) = (Why::QueueWait, Until::End);
        let at = Instant::now().checked_add(length)?;
        Some(Self { at, why, until })
    }
}

/// The limits of one step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cuts {
    cuts: [Option<Cut>; 6],
    /// Content to next content, once there was some.
    between: Option<Duration>,
}

impl Cuts {
    /// The request's own limits, the one that binds up to the first content among them.
    pub(super) fn of(deadline: &Deadline) -> Self {
        let cut = |at: Option<Instant>, until| {
            let why = Why::Deadline;
            at.map(|at| Cut { at, why, until })
        };
        Self::default()
            .with(cut(deadline.total_at(), Until::End))
            .with(cut(deadline.before_content_at(), Until::Content))
    }

    /// Adds a limit, if there is one.
    pub(super) fn with(mut self, cut: Option<Cut>) -> Self {
        if let (Some(cut), Some(slot)) = (cut, self.cuts.iter_mut().find(|c| c.is_none())) {
            *slot = Some(cut);
        }
        self
    }

    /// Adds a member's clocks, for an attempt dispatched at `started`.
    pub(super) fn with_clocks(mut self, limits: &Limits, stream: bool, started: Instant) -> Self {
        let cut = |clock, length: Option<Duration>| Cut::clock(clock, started, length?);
        let whole = limits.whole(stream);
        self.between = limits.stream_token.filter(|_| stream);
        self.with(whole.and_then(|(clock, length)| Cut::clock(clock, started, length)))
            .with(cut(
                Clock::FirstToken,
                limits.first_token.filter(|_| stream),
            ))
            .with(cut(Clock::Connect, limits.connect))
    }

    /// The limit that binds now and ends first.
    fn earliest(&self, progress: Option<&Progress>) -> Option<Cut> {
        let connected = progress.is_some_and(Progress::is_connected);
        let content = progress.and_then(Progress::last_content);
        // a member's clocks are for what the member does
        let busy = progress.is_some_and(Progress::is_busy);
        let binds = |c: &&Cut| match c.until {
            _ if busy && matches!(c.why, Why::Clock(..)) => false,
            Until::Connected => !connected,
            Until::Content => content.is_none(),
            Until::End => true,
        };
        let redialled = progress.map(Progress::connecting_since).unwrap_or_default();
        let worked = progress.map(Progress::worked).unwrap_or_default();
        let shifted = |c: &Cut| {
            let later = match (c.until, c.why) {
                (Until::Connected, _) => redialled,
                (_, Why::Clock(..)) => worked,
                _ => Duration::ZERO,
            };
            Cut {
                at: c.at + later,
                ..*c
            }
        };
        let token = content
            .filter(|_| !busy)
            .zip(self.between)
            .and_then(|(at, length)| Cut::clock(Clock::StreamToken, at, length));
        // by reference: this is asked at every turn of every exchange
        let fixed = self.cuts.iter().flatten().filter(binds).map(shifted);
        fixed
            .chain(token)
            .min_by_key(|c| (c.at, c.why != Why::Deadline))
    }
}

/// Runs `step` until the earliest limit. A limit that binds only up to the connection or up to the first
/// content is looked at with `progress`. The step is pinned by whoever made it: an exchange is large, and
/// taken by value it would be moved, and kept room for, twice.
pub(super) async fn race<F: Future>(
    mut step: Pin<&mut F>,
    cuts: Cuts,
    progress: Option<&Progress>,
) -> Result<F::Output, Why> {
    // set when there is something to wait for: much of what is raced is done at once
    let mut timer = pin!(None::<Sleep>);
    poll_fn(|cx| {
        if let Poll::Ready(done) = step.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        loop {
            let Some(cut) = cuts.earliest(progress) else {
                return Poll::Pending;
            };
            if reached(cut.at) {
                return Poll::Ready(Err(cut.why));
            }
            let at = early(cut.at);
            match timer.as_mut().as_pin_mut() {
                // one that is set too early fires, and is then set anew
                Some(set) if set.deadline() <= at && !set.is_elapsed() => {}
                Some(set) => set.reset(at),
                None => timer.set(Some(sleep_until(at))),
            }
            let set = timer.as_mut().as_pin_mut();
            if set.is_none_or(|set| set.poll(cx).is_pending()) {
                return Poll::Pending;
            }
        }
    })
    .await
}
