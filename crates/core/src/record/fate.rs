//! What the outside says of a request whose record is inside a future.
//!
//! While a heartbeat keeps the caller waiting, the plan goes on inside a boxed future that owns the record.
//! The vigil ends it from outside by dropping that future: it leaves its word here first, and the record,
//! closing, takes it and leaves its report behind for the last words to the caller.

use super::{Reason, Report};
use crate::{failure::Failure, relay::Voice};
use bytes::Bytes;
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU16, AtomicU64, Ordering::Relaxed},
};

/// Why a request was ended from outside.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    /// With an error.
    Failed(Box<Failure>),
    /// With an error that is one event to the caller.
    Told(Box<Failure>, Arc<dyn Voice>),
    /// Because of the caller.
    Cancelled(Reason),
}

/// Shared between a record and whoever may end its future.
#[derive(Debug, Default)]
pub struct Fate {
    status: AtomicU16,
    heartbeats: AtomicU64,
    word: Mutex<Option<Word>>,
    left: Mutex<Option<(Box<Report>, Option<Bytes>)>>,
}

impl Fate {
    /// The status line was written while the record was out of reach.
    pub fn head_sent(&self, status: http::StatusCode) {
        self.status.store(status.as_u16(), Relaxed);
    }

    /// Says that `failure` is the last word. To be followed by dropping the future that owns the record.
    pub fn end(&self, failure: Box<Failure>) {
        self.say(Word::Failed(failure));
    }

    pub(crate) fn heartbeat(&self) {
        self.heartbeats.fetch_add(1, Relaxed);
    }

    pub(crate) fn say(&self, word: Word) {
        self.word
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(word);
    }

    pub(crate) fn word(&self) -> Option<Word> {
        self.word
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    pub(super) fn status(&self) -> Option<u16> {
        Some(self.status.load(Relaxed)).filter(|s| *s != 0)
    }

    pub(super) fn take_heartbeats(&self) -> u64 {
        self.heartbeats.swap(0, Relaxed)
    }

    pub(super) fn leave(&self, report: &Report, event: Option<Bytes>) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Box::new(report.clone()), event));
    }

    /// What the record left behind when it closed with the word said here.
    #[must_use]
    pub fn report(&self) -> Option<Box<Report>> {
        self.left().map(|(report, _)| report)
    }

    /// The same, with the event in which the caller is told.
    pub(crate) fn left(&self) -> Option<(Box<Report>, Option<Bytes>)> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.take()
    }
}
