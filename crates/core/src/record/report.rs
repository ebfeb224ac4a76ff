//! All that is known of one request.

use super::{AttemptReport, BackoffReport, Outcome, Phase, QueueReport, Reason};
use crate::{call::Surface, deadline::Deadline, failure::Failure, trace::Trace, upstream::Summary};
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::Instant;

/// All that is known of one request. It grows while the request runs and is complete at `Finished`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Report {
    pub id: Arc<str>,
    pub surface: Surface,
    pub route: Option<Arc<str>>,
    pub key: Option<Arc<str>>,
    pub stream: bool,
    pub trace: Trace,
    pub started: Instant,
    /// The wall clock at `started`.
    pub started_at: SystemTime,
    pub deadline: Deadline,
    /// Where it stood when its outcome was settled.
    pub phase: Phase,
    /// Sums; `receive` is from the head to the body's last byte.
    pub receive: Duration,
    pub queue: Duration,
    pub attempt: Duration,
    pub backoff: Duration,
    /// Head to end.
    pub elapsed: Duration,
    pub last_part_ended: Instant,
    pub attempts: Vec<AttemptReport>,
    pub queue_waits: Vec<QueueReport>,
    pub backoffs: Vec<BackoffReport>,
    /// What is going on at this moment.
    pub waiting: Option<QueueReport>,
    pub attempting: Option<AttemptReport>,
    pub backing_off: Option<BackoffReport>,
    /// When the answer was on its way to the caller: with its first content, or for what `committed_by` says.
    pub committed: Option<Instant>,
    /// `content`, `end`, `holdback_full` or `whole`.
    pub committed_by: Option<&'static str>,
    pub served_by: Option<Arc<str>>,
    /// How many other members failed before the one that served.
    pub fallback_index: usize,
    /// The status line the caller was sent; 499 when it left before any.
    pub status: Option<u16>,
    pub delivered_bytes: u64,
    pub heartbeats: u64,
    pub held_back_bytes: u64,
    /// What the answer said about itself.
    pub summary: Summary,
    pub outcome: Option<Outcome>,
    pub reason: Option<Reason>,
    /// The last word, when it was a failure.
    pub failure: Option<Failure>,
    /// The error code of a request refused at the front door.
    pub rejection: Option<&'static str>,
}

impl Report {
    pub(super) fn new(id: Arc<str>, surface: Surface, trace: Trace, deadline: Deadline) -> Self {
        Self {
            id,
            surface,
            route: None,
            key: None,
            stream: false,
            trace,
            started: deadline.started(),
            started_at: SystemTime::now(),
            deadline,
            phase: Phase::Receiving,
            receive: Duration::ZERO,
            queue: Duration::ZERO,
            attempt: Duration::ZERO,
            backoff: Duration::ZERO,
            elapsed: Duration::ZERO,
            last_part_ended: deadline.started(),
            attempts: Vec::new(),
            queue_waits: Vec::new(),
            backoffs: Vec::new(),
            waiting: None,
            attempting: None,
            backing_off: None,
            committed: None,
            committed_by: None,
            served_by: None,
            fallback_index: 0,
            status: None,
            delivered_bytes: 0,
            heartbeats: 0,
            held_back_bytes: 0,
            summary: Summary::default(),
            outcome: None,
            reason: None,
            failure: None,
            rejection: None,
        }
    }

    /// When the first content was on its way to the caller; `None` for what was sent without any.
    #[must_use]
    pub fn first_content(&self) -> Option<Instant> {
        let with_content = matches!(self.committed_by, Some("content" | "whole"));
        self.committed.filter(|_| with_content)
    }

    /// Attempts made so far, the running one included.
    #[must_use]
    pub fn attempt_count(&self) -> u32 {
        let n = self.attempts.len() + usize::from(self.attempting.is_some());
        u32::try_from(n).unwrap_or(u32::MAX)
    }

    /// How often a provider may have done (and billed) work: attempts, and sends within one.
    #[must_use]
    pub fn possibly_billed_attempts(&self) -> usize {
        let sends = self
            .attempts
            .iter()
            .map(|a| u64::from(a.sends))
            .sum::<u64>();
        usize::try_from(sends).unwrap_or(usize::MAX)
    }

    /// The one error code of the request: `error.type` of its span.
    #[must_use]
    pub fn error_type(&self) -> Option<&'static str> {
        match (self.outcome, self.reason) {
            (Some(Outcome::Cancelled), Some(Reason::Stalled)) => Some("client_stalled"),
            (Some(Outcome::Cancelled), _) => Some("client_disconnected"),
            _ => self
                .failure
                .as_ref()
                .map(|f| f.code.as_str())
                .or(self.rejection),
        }
    }

    /// From the end of the last part (receive, queue, attempt, backoff) to the end: writing to the caller.
    #[must_use]
    pub fn send(&self) -> Duration {
        (self.started + self.elapsed).saturating_duration_since(self.last_part_ended)
    }

    /// The wall clock at `at`.
    #[must_use]
    pub fn wall(&self, at: Instant) -> SystemTime {
        self.started_at + at.saturating_duration_since(self.started)
    }
}
