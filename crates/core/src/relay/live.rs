//! Relaying one stream: what is held back first, then event by event as the upstream sends.
//!
//! The member's clocks count only time spent waiting on the upstream: the wait starts when a poll finds
//! nothing and ends with the next piece, so a slow caller is never charged to the provider.

use crate::{
    clock::{Clock, early, reached},
    execute::Live,
    failure::{Code, Failure, Limit},
    room::Lease,
    upstream::{Kind, Pieces, Summary},
};
use bytes::Bytes;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

/// Silence after the end condition that ends the stream normally.
const AFTER_END: Duration = Duration::from_secs(1);

pub(super) enum Flow {
    Frame(Bytes),
    Pending,
    Complete,
    Failed(Box<Failure>),
}

pub(crate) struct Stream<P: Pieces> {
    live: Live<P>,
    waiting_since: Option<Instant>,
    /// Waiting time since the last content, and over the whole attempt.
    token_wait: Duration,
    whole_wait: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    over: bool,
    /// The first content came after the commit, and the cell was not yet told.
    news: bool,
}

impl<P: Pieces> Stream<P> {
    pub(super) fn new(live: Live<P>) -> Self {
        let whole_wait = live.dispatched.elapsed();
        Self {
            live,
            waiting_since: None,
            token_wait: Duration::ZERO,
            whole_wait,
            timer: None,
            over: false,
            news: false,
        }
    }

    pub(super) fn is_marked(&self) -> bool {
        self.live.marked
    }

    /// Whether the end condition is met and nothing is held that the caller has not been given.
    pub(super) fn is_delivered(&self) -> bool {
        self.live.ended && self.live.held.is_empty() && !self.live.pieces.is_busy()
    }

    /// What ends the complete stream in the caller's dialect, if that is not the voice's to say.
    pub(super) fn closing(&mut self) -> Option<Bytes> {
        self.live.pieces.closing()
    }

    /// The error that this stream is in its upstream's words.
    pub(super) fn take_failure(&mut self) -> Option<Box<Failure>> {
        self.live.failed.take()
    }

    pub(super) fn summary(&self) -> Summary {
        self.live.pieces.summary()
    }

    /// The stream is complete: the target did well, the permit returns.
    pub(super) fn succeed(self) {
        self.live.verdict.succeed();
        drop(self.live.permit);
    }

    /// The stream broke: the exchange and the permit go first, then the target's health is told.
    pub(super) fn fail(self, failure: &mut Failure) {
        failure.sent = crate::failure::Sent::Yes;
        drop(self.live.pieces);
        drop(self.live.permit);
        self.live.verdict.fail(failure);
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Flow {
        if let Some(bytes) = self.live.held.pop_front() {
            if self.live.held.is_empty() {
                self.live.lease = Lease::default();
            }
            return Flow::Frame(bytes);
        }
        if self.over {
            return Flow::Complete;
        }
        loop {
            let polled = self.live.pieces.poll_piece(cx);
            if self.live.pieces.is_read() {
                self.live.permit = None;
            }
            match polled {
                Poll::Pending => return self.wait(cx),
                Poll::Ready(None | Some(Err(_))) if self.live.ended => return Flow::Complete,
                Poll::Ready(None) => {
                    return Flow::Failed(Failure::new(
                        Code::Truncated,
                        "the upstream closed before the end of its answer",
                    ));
                }
                Poll::Ready(Some(Err(failure))) => return Flow::Failed(failure),
                Poll::Ready(Some(Ok(piece))) => {
                    // pings after the end are no reason to go on waiting
                    if !(self.live.ended && matches!(piece.kind, Kind::Comment)) {
                        self.heard(matches!(piece.kind, Kind::Content { .. }));
                    }
                    self.live.ended |= piece.end.is_some();
                    match piece.kind {
                        Kind::Error(failure) => return Flow::Failed(failure),
                        Kind::Done if self.live.marked => continue,
                        Kind::Done => self.live.marked = true,
                        _ => {}
                    }
                    if !piece.bytes.is_empty() {
                        return Flow::Frame(piece.bytes);
                    }
                }
            }
        }
    }

    /// A piece came: the wait is over.
    fn heard(&mut self, content: bool) {
        self.stop_waiting();
        if content {
            self.token_wait = Duration::ZERO;
            self.news |= !self.live.content;
            self.live.content = true;
        }
    }

    /// The upstream is not what is waited for.
    fn stop_waiting(&mut self) {
        if let Some(since) = self.waiting_since.take() {
            let waited = since.elapsed();
            self.token_wait += waited;
            self.whole_wait += waited;
        }
    }

    /// Since `at` nobody asked for a piece: no silence of the upstream's.
    pub(super) fn unasked(&mut self, at: Instant) {
        if let Some(since) = &mut self.waiting_since {
            *since = since.checked_add(at.elapsed()).unwrap_or(*since);
        }
    }

    /// Whether the first content has just come, for a stream that was committed without.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    fn wait(&mut self, cx: &mut Context<'_>) -> Flow {
        if self.live.pieces.is_busy() {
            self.stop_waiting();
            return Flow::Pending;
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        loop {
            let Some((at, clock)) = self.due(since) else {
                return Flow::Pending;
            };
            if reached(at) {
                return match clock {
                    None => Flow::Complete,
                    Some((clock, limit)) => {
                        Flow::Failed(timed_out(clock, limit, self.waited(clock, since)))
                    }
                };
            }
            let timer = self
                .timer
                .get_or_insert_with(|| Box::pin(sleep_until(early(at))));
            if timer.deadline() > early(at) || timer.is_elapsed() {
                timer.as_mut().reset(early(at));
            }
            if timer.as_mut().poll(cx).is_pending() {
                return Flow::Pending;
            }
        }
    }

    /// The earliest limit of the present wait. After the end condition there is no clock to it: then it is
    /// a second of silence, or the end of the attempt's time.
    fn due(&self, since: Instant) -> Option<(Instant, Option<(Clock, Duration)>)> {
        let of = |clock, limit: Option<Duration>, waited: Duration| {
            let limit = limit?;
            let at = since.checked_add(limit.saturating_sub(waited))?;
            Some((at, Some((clock, limit))))
        };
        let limits = &self.live.limits;
        let whole = of(Clock::Attempt, limits.attempt_streamed, self.whole_wait);
        if self.live.ended {
            let silent = since.checked_add(AFTER_END);
            let at = [silent, whole.map(|(at, _)| at)];
            return at.into_iter().flatten().min().map(|at| (at, None));
        }
        let token = if self.live.content {
            of(Clock::StreamToken, limits.stream_token, self.token_wait)
        } else {
            of(Clock::FirstToken, limits.first_token, self.whole_wait)
        };
        [token, whole]
            .into_iter()
            .flatten()
            .min_by_key(|(at, _)| *at)
    }

    fn waited(&self, clock: Clock, since: Instant) -> Duration {
        let before = if clock == Clock::StreamToken {
            self.token_wait
        } else {
            self.whole_wait
        };
        before + since.elapsed()
    }
}

fn timed_out(clock: Clock, limit: Duration, elapsed: Duration) -> Box<Failure> {
    let mut f = Failure::new(
        Code::Timeout,
        format!(
            "the stream reached its {} of {} ms",
            clock.as_str(),
            limit.as_millis()
        ),
    );
    f.limit = Some(Limit {
        clock,
        limit,
        elapsed,
    });
    f
}
