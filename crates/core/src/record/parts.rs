//! The siblings below a request's span: waits in lanes, attempts, pauses.

use crate::{
    clock::Clock,
    failure::{Code, Failure, Sent},
    trace::SpanId,
    upstream::{Progress, Summary, Usage},
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// One wait for a permit: the span `queue.wait`, exactly one per admission, also when it took no time.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct QueueReport {
    pub span: SpanId,
    pub started: Instant,
    pub ended: Instant,
    /// The attempt it was for; 1 is the first.
    pub attempt: u32,
    pub target: Arc<str>,
    pub admitted: bool,
    /// Why not: `deadline`, `cancelled`, `timeout`, `shutdown`, `full`, `would_expire`.
    pub refused: Option<&'static str>,
    /// The wait predicted when it joined, where enough recent requests are known.
    pub predicted: Option<Duration>,
}

impl QueueReport {
    pub(crate) fn open(attempt: u32, target: Arc<str>) -> Self {
        let now = Instant::now();
        Self {
            span: SpanId::mint(),
            started: now,
            ended: now,
            attempt,
            target,
            admitted: false,
            refused: None,
            predicted: None,
        }
    }

    pub(crate) fn close(&mut self, refused: Option<&'static str>) {
        self.ended = Instant::now();
        self.admitted = refused.is_none();
        self.refused = refused;
    }

    /// How long it took.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.ended.saturating_duration_since(self.started)
    }
}

/// One exchange with one target: the spans `resilience.attempt` and `upstream.*`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AttemptReport {
    pub span: SpanId,
    pub upstream_span: SpanId,
    /// 1 for the first attempt of the request.
    pub number: u32,
    pub target: Arc<str>,
    pub started: Instant,
    pub ended: Instant,
    /// What failed; `None` for a success and for an attempt cut off by the request's own end.
    pub failed: Option<Code>,
    /// True when the upstream's answer was read to its end.
    pub completed: bool,
    pub message: Option<String>,
    pub timeout: Option<(Clock, Duration)>,
    /// The status the upstream gave.
    pub status: Option<u16>,
    pub sent: Sent,
    /// How often the provider may have got the request: more than once when a pooled connection died with
    /// it.
    pub sends: u32,
    pub reused_connection: bool,
    /// Dispatch to connection, head, first content.
    pub connect: Option<Duration>,
    pub tls: Option<Duration>,
    pub headers: Option<Duration>,
    pub first_content: Option<Duration>,
    pub request_id: Option<Arc<str>>,
    pub retry_after: Option<Duration>,
    pub retry_budget_empty: bool,
    pub usage: Usage,
    pub finish: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub content_events: u64,
}

impl AttemptReport {
    pub(crate) fn open(number: u32, target: Arc<str>, started: Instant) -> Self {
        Self {
            span: SpanId::mint(),
            upstream_span: SpanId::mint(),
            number,
            target,
            started,
            ended: started,
            failed: None,
            completed: false,
            message: None,
            timeout: None,
            status: None,
            sent: Sent::No,
            sends: 0,
            reused_connection: false,
            connect: None,
            tls: None,
            headers: None,
            first_content: None,
            request_id: None,
            retry_after: None,
            retry_budget_empty: false,
            usage: Usage::default(),
            finish: None,
            model: None,
            content_events: 0,
        }
    }

    pub(crate) fn close(
        &mut self,
        progress: Option<&Progress>,
        failure: Option<&Failure>,
        summary: Option<&Summary>,
    ) {
        self.ended = Instant::now();
        self.completed = failure.is_none() && summary.is_some();
        if let Some(p) = progress {
            self.sent = p.sent();
            self.sends = p.sends();
            self.reused_connection = p.reused();
            self.first_content = self.first_content.or(p.first_content_time());
            (self.connect, self.tls, self.headers) =
                (p.connect_time(), p.tls_time(), p.headers_time());
        }
        if let Some(f) = failure {
            self.failed = Some(f.code);
            self.message = Some(f.message.clone());
            self.timeout = f.limit.map(|l| (l.clock, l.limit));
            self.sent = self.sent.max(f.sent);
            // that of the head, where there was one: an error inside the answer may name another
            self.status = self.status.or(f.status.map(|s| s.as_u16()));
            self.request_id = self.request_id.take().or_else(|| f.request_id());
            self.retry_after = f.retry_after;
        }
        self.sends = self.sends.max(u32::from(self.sent > Sent::No));
        if let Some(s) = summary {
            self.usage = s.usage;
            self.finish.clone_from(&s.finish);
            self.model.clone_from(&s.model);
            self.content_events = s.content_events;
        }
    }

    /// How long it took.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.ended.saturating_duration_since(self.started)
    }
}

/// One pause before a retry: the span `resilience.backoff`. No permit is held in it.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct BackoffReport {
    pub span: SpanId,
    pub started: Instant,
    pub ended: Instant,
    /// The target waited for.
    pub target: Option<Arc<str>>,
    /// Whether the wait was for a cooling target instead of a retry.
    pub cooldown: bool,
    /// Whether the request's end cut it short.
    pub cut: bool,
}

impl BackoffReport {
    pub(crate) fn open(target: Option<Arc<str>>, cooldown: bool) -> Self {
        let now = Instant::now();
        Self {
            span: SpanId::mint(),
            started: now,
            ended: now,
            target,
            cooldown,
            cut: false,
        }
    }

    pub(crate) fn close(&mut self, cut: bool) {
        self.ended = Instant::now();
        self.cut = cut;
    }

    /// How long it took.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.ended.saturating_duration_since(self.started)
    }
}
