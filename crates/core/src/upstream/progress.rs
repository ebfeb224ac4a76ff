//! How far an attempt has come, written by whoever runs it and read by whoever waits for it.
//!
//! It outlives the dropped future of a cancelled attempt: what was sent, and how long each step took, is
//! known of those too. Times are kept as microseconds since the dispatch, so that writing one is one store.

use crate::failure::Sent;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;

/// How far an attempt has come; readable after its future was dropped. Times are since `started`.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    stage: AtomicU8,
    reused: AtomicBool,
    /// Earlier sends on connections that died unanswered.
    lost: AtomicU32,
    connect_us: AtomicU64,
    tls_us: AtomicU64,
    headers_us: AtomicU64,
    connecting_us: AtomicU64,
    first_content_us: AtomicU64,
    content_us: AtomicU64,
    busy_since_us: AtomicU64,
    /// Without what is going on.
    busy_us: AtomicU64,
}

const UNSET: u64 = u64::MAX;
const CONNECTED: u8 = 1;
const WRITING: u8 = 2;
const HEADERS: u8 = 3;

impl Progress {
    /// An attempt dispatched now.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            stage: AtomicU8::new(0),
            reused: AtomicBool::new(false),
            lost: AtomicU32::new(0),
            connect_us: AtomicU64::new(UNSET),
            tls_us: AtomicU64::new(UNSET),
            headers_us: AtomicU64::new(UNSET),
            connecting_us: AtomicU64::new(0),
            first_content_us: AtomicU64::new(UNSET),
            content_us: AtomicU64::new(UNSET),
            busy_since_us: AtomicU64::new(UNSET),
            busy_us: AtomicU64::new(0),
        })
    }

    fn since(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(UNSET - 1)
    }

    /// When the attempt was dispatched.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// A connection is there; `reused` when it came from the pool.
    pub fn connected(&self, reused: bool) {
        self.reused.store(reused, Relaxed);
        self.connect_us.store(self.since(), Relaxed);
        self.stage.fetch_max(CONNECTED, Relaxed);
    }

    /// TLS took this long.
    pub fn tls(&self, took: Duration) {
        self.tls_us.store(
            u64::try_from(took.as_micros()).unwrap_or(UNSET - 1),
            Relaxed,
        );
    }

    /// Bytes of the request may be on the wire.
    pub fn writing(&self) {
        self.stage.fetch_max(WRITING, Relaxed);
    }

    /// The upstream did nothing with what was sent, if anything was, and another connection is being made.
    pub fn starts_over(&self) {
        self.connecting_us.store(self.since(), Relaxed);
        self.stage.store(0, Relaxed);
    }

    /// The connection died with the request on it and another is being made: what was sent may have been
    /// processed all the same.
    pub fn goes_again(&self) {
        self.lost.fetch_add(1, Relaxed);
        self.starts_over();
    }

    /// Connecting begins only now: something had to be done first.
    pub fn connecting(&self) {
        self.connecting_us.store(self.since(), Relaxed);
    }

    /// Work of our own, on what is to be sent or on what has come, begins or is over. Meanwhile the provider
    /// is not waited for, and its clocks stand still.
    pub fn busy(&self, busy: bool) {
        let since = self.busy_since_us.load(Relaxed);
        match busy {
            true if since == UNSET => self.busy_since_us.store(self.since(), Relaxed),
            false if since != UNSET => {
                let took = self.since().saturating_sub(since);
                self.busy_us.fetch_add(took, Relaxed);
                self.busy_since_us.store(UNSET, Relaxed);
            }
            _ => {}
        }
    }

    /// For so long, until now, nobody asked how the attempt stands, and it could go no further: that is not
    /// the provider's doing.
    pub(crate) fn unasked(&self, gap: Duration) {
        if self.is_busy() {
            return;
        }
        let gap = u64::try_from(gap.as_micros()).unwrap_or(UNSET);
        let later = |us: &AtomicU64| {
            let shifted = us.load(Relaxed).saturating_add(gap);
            us.store(shifted.min(self.since()), Relaxed);
        };
        self.busy_us.fetch_add(gap, Relaxed);
        later(&self.connecting_us);
        if self.last_content().is_some() {
            later(&self.content_us);
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy_since_us.load(Relaxed) != UNSET
    }

    /// How long the work of our own took, without what is going on.
    pub(crate) fn worked(&self) -> Duration {
        Duration::from_micros(self.busy_us.load(Relaxed))
    }

    /// Content was read.
    pub(crate) fn content(&self) {
        let now = self.since();
        self.content_us.store(now, Relaxed);
        let _ = self
            .first_content_us
            .compare_exchange(UNSET, now, Relaxed, Relaxed);
    }

    /// When connecting began, since the dispatch: later when it had to begin again.
    pub(crate) fn connecting_since(&self) -> Duration {
        Duration::from_micros(self.connecting_us.load(Relaxed))
    }

    /// When content was read last.
    pub(crate) fn last_content(&self) -> Option<Instant> {
        self.started.checked_add(Self::read(&self.content_us)?)
    }

    /// Dispatch to first content.
    #[must_use]
    pub fn first_content_time(&self) -> Option<Duration> {
        Self::read(&self.first_content_us)
    }

    /// The upstream's head was read.
    pub fn headers(&self) {
        self.headers_us.store(self.since(), Relaxed);
        self.stage.fetch_max(HEADERS, Relaxed);
    }

    /// Whether a connection is there.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.stage.load(Relaxed) >= CONNECTED
    }

    /// Whether the upstream's head was read.
    #[must_use]
    pub fn has_headers(&self) -> bool {
        self.stage.load(Relaxed) >= HEADERS
    }

    /// Whether the request reached the provider.
    #[must_use]
    pub fn sent(&self) -> Sent {
        match self.stage.load(Relaxed) {
            HEADERS.. => Sent::Yes,
            WRITING => Sent::Maybe,
            _ if self.lost.load(Relaxed) > 0 => Sent::Maybe,
            _ => Sent::No,
        }
    }

    /// How often the provider may have got the request.
    #[must_use]
    pub fn sends(&self) -> u32 {
        let now = u32::from(self.stage.load(Relaxed) >= WRITING);
        self.lost.load(Relaxed).saturating_add(now)
    }

    /// Whether the connection came from the pool.
    #[must_use]
    pub fn reused(&self) -> bool {
        self.reused.load(Relaxed)
    }

    fn read(us: &AtomicU64) -> Option<Duration> {
        let us = us.load(Relaxed);
        (us != UNSET).then(|| Duration::from_micros(us))
    }

    /// Dispatch to connection.
    #[must_use]
    pub fn connect_time(&self) -> Option<Duration> {
        Self::read(&self.connect_us)
    }

    /// Length of the TLS handshake.
    #[must_use]
    pub fn tls_time(&self) -> Option<Duration> {
        Self::read(&self.tls_us)
    }

    /// Dispatch to head.
    #[must_use]
    pub fn headers_time(&self) -> Option<Duration> {
        Self::read(&self.headers_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_send_that_may_have_been_processed_is_not_forgotten_and_one_that_was_not_is() {
        let progress = Progress::new();
        progress.writing();
        progress.starts_over();
        assert_eq!((progress.sends(), progress.sent()), (0, Sent::No));
        progress.writing();
        progress.goes_again();
        assert!(!progress.is_connected());
        assert_eq!((progress.sends(), progress.sent()), (1, Sent::Maybe));
        progress.connected(false);
        progress.writing();
        progress.headers();
        assert_eq!((progress.sends(), progress.sent()), (2, Sent::Yes));
    }
}
