//! The record of everything seen, shared by all connections.
//!
//! Writers never wait and never fail; readers are woken by a `Notify` after each change, so a test waits
//! for a fact and not for a while. The log is bounded, because `punctual sim` may run for weeks: beyond
//! the limits the oldest records go, and only their number is kept. An [`Entry`] that was reset or evicted goes on writing into nothing.

mod entry;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

pub(crate) use entry::{Entry, Line, RequestHead};

use crate::seen::{Conn, Seen};

const MAX_RECORDS: usize = 10_000;
/// Of heads and bodies together.
const MAX_BYTES: usize = 256 << 20;

/// [`Sim::wait`](crate::Sim::wait) ran out of time; carries what had been seen by then.
#[derive(Debug, thiserror::Error)]
#[error("not seen within {within:?}; seen so far: {seen:#?}, connections: {connections:#?}")]
pub struct Late {
    /// The time that was given.
    pub within: Duration,
    /// The requests at that moment.
    pub seen: Vec<Seen>,
    /// The connections at that moment.
    pub connections: Vec<Conn>,
}

/// How many records were there and are not kept any more, since the start or the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) requests: u64,
    pub(crate) connections: u64,
}

/// Everything that is kept, at one moment.
pub(crate) struct Record {
    pub(crate) seen: Vec<Seen>,
    pub(crate) conns: Vec<Conn>,
    pub(crate) gone: Gone,
}

#[derive(Default)]
struct State {
    seen: VecDeque<Seen>,
    conns: VecDeque<Conn>,
    gone: Gone,
    next_seq: u64,
    next_conn: u64,
    /// What the requests weigh together.
    bytes: usize,
}

impl State {
    fn evict(&mut self) {
        while self.seen.len() > MAX_RECORDS || self.bytes > MAX_BYTES && self.seen.len() > 1 {
            let gone = self.seen.pop_front().map_or(0, |s| s.bytes());
            self.bytes = self.bytes.saturating_sub(gone);
            self.gone.requests = self.gone.requests.saturating_add(1);
        }
        while self.conns.len() > MAX_RECORDS {
            self.conns.pop_front();
            self.gone.connections = self.gone.connections.saturating_add(1);
        }
    }
}

/// The shared record.
#[derive(Default)]
pub(crate) struct Log {
    state: Mutex<State>,
    changed: Notify,
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        let out = f(&mut self.lock());
        self.changed.notify_waiters();
        out
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.lock().seen.iter().cloned().collect()
    }

    pub(crate) fn conns(&self) -> Vec<Conn> {
        self.lock().conns.iter().cloned().collect()
    }

    pub(crate) fn record(&self) -> Record {
        let state = self.lock();
        Record {
            seen: state.seen.iter().cloned().collect(),
            conns: state.conns.iter().cloned().collect(),
            gone: state.gone,
        }
    }

    pub(crate) fn reset(&self) {
        self.change(|s| {
            s.seen.clear();
            s.conns.clear();
            s.gone = Gone::default();
            s.bytes = 0;
        });
    }

    /// Waits until the predicate holds over requests and connections.
    pub(crate) async fn wait(
        &self,
        within: Duration,
        mut holds: impl FnMut(&[Seen], &[Conn]) -> bool,
    ) -> Result<(), Late> {
        let until = async {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                // registered before looking, so that no change between the two is missed
                changed.as_mut().enable();
                {
                    let state = &mut *self.lock();
                    if holds(state.seen.make_contiguous(), state.conns.make_contiguous()) {
                        return;
                    }
                }
                changed.await;
            }
        };
        let late = timeout(within, until).await;
        late.map_err(|_| Late {
            within,
            seen: self.seen(),
            connections: self.conns(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use tokio::time::Instant;

    use super::*;
    use crate::seen::Protocol;

    fn head() -> RequestHead {
        RequestHead {
            protocol: Protocol::Http1,
            method: "POST".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            arrived: Instant::now(),
        }
    }

    #[test]
    fn only_the_newest_records_are_kept_and_the_others_counted() {
        let log = Arc::new(Log::default());
        let line = log.connect(false);
        for _ in 0..MAX_RECORDS + 5 {
            line.request(head());
            log.connect(false);
        }
        let seen = log.seen();
        assert_eq!((seen.len(), seen[0].seq), (MAX_RECORDS, 5));
        assert_eq!(log.conns().len(), MAX_RECORDS);
        let gone = |requests, connections| Gone {
            requests,
            connections,
        };
        assert_eq!(log.record().gone, gone(5, 6));
        log.reset();
        line.request(head());
        assert_eq!(log.record().gone, gone(0, 0));
    }

    #[test]
    fn large_bodies_push_out_old_records_and_a_reset_starts_anew() {
        let log = Arc::new(Log::default());
        let line = log.connect(false);
        let body = Bytes::from(vec![0; MAX_BYTES / 4]);
        for _ in 0..6 {
            line.request(head()).received(body.clone(), true);
        }
        let seen = log.seen();
        assert_eq!(
            (seen.len(), seen[0].seq),
            (3, 3),
            "their heads weigh a little too"
        );
        log.reset();
        line.request(head()).received(body, true);
        assert_eq!(log.lock().bytes, MAX_BYTES / 4 + 1);
    }

    #[test]
    fn a_body_without_a_record_weighs_nothing() {
        let log = Arc::new(Log::default());
        let entry = log.connect(false).request(head());
        log.reset();
        entry.received(Bytes::from_static(b"late"), true);
        assert_eq!(log.lock().bytes, 0);
    }
}
