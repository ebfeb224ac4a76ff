//! The truth about one request: a [`Report`] that grows while it runs, and the [`Record`] that owns it.
//!
//! The record lives by value in whatever owns the request, so it closes exactly once on every exit path,
//! drop and panic included. The first outcome said wins; a record dropped without one was cancelled (or, in
//! an unwinding thread, a bug of ours). Spans still open at that instant are closed with it.

use crate::{
    call::Surface,
    deadline::Deadline,
    failure::{Code, Failure},
    observer::{Event, Observer},
    trace::{SpanId, Trace},
    upstream::{Head, Progress, Summary},
};
use bytes::Bytes;
use http::StatusCode;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};
use tokio::time::Instant;

mod fate;
mod outcome;
mod parts;
mod report;
pub use fate::Fate;
pub(crate) use fate::Word;
pub use outcome::{Outcome, Phase, Reason};
pub use parts::{AttemptReport, BackoffReport, QueueReport};
pub use report::Report;

/// Owns a request's [`Report`] and closes it exactly once.
pub struct Record {
    report: Box<Report>,
    observer: Arc<dyn Observer>,
    progress: Option<Arc<Progress>>,
    fate: Option<Arc<Fate>>,
    closed: bool,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record")
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

impl Record {
    /// Opens a record for a request whose head was read at `deadline.started()`.
    #[must_use]
    pub fn open(
        id: Arc<str>,
        surface: Surface,
        trace: Trace,
        deadline: Deadline,
        observer: Arc<dyn Observer>,
    ) -> Self {
        let record = Self {
            report: Box::new(Report::new(id, surface, trace, deadline)),
            observer,
            progress: None,
            fate: None,
            closed: false,
        };
        record.tell(&Event::Received);
        record
    }

    /// What is known so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// A handle for whoever may have to end the future that will own this record.
    pub fn fate(&mut self) -> Arc<Fate> {
        self.fate.get_or_insert_with(Arc::default).clone()
    }

    /// Takes over what happened while the record was out of reach.
    pub(crate) fn rejoin(&mut self) {
        let Some(fate) = &self.fate else { return };
        if let Some(status) = fate.status() {
            self.report.status.get_or_insert(status);
        }
        for _ in 0..fate.take_heartbeats() {
            self.heartbeat();
        }
    }

    fn tell(&self, event: &Event<'_>) {
        self.observer.on(&self.report, event);
    }

    /// What the front door learnt: route, key, whether a stream was asked for, the deadline as it is now.
    pub fn identify(
        &mut self,
        route: Option<Arc<str>>,
        key: Option<Arc<str>>,
        stream: bool,
        deadline: Deadline,
    ) {
        self.report.route = route.or_else(|| self.report.route.take());
        self.report.key = key.or_else(|| self.report.key.take());
        self.report.stream = stream;
        self.report.deadline = deadline;
    }

    /// The request's body is complete: the phase of receiving ends.
    pub fn received(&mut self) {
        self.report.last_part_ended = Instant::now();
        self.report.receive = self
            .report
            .last_part_ended
            .saturating_duration_since(self.report.started);
    }

    /// The status line was (or is about to be) written.
    pub fn head_sent(&mut self, status: StatusCode) {
        self.report.status.get_or_insert(status.as_u16());
    }

    /// Bytes handed towards the caller.
    pub(crate) fn delivered(&mut self, bytes: usize) {
        self.report.delivered_bytes += bytes as u64;
    }

    /// A heartbeat was written.
    pub(crate) fn heartbeat(&mut self) {
        self.report.heartbeats += 1;
        self.tell(&Event::Heartbeat);
    }

    pub(crate) fn held_back(&mut self, bytes: usize) {
        self.report.held_back_bytes = self.report.held_back_bytes.max(bytes as u64);
    }

    pub(crate) fn queue_joined(&mut self, target: &Arc<str>) {
        self.report.phase = Phase::Queued;
        self.report.waiting = Some(QueueReport::open(
            self.report.attempt_count() + 1,
            target.clone(),
        ));
    }

    /// A permit was free at once.
    pub(crate) fn queue_passed(&mut self, target: &Arc<str>) {
        self.queue_joined(target);
        if let Some(mut wait) = self.report.waiting.take() {
            wait.admitted = true;
            self.queued(wait);
        }
    }

    pub(crate) fn queue_waits(&mut self, target: &Arc<str>, predicted: Option<Duration>) {
        if let Some(wait) = &mut self.report.waiting {
            wait.predicted = predicted;
        }
        self.tell(&Event::Queued { target });
    }

    /// The wait in a lane is over; `refused` says why when no permit was granted.
    pub(crate) fn queue_left(&mut self, refused: Option<&'static str>) {
        let Some(mut wait) = self.report.waiting.take() else {
            return;
        };
        wait.close(refused);
        self.queued(wait);
    }

    fn queued(&mut self, wait: QueueReport) {
        self.report.queue += wait.length();
        self.report.last_part_ended = wait.ended;
        self.tell(&Event::QueueLeft(&wait));
        self.report.queue_waits.push(wait);
    }

    pub(crate) fn attempt_started(
        &mut self,
        target: &Arc<str>,
        progress: Arc<Progress>,
    ) -> (u32, SpanId) {
        self.report.phase = Phase::Connecting;
        let number = self.report.attempt_count() + 1;
        let attempt = AttemptReport::open(number, target.clone(), progress.started());
        let span = attempt.upstream_span;
        self.report.attempting = Some(attempt);
        if let Some(fate) = &self.fate {
            fate.runs(&progress);
        }
        self.progress = Some(progress);
        self.tell(&Event::AttemptStarted { number, target });
        (number, span)
    }

    /// The upstream of the running attempt sent its head.
    pub(crate) fn answered(&mut self, head: &Head) {
        if let Some(a) = &mut self.report.attempting {
            a.status = Some(head.status.as_u16());
            a.request_id.clone_from(&head.request_id);
        }
    }

    /// The answer of the running attempt goes to the caller; `content` says whether there is some in it.
    pub(crate) fn committed(&mut self, by: &'static str, content: bool) {
        self.report.phase = Phase::Streaming;
        self.report.committed = Some(Instant::now());
        self.report.committed_by = Some(by);
        if let Some(a) = &self.report.attempting {
            self.report.served_by = Some(a.target.clone());
            self.report.fallback_index = others(&self.report.attempts, &a.target);
        }
        if content {
            self.content_arrived();
        }
        self.tell(&Event::Committed);
    }

    /// The first content of the running attempt arrived.
    pub(crate) fn content_arrived(&mut self) {
        self.report.deadline.content_arrived();
        let read = self.progress.as_ref().and_then(|p| p.first_content_time());
        if let Some(a) = &mut self.report.attempting {
            a.first_content = read.or_else(|| Some(a.started.elapsed()));
        }
    }

    /// The running attempt is over.
    pub(crate) fn attempt_ended(&mut self, failure: Option<&Failure>, summary: Option<Summary>) {
        self.report.phase = self.phase();
        let Some(mut a) = self.report.attempting.take() else {
            return;
        };
        a.close(self.progress.take().as_deref(), failure, summary.as_ref());
        // what the request's own end cut off was not read to its end
        a.completed &= matches!(self.report.outcome, None | Some(Outcome::Ok));
        self.report.attempt += a.length();
        self.report.last_part_ended = a.ended;
        if let Some(s) = summary {
            self.report.summary = s;
        }
        self.tell(&Event::AttemptEnded(&a));
        self.report.attempts.push(a);
    }

    pub(crate) fn backoff_started(&mut self, target: Option<Arc<str>>, cooldown: bool) {
        self.report.phase = Phase::Backoff;
        self.report.backing_off = Some(BackoffReport::open(target, cooldown));
    }

    /// The pause is over; `cut` says that the request's end made it so.
    pub(crate) fn backoff_ended(&mut self, cut: bool) {
        let Some(mut b) = self.report.backing_off.take() else {
            return;
        };
        b.close(cut);
        self.report.backoff += b.length();
        self.report.last_part_ended = b.ended;
        self.tell(&Event::BackedOff(&b));
        self.report.backoffs.push(b);
    }

    /// The retry budget of the last attempt's target was empty.
    pub(crate) fn budget_empty(&mut self) {
        if let Some(a) = self.report.attempts.last_mut() {
            a.retry_budget_empty = true;
        }
    }

    /// Where the request stands, the running attempt's progress included.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match (self.report.phase, &self.progress) {
            (Phase::Connecting, Some(p)) if p.has_headers() => Phase::AwaitingContent,
            (Phase::Connecting, Some(p)) if p.is_connected() => Phase::AwaitingHeaders,
            (phase, _) => phase,
        }
    }

    /// Freezes the phase into the report, for texts made from it.
    pub fn settle_phase(&mut self) {
        self.report.phase = self.phase();
        self.report.elapsed = self.report.started.elapsed();
    }

    /// Says the outcome; the first word wins.
    pub fn settle(&mut self, outcome: Outcome, reason: Option<Reason>) {
        if self.report.outcome.is_none() {
            self.settle_phase();
            self.report.outcome = Some(outcome);
            self.report.reason = reason;
        }
    }

    /// Says that `failure` is the last word.
    pub fn fail(&mut self, failure: &Failure) {
        if self.report.outcome.is_none() {
            self.settle(
                Outcome::of(failure.code, self.report.committed.is_some()),
                None,
            );
            self.report.failure = Some(failure.clone());
        }
    }

    /// Says that `failure` is the last word, and that the caller got it whole in its upstream's own.
    pub(crate) fn passed_on(&mut self, failure: &Failure) {
        if self.report.outcome.is_none() {
            self.settle(Outcome::of(failure.code, false), None);
            self.report.failure = Some(failure.clone());
        }
    }

    /// A request refused at the front door: outcome `rejected` with its error code.
    pub fn reject(&mut self, code: &'static str) {
        self.refuse(Outcome::Rejected, code);
    }

    /// As [`Record::reject`], for refusals that are no mistake of the caller's.
    pub fn refuse(&mut self, outcome: Outcome, code: &'static str) {
        if self.report.outcome.is_none() {
            self.settle(outcome, None);
            self.report.rejection = Some(code);
        }
    }

    fn close(&mut self) {
        if self.closed {
            return;
        }
        self.closed = true;
        self.rejoin();
        let word = self.fate.as_ref().and_then(|f| f.word());
        let ended_from_outside = word.is_some();
        let mut told = None;
        match word {
            Some(Word::Failed(f, tell)) => {
                self.fail(&f);
                told = Some((f, tell));
            }
            Some(Word::Cancelled(reason)) => self.settle(Outcome::Cancelled, Some(reason)),
            None => {}
        }
        if std::thread::panicking() {
            self.fail(&Failure::new(Code::Internal, "internal error"));
            self.head_sent(StatusCode::INTERNAL_SERVER_ERROR);
        }
        self.settle(Outcome::Cancelled, Some(Reason::Gone));
        let refused = match self.report.outcome {
            Some(Outcome::DeadlineExceeded) => "deadline",
            Some(Outcome::Shutdown) => "shutdown",
            _ => "cancelled",
        };
        self.queue_left(Some(refused));
        self.backoff_ended(true);
        self.attempt_ended(told.as_ref().map(|(f, _)| &**f), None);
        if self.report.status.is_none() && self.report.outcome == Some(Outcome::Cancelled) {
            self.report.status = Some(499);
        }
        self.report.elapsed = self.report.started.elapsed();
        if let Some(fate) = self.fate.take().filter(|_| ended_from_outside) {
            let words = told.and_then(|(f, tell)| tell(&f, &self.report));
            self.delivered(words.as_ref().map_or(0, Bytes::len));
            fate.leave(&self.report, words);
        }
        self.tell(&Event::Finished);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // a second panic while unwinding would abort the process
        let _ = catch_unwind(AssertUnwindSafe(|| self.close()));
    }
}

/// How many other targets were tried.
fn others(attempts: &[AttemptReport], served_by: &Arc<str>) -> usize {
    let mut seen: Vec<&Arc<str>> = Vec::new();
    for target in attempts.iter().map(|a| &a.target) {
        if target != served_by && !seen.contains(&target) {
            seen.push(target);
        }
    }
    seen.len()
}
