//! What the outside says of a request whose record is inside a future.
//!
//! While a heartbeat keeps the caller waiting, the plan goes on inside a boxed future that owns the record.
//! The vigil ends it from outside by dropping that future: it leaves its word here first, and the record,
//! closing, takes it and leaves its report behind for the last words to the caller.

use super::{Reason, Report};
use crate::{failure::Failure, upstream::Progress};
use bytes::Bytes;
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU16, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

/// Makes what the caller is told, once the report is complete; `None` tells it nothing.
pub(crate) type Telling = Box<dyn FnOnce(&Failure, &Report) -> Option<Bytes> + Send>;

/// Why a request was ended from outside.
pub(crate) enum Word {
    /// With an error.
    Failed(Box<Failure>, Telling),
    /// Because of the caller.
    Cancelled(Reason),
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure, _) => f.debug_tuple("Failed").field(failure).finish(),
            Self::Cancelled(reason) => f.debug_tuple("Cancelled").field(reason).finish(),
        }
    }
}

/// Shared between a record and whoever may end its future.
#[derive(Debug, Default)]
pub struct Fate {
    status: AtomicU16,
    heartbeats: AtomicU64,
    word: Mutex<Option<Word>>,
    /// Of the attempt that runs.
    progress: Mutex<Weak<Progress>>,
    left: Mutex<Option<(Box<Report>, Option<Bytes>)>>,
}

impl Fate {
    /// The status line was written while the record was out of reach.
    pub fn head_sent(&self, status: http::StatusCode) {
        self.status.store(status.as_u16(), Relaxed);
    }

    /// Says that `failure` is the last word, and what the caller is told of it. To be followed by dropping the
    /// future that owns the record, which leaves both behind for [`left`](Self::left).
    pub fn end(
        &self,
        failure: Box<Failure>,
        tell: impl FnOnce(&Failure, &Report) -> Bytes + Send + 'static,
    ) {
        let tell: Telling = Box::new(move |failure, report| Some(tell(failure, report)));
        self.say(Word::Failed(failure, tell));
    }

    pub(crate) fn heartbeat(&self) {
        self.heartbeats.fetch_add(1, Relaxed);
    }

    pub(super) fn runs(&self, progress: &Arc<Progress>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(progress);
    }

    /// For so long, until now, the future that owns the record was not polled, because the caller took
    /// nothing.
    pub(crate) fn unasked(&self, gap: Duration) {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(progress) = progress.upgrade() {
            progress.unasked(gap);
        }
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

    /// What the record left behind when it closed with the word said here: its report, and what the caller is
    /// told.
    #[must_use]
    pub fn left(&self) -> Option<(Box<Report>, Option<Bytes>)> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.take()
    }
}
