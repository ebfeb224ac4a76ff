//! SIGTERM and Ctrl-C: heard from the moment this is made, so that nothing which is announced later can be
//! ended by a signal that nobody hears.

use crate::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Both signals; either is one order to end.
pub(crate) struct Signals {
    term: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Must be called inside a runtime.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let hear = |kind| signal(kind).map_err(|e| Failure::Start(format!("no signals: {e}")));
        Ok(Self {
            term: hear(SignalKind::terminate())?,
            interrupt: hear(SignalKind::interrupt())?,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
