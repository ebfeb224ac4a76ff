//! The one clock of a request.
//!
//! It is made when the request head has been parsed and can only be tightened: by the server, the route,
//! the key and what the caller declared, each as soon as it is known. Whoever set the earliest limit is
//! remembered with it. Lanes rank by what operators set, never by what a caller declared, so both are kept.

use crate::clock::reached;
use std::time::Duration;
use tokio::time::Instant;

/// Who set a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The server's `request_deadline`.
    Server,
    /// The route's `deadline`.
    Route,
    /// The ceiling of the caller's API key.
    Key,
    /// A header in which the caller declared a deadline.
    Header(&'static str),
    /// A header that an SDK sends by itself.
    Sdk(&'static str),
    /// A limit that a program gave its call.
    Call,
    /// The end of the run that the process belongs to.
    Execution,
}

/// The class of a [`Source`], for spans and metric labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceClass {
    /// The caller asked for it.
    Explicit,
    /// An SDK's default.
    Sdk,
    /// Server, route or key.
    Operator,
    /// The run's end.
    Execution,
}

impl Source {
    /// `server`, `route`, `key`, `header`, `call` or `execution`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Route => "route",
            Self::Key => "key",
            Self::Header(_) | Self::Sdk(_) => "header",
            Self::Call => "call",
            Self::Execution => "execution",
        }
    }

    /// The header that declared it, if one did.
    #[must_use]
    pub const fn header(self) -> Option<&'static str> {
        match self {
            Self::Header(name) | Self::Sdk(name) => Some(name),
            _ => None,
        }
    }

    /// The class it is reported under.
    #[must_use]
    pub const fn class(self) -> SourceClass {
        match self {
            Self::Header(_) | Self::Call => SourceClass::Explicit,
            Self::Sdk(_) => SourceClass::Sdk,
            Self::Server | Self::Route | Self::Key => SourceClass::Operator,
            Self::Execution => SourceClass::Execution,
        }
    }
}

impl SourceClass {
    /// `explicit`, `sdk`, `operator` or `execution`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Sdk => "sdk",
            Self::Operator => "operator",
            Self::Execution => "execution",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    at: Instant,
    budget: Duration,
    source: Source,
}

/// When a request must have ended, and who said so.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    started: Instant,
    total: Option<Bound>,
    operator: Option<Instant>,
    before_content: Option<Bound>,
}

impl Deadline {
    /// No limit yet; the clock starts at `started`.
    #[must_use]
    pub const fn starting(started: Instant) -> Self {
        Self {
            started,
            total: None,
            operator: None,
            before_content: None,
        }
    }

    /// When the clock started.
    #[must_use]
    pub const fn started(&self) -> Instant {
        self.started
    }

    /// Takes `budget` (from the start) if it is earlier than what is known. A budget too large for the
    /// platform's clock is no limit.
    pub fn tighten(&mut self, budget: Duration, source: Source) {
        let Some(at) = self.started.checked_add(budget) else {
            return;
        };
        if source.class() != SourceClass::Explicit && source.class() != SourceClass::Sdk {
            self.operator = Some(self.operator.map_or(at, |old| old.min(at)));
        }
        if self.total.is_none_or(|old| at < old.at) {
            self.total = Some(Bound { at, budget, source });
        }
    }

    /// As [`Deadline::tighten`], but binding only until the first content.
    pub fn tighten_first_content(&mut self, budget: Duration, source: Source) {
        let Some(at) = self.started.checked_add(budget) else {
            return;
        };
        if self.before_content.is_none_or(|old| at < old.at) {
            self.before_content = Some(Bound { at, budget, source });
        }
    }

    /// Lifts what binds only until the first content; called at commit.
    pub fn content_arrived(&mut self) {
        self.before_content = None;
    }

    fn bound(&self) -> Option<Bound> {
        match (self.total, self.before_content) {
            (Some(total), Some(first)) if first.at < total.at => Some(first),
            (total, first) => total.or(first),
        }
    }

    /// The limit of the whole request.
    pub(crate) fn total_at(&self) -> Option<Instant> {
        self.total.map(|b| b.at)
    }

    /// The limit up to the first content.
    pub(crate) fn before_content_at(&self) -> Option<Instant> {
        self.before_content.map(|b| b.at)
    }

    /// Time left of the whole request; what binds only up to the first content does not count.
    #[must_use]
    pub fn total_left(&self) -> Option<Duration> {
        let left = |at: Instant| at.saturating_duration_since(Instant::now());
        self.total_at().map(left)
    }

    /// The instant at which the request ends, if it has one.
    #[must_use]
    pub fn at(&self) -> Option<Instant> {
        self.bound().map(|b| b.at)
    }

    /// The earliest limit's length from the start.
    #[must_use]
    pub fn budget(&self) -> Option<Duration> {
        self.bound().map(|b| b.budget)
    }

    /// Who set the earliest limit.
    #[must_use]
    pub fn source(&self) -> Option<Source> {
        self.bound().map(|b| b.source)
    }

    /// Time left; `None` when there is no deadline, zero when it has passed.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.at()
            .map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn spent(&self) -> bool {
        self.at().is_some_and(reached)
    }

    /// What lanes may rank by: the earliest limit an operator set.
    #[must_use]
    pub const fn operator(&self) -> Option<Instant> {
        self.operator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_limit_can_only_be_tightened() {
        let mut d = Deadline::starting(Instant::now());
        assert_eq!(d.left(), None);
        d.tighten(Duration::from_secs(10), Source::Server);
        d.tighten(
            Duration::from_secs(20),
            Source::Header("x-request-deadline-ms"),
        );
        assert_eq!(
            (d.left(), d.source()),
            (Some(Duration::from_secs(10)), Some(Source::Server))
        );
        d.tighten(
            Duration::from_secs(2),
            Source::Header("x-request-deadline-ms"),
        );
        assert_eq!(d.source(), Some(Source::Header("x-request-deadline-ms")));
        assert_eq!(d.operator(), Some(d.started() + Duration::from_secs(10)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_first_content_limit_binds_until_content_only() {
        let mut d = Deadline::starting(Instant::now());
        d.tighten(Duration::from_secs(10), Source::Server);
        d.tighten_first_content(
            Duration::from_secs(1),
            Source::Header("x-litellm-stream-timeout"),
        );
        assert_eq!(d.left(), Some(Duration::from_secs(1)));
        d.content_arrived();
        assert_eq!(d.left(), Some(Duration::from_secs(10)));
    }

    #[test]
    fn a_budget_beyond_the_clock_is_no_limit() {
        let mut d = Deadline::starting(Instant::now());
        d.tighten(Duration::MAX, Source::Server);
        assert_eq!(d.at(), None);
    }
}
