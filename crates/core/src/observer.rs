//! Who is told what happens to requests.
//!
//! Observers are called inline: they must not block. The engine carries the request's whole [`Report`]
//! along, so an observer needs no table of live requests.

use crate::record::{AttemptReport, BackoffReport, QueueReport, Report};

/// Something happened to a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The request's head was read.
    Received,
    /// It joined a lane's queue and must wait; `target` is whose.
    Queued {
        /// The target's name.
        target: &'a str,
    },
    /// It left a lane's queue, admitted or not.
    QueueLeft(&'a QueueReport),
    /// An attempt was dispatched.
    AttemptStarted {
        /// 1 for the first.
        number: u32,
        /// The target's name.
        target: &'a str,
    },
    /// An attempt ended, whichever way.
    AttemptEnded(&'a AttemptReport),
    /// A pause before a retry, or a wait for a cooling target, ended.
    BackedOff(&'a BackoffReport),
    /// A heartbeat was written.
    Heartbeat,
    /// The first content is on its way to the caller.
    Committed,
    /// The one outcome.
    Finished,
}

/// Told of every event, with the report as it stands. Must not block, must not panic.
pub trait Observer: Send + Sync + 'static {
    /// Called inline.
    fn on(&self, report: &Report, event: &Event<'_>);
}

/// Told, says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn on(&self, _: &Report, _: &Event<'_>) {}
}
