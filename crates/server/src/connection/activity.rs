//! What a connection is doing, for the clocks that hyper does not have.
//!
//! HTTP/1.1: a head has `header_timeout` from its first byte (hyper's own timer counts the idle time before
//! it too and is set anew for every request, so it is off). HTTP/2: the first request has `header_timeout`
//! from the preface. After that a connection without requests is idle, unless it takes what was written for streams
//! that have ended here: the tail of an answer can be on its way for long. On both, a caller that takes
//! nothing of what is written for the idle time is gone, whatever its responses are. The socket's reads and
//! writes and the requests' guards write it down; the connection's task, which is polled after each of them,
//! looks.

use super::Protocol;
use punctual_core::{Standing, arm, reached};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};
use tokio::time::{Instant, Sleep};

#[derive(Debug)]
struct State {
    protocol: Option<Protocol>,
    in_flight: u32,
    /// The first byte of a head that is not complete; on HTTP/2 the preface, until the first request.
    head_since: Option<Instant>,
    idle_since: Instant,
    /// The socket has taken nothing since then.
    blocked_since: Option<Instant>,
}

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct Activity {
    state: Mutex<State>,
    head: Duration,
    idle: Duration,
}

/// A request between its head and the end of its answer.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Activity>);

impl Activity {
    pub(super) fn new(head: Duration, idle: Duration) -> Self {
        Self {
            state: Mutex::new(State {
                protocol: None,
                in_flight: 0,
                head_since: None,
                idle_since: Instant::now(),
                blocked_since: None,
            }),
            head,
            idle,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// HTTP begins: a head is expected.
    pub(super) fn begin(&self, protocol: Protocol) {
        let mut s = self.lock();
        s.protocol = Some(protocol);
        s.head_since = Some(Instant::now());
    }

    /// Bytes came from the caller.
    pub(super) fn heard(&self) {
        let mut s = self.lock();
        if s.protocol == Some(Protocol::Http1) && s.in_flight == 0 {
            s.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// Bytes went to the caller.
    pub(super) fn wrote(&self) {
        let mut s = self.lock();
        // while a request is in flight nothing is idle; its end sets this anew
        if s.in_flight == 0 {
            s.idle_since = Instant::now();
        }
    }

    /// The socket takes no more bytes, or takes them again.
    pub(super) fn blocked(&self, blocked: bool) {
        self.lock().blocked_since = blocked.then(Instant::now);
    }

    /// A head is complete.
    pub(super) fn busy(self: Arc<Self>) -> Busy {
        let mut s = self.lock();
        s.head_since = None;
        s.in_flight += 1;
        drop(s);
        Busy(self)
    }

    /// What the watch over the responses needs to know of their connection.
    pub(super) fn standing(&self) -> Standing {
        let s = self.lock();
        Standing {
            requests: usize::try_from(s.in_flight).unwrap_or(usize::MAX),
            blocked_since: s.blocked_since,
        }
    }

    /// When to look next.
    fn due(&self) -> Option<Instant> {
        let s = self.lock();
        let reading = match (s.head_since, s.protocol) {
            (Some(since), _) => since.checked_add(self.head),
            (None, Some(_)) if s.in_flight == 0 => s.idle_since.checked_add(self.idle),
            (None, Some(Protocol::Http2)) => Instant::now().checked_add(self.idle),
            _ => None,
        };
        let writing = s
            .blocked_since
            .and_then(|since| since.checked_add(self.idle));
        [reading, writing].into_iter().flatten().min()
    }

    /// Resolves when the caller took too long for a head, left an HTTP/2 connection idle, or takes nothing
    /// of what is written. Must be polled after each turn of the connection.
    pub(super) async fn overdue(&self) {
        let mut timer: Option<Pin<Box<Sleep>>> = None;
        poll_fn(|cx| {
            loop {
                let Some(at) = self.due() else {
                    return Poll::Pending;
                };
                if reached(at) {
                    return Poll::Ready(());
                }
                let set = timer.get_or_insert_with(|| Box::pin(arm(at)));
                // one that is set too early only means one more look
                if set.is_elapsed() || set.deadline() > at {
                    set.set(arm(at));
                }
                if set.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut s = self.0.lock();
        s.in_flight = s.in_flight.saturating_sub(1);
        s.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(75);

    fn activity(protocol: Protocol) -> Arc<Activity> {
        let a = Arc::new(Activity::new(HEAD, IDLE));
        a.begin(protocol);
        a
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_from_its_first_byte() {
        let a = activity(Protocol::Http1);
        let start = Instant::now();
        a.overdue().await;
        assert!((HEAD - Duration::from_millis(1)..=HEAD).contains(&start.elapsed()));
        drop(a.clone().busy());
        assert_eq!(
            a.due(),
            Some(Instant::now() + IDLE),
            "idle between requests"
        );
        tokio::time::advance(IDLE / 2).await;
        a.heard();
        let since = Instant::now();
        tokio::time::advance(HEAD / 2).await;
        a.heard();
        assert_eq!(a.due(), Some(since + HEAD), "further bytes do not help");
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_behind_a_running_request_are_no_head() {
        let a = activity(Protocol::Http1);
        let busy = a.clone().busy();
        a.heard();
        assert_eq!(a.due(), None);
        drop(busy);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_takes_nothing_is_gone_after_the_idle_time() {
        for protocol in [Protocol::Http1, Protocol::Http2] {
            let a = activity(protocol);
            let _busy = a.clone().busy();
            a.blocked(true);
            let since = Instant::now();
            tokio::time::advance(IDLE / 2).await;
            assert_eq!(a.due(), Some(since + IDLE));
            a.blocked(false);
            assert_ne!(a.due(), Some(since + IDLE));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_http2_connection_without_streams_is_idle() {
        let a = activity(Protocol::Http2);
        let busy = a.clone().busy();
        tokio::time::advance(IDLE * 2).await;
        assert!(a.due() > Some(Instant::now()), "not while a stream is open");
        drop(busy);
        let since = Instant::now();
        a.heard();
        a.overdue().await;
        assert!(since.elapsed() + Duration::from_millis(1) >= IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_tail_of_an_answer_is_not_idleness() {
        let a = activity(Protocol::Http2);
        drop(a.clone().busy());
        tokio::time::advance(IDLE / 2).await;
        a.wrote();
        assert_eq!(a.due(), Some(Instant::now() + IDLE));
    }
}
