//! What a proof stands on: one at a time, a runtime, a canary, a bound.

use crate::{
    support::{canary::Canary, run},
    tally::SLACK,
};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

static ALONE: Mutex<()> = Mutex::new(());

/// Runs a proof while no other of this binary runs: they measure milliseconds.
pub fn alone<F: Future>(proof: impl FnOnce() -> F) -> F::Output {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    run(proof())
}

/// Bounds of one run.
pub struct Ground {
    canary: Canary,
}

impl Ground {
    pub fn new() -> Self {
        Self {
            canary: Canary::start(),
        }
    }

    /// What is allowed beyond a figure, once: 50 ms and the most that a bare timer was late by.
    pub fn slack(&self) -> Duration {
        SLACK + self.canary.worst()
    }

    /// The 99th percentile by which a bare timer was late.
    pub fn late(&self) -> Duration {
        self.canary.p99()
    }

    /// Fails when `took` is not between `figure` and `figure` + slack. A timer may be a millisecond early, and the
    /// wall clock, by which an absolute deadline is told, is set by a few now and then.
    pub fn at(&self, what: &str, took: Duration, figure: Duration) {
        let most = figure + self.slack();
        let least = figure.saturating_sub(Duration::from_millis(5));
        assert!(
            took >= least && took <= most,
            "{what}: took {took:?}, expected {figure:?} to {most:?}"
        );
    }

    /// Fails when `took` is over `figure` + slack.
    pub fn within(&self, what: &str, took: Duration, figure: Duration) {
        let most = figure + self.slack();
        assert!(
            took <= most,
            "{what}: took {took:?}, expected at most {most:?}"
        );
    }

    /// Fails when a 99th percentile is over `figure` + 50 ms + that of a bare timer.
    pub fn mostly(&self, what: &str, p99: Duration, figure: Duration) {
        let most = figure + SLACK + self.late();
        assert!(p99 <= most, "{what}: {p99:?}, expected at most {most:?}");
    }
}
