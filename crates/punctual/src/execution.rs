//! When the run that this process belongs to must have ended.
//!
//! A serverless run, a batch job or a tool call of an agent has a hard end: what is in the middle of a call
//! then is killed with it, result and log lost. An [`Execution`] is that end. It has three sources (the
//! process, a scope, one call), of which the earliest wins and none can lengthen another; every call is
//! clamped to it, attempt by attempt, and none begins that could not do anything useful any more.
//!
//! Only a monotonic instant is kept, so that a wall clock that is set changes nothing.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};
use tokio::time::Instant;

mod env;

/// No attempt begins with less than this left (contract: strictly under).
const FLOOR: Duration = Duration::from_secs(5);

static PROCESS: Mutex<Option<Execution>> = Mutex::new(None);

tokio::task_local! {
    static SCOPE: Execution;
}

/// The end of a run.
///
/// ```
/// use punctual::Execution;
/// use std::time::Duration;
///
/// Execution::within(Duration::from_secs(840)).set();
/// assert!(Execution::remaining().is_some_and(|left| left <= Duration::from_secs(840)));
/// Execution::clear();
/// assert_eq!(Execution::remaining(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    ends: Instant,
    floor: Duration,
}

impl Execution {
    /// A run that ends at `ends`.
    #[must_use]
    pub const fn at(ends: Instant) -> Self {
        Self { ends, floor: FLOOR }
    }

    /// A run that ends in `length` from now. What is beyond the clock ends in a century.
    #[must_use]
    pub fn within(length: Duration) -> Self {
        const CENTURY: Duration = Duration::from_secs(36_525 * 86_400);
        let now = Instant::now();
        let ends = now.checked_add(length.min(CENTURY));
        Self::at(ends.unwrap_or(now))
    }

    /// A run that ends in so many seconds from now, as it stands in some setting.
    ///
    /// # Errors
    /// For what is no number, infinite or negative.
    pub fn within_secs(seconds: f64) -> Result<Self, BadExecution> {
        let length = Duration::try_from_secs_f64(seconds);
        let bad = |_| BadExecution::new("seconds", seconds.to_string(), "give seconds, 0 or more");
        length.map(Self::within).map_err(bad)
    }

    /// A run that ends at this time of the wall clock; one in the past has ended.
    #[must_use]
    pub fn at_time(ends: SystemTime) -> Self {
        let left = ends.duration_since(SystemTime::now());
        Self::within(left.unwrap_or_default())
    }

    /// No attempt begins with less than this left; 5 s unless set. With less there is nothing useful to ask
    /// a model for, and the time is better spent on ending well.
    #[must_use]
    pub const fn floor(mut self, floor: Duration) -> Self {
        self.floor = floor;
        self
    }

    /// When it ends.
    #[must_use]
    pub const fn ends(&self) -> Instant {
        self.ends
    }

    /// Time left of this run; never negative.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    pub(crate) const fn least(&self) -> Duration {
        self.floor
    }

    /// Sets the end of the whole process: every call on every thread, task and runtime is clamped to it from
    /// now on. An end that was set before and is earlier stays; [`clear`](Self::clear) forgets it.
    pub fn set(self) {
        let mut process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        *process = Some(process.map_or(self, |old| old.earlier(self)));
    }

    /// Forgets the end of the process. Scopes and calls keep theirs.
    pub fn clear() {
        *PROCESS.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What binds here: the earlier of the process's end and of the scope's.
    #[must_use]
    pub fn current() -> Option<Self> {
        let process = *PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let scope = SCOPE.try_with(|run| *run).ok();
        match (process, scope) {
            (Some(process), Some(scope)) => Some(process.earlier(scope)),
            (one, other) => one.or(other),
        }
    }

    /// Time left here; `None` when nothing binds.
    #[must_use]
    pub fn remaining() -> Option<Duration> {
        Self::current().map(|run| run.left())
    }

    /// Runs `work` with this end, where several runs share a process. It reaches what `work` itself awaits.
    /// A task that is spawned in it stands outside: give it `Execution::current()` and a scope of its own.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        SCOPE.scope(self.within_scope(), work).await
    }

    /// The same for blocking work.
    pub fn scope_blocking<T>(self, work: impl FnOnce() -> T) -> T {
        SCOPE.sync_scope(self.within_scope(), work)
    }

    /// A scope in a scope only tightens.
    fn within_scope(self) -> Self {
        SCOPE.try_with(|run| run.earlier(self)).unwrap_or(self)
    }

    pub(crate) fn earlier(self, other: Self) -> Self {
        match other.ends < self.ends {
            true => other,
            false => self,
        }
    }

    /// The end that the environment tells of, less a reserve for writing results: the earliest of
    ///
    /// - `PUNCTUAL_EXECUTION_DEADLINE_AT`: Unix time in ms;
    /// - `PUNCTUAL_EXECUTION_LIMIT`: a duration such as `15m`, counted from the start of the process;
    /// - `UIPATH_EXECUTION_TIME_LIMIT_SECONDS`: seconds, counted likewise;
    ///
    /// each less `PUNCTUAL_EXECUTION_RESERVE` (10 s unless set). `None` when none of them is set. Nothing is
    /// bound until [`set`](Self::set) is called on the result.
    ///
    /// # Errors
    /// The first variable that cannot be read.
    pub fn from_env() -> Result<Option<Self>, BadExecution> {
        env::read(&|name| std::env::var(name).ok(), env::Now::of_process())
    }
}

impl From<Instant> for Execution {
    fn from(ends: Instant) -> Self {
        Self::at(ends)
    }
}

/// The end of a run that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadExecution {
    field: &'static str,
    value: String,
    fix: &'static str,
}

impl BadExecution {
    fn new(field: &'static str, value: impl Into<String>, fix: &'static str) -> Self {
        let value = value.into();
        Self { field, value, fix }
    }
}

impl fmt::Display for BadExecution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {:?} cannot be read: {}",
            self.field, self.value, self.fix
        )
    }
}

impl std::error::Error for BadExecution {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_earliest_wins_and_nested_ones_only_tighten() {
        let secs = Duration::from_secs;
        let inner = async {
            Execution::within(secs(100))
                .scope(async { Execution::remaining() })
                .await
        };
        let outer = Execution::within(secs(10)).scope(inner).await;
        assert_eq!(outer, Some(secs(10)));
        let tighter = async {
            Execution::within(secs(3))
                .scope(async { Execution::remaining() })
                .await
        };
        assert_eq!(
            Execution::within(secs(10)).scope(tighter).await,
            Some(secs(3))
        );
        let late = Execution::within(secs(1));
        tokio::time::advance(secs(5)).await;
        assert_eq!(late.left(), Duration::ZERO);
    }

    #[test]
    fn what_is_no_time_is_refused_at_the_door() {
        for seconds in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300] {
            assert!(Execution::within_secs(seconds).is_err(), "{seconds}");
        }
        assert!(Execution::within_secs(0.0).is_ok());
        assert!(Execution::within(Duration::MAX).left() > Duration::from_secs(1));
    }
}
