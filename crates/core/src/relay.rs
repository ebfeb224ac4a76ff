//! The body of a response: everything about a request that must end with it, in one shared cell.
//!
//! The HTTP server holds one handle and polls it while the caller reads; the connection's
//! [`Vigil`](crate::Vigil) holds a weak one and ends it at the deadline, when the caller has stalled, or at
//! shutdown, also when nobody polls. The cell goes through stages: the plan may still be running
//! (`Opening`, behind heartbeats), then it relays (`Live`), then it says its last words, then it is done.
//! Leaving a stage drops what was in it: upstream, permit, record.
//!
//! The cell is a std mutex, never held across an await; what is dropped is dropped after unlocking.

use crate::{
    execute::{Answer, Open, Opening},
    failure::Failure,
    record::{Fate, Record, Report},
    upstream::Pieces,
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::time::Instant;

mod beat;
mod cell;
mod expire;
mod live;
use beat::Beat;
use live::Stream;

/// Reads the number of the last event in whole events of a stream; `None` if none of them has one.
pub type Numbers = fn(&[u8]) -> Option<u64>;

/// What the relay says in the caller's own dialect.
pub trait Voice: Send + Sync + 'static {
    /// The one event that ends a stream after its head was sent; `None` where bytes are passed through whose
    /// form is not known: then the body breaks off, so that nobody takes it for complete. `last` is the number
    /// of the last event that the caller was given, of a dialect that [numbers](Self::numbers) them.
    fn error_event(&self, failure: &Failure, report: &Report, last: Option<u64>) -> Option<Bytes>;
    /// How to read the number of the last event in some bytes; `None` for a dialect that numbers none, whose
    /// streams then pay nothing for it.
    fn numbers(&self) -> Option<Numbers> {
        None
    }
    /// Keeps a silent connection alive; must not dispatch an event.
    fn heartbeat(&self) -> Bytes;
    /// The end marker that a complete stream of this dialect has.
    fn done(&self) -> Option<Bytes>;
}

impl std::fmt::Debug for dyn Voice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Voice")
    }
}

pub(crate) enum Stage<P: Pieces> {
    /// The plan is still running; the head was sent with the first heartbeat.
    Opening {
        opening: Opening<P>,
        fate: Arc<Fate>,
        first: bool,
    },
    /// Relaying.
    Live(Box<Stream<P>>),
    /// Bytes that end the body, and whether they are a complete answer.
    Last(Bytes, bool),
    /// The body breaks off; the flag says that what was given before has had a turn to be written, which a
    /// server may not do once it has heard of the end.
    Cut(bool),
    /// Nothing more.
    Done,
}

pub(crate) struct Cell<P: Pieces> {
    stage: Stage<P>,
    record: Option<Record>,
    voice: Option<Arc<dyn Voice>>,
    numbers: Option<Numbers>,
    /// The number of the last event that was handed over.
    number: Option<u64>,
    beat: Beat,
    waker: Option<Waker>,
    /// Since when the head or a frame has been with the server and it has not come back for more: the
    /// caller's stall.
    handed_at: Option<Instant>,
    opened_at: Instant,
    stall: Option<Duration>,
    ends_at: Option<Instant>,
    expired_at: Option<Instant>,
}

/// A body that breaks off because there is no other way to say that it is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenOff;

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the answer could not be completed")
    }
}

impl std::error::Error for BrokenOff {}

/// The body of a response.
pub struct Relay<P: Pieces>(Arc<Mutex<Cell<P>>>);

impl<P: Pieces> std::fmt::Debug for Relay<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").finish_non_exhaustive()
    }
}

/// How a stream is kept alive and when its caller counts as gone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Interval of heartbeats; `None` is off.
    pub heartbeat: Option<Duration>,
    /// A caller that takes nothing for this long is gone.
    pub stall: Option<Duration>,
}

impl<P: Pieces> Relay<P> {
    fn cell(
        stage: Stage<P>,
        record: Option<Record>,
        voice: Option<Arc<dyn Voice>>,
        pace: Pace,
    ) -> Self {
        let ends_at = record.as_ref().and_then(|r| r.report().deadline.at());
        let now = Instant::now();
        Self(Arc::new(Mutex::new(Cell {
            stage,
            record,
            numbers: voice.as_ref().and_then(|voice| voice.numbers()),
            number: None,
            voice,
            beat: Beat::new(pace.heartbeat, now),
            waker: None,
            opened_at: now,
            handed_at: Some(now),
            stall: pace.stall,
            ends_at,
            expired_at: None,
        })))
    }

    /// A body known whole: an answer when the record has no outcome yet, else an error.
    #[must_use]
    pub fn whole(bytes: Bytes, record: Record) -> Self {
        Self::cell(
            Stage::Last(bytes, true),
            Some(record),
            None,
            Pace::default(),
        )
    }

    /// A body with no record behind it.
    #[must_use]
    pub fn plain(bytes: Bytes) -> Self {
        Self::cell(Stage::Last(bytes, false), None, None, Pace::default())
    }

    /// What [`open`](crate::open) came to, after the head was sent with its status.
    #[must_use]
    pub fn answer(open: Open<P>, voice: Arc<dyn Voice>, pace: Pace) -> Self {
        let stage = match open.answer {
            Answer::Whole(bytes) => Stage::Last(bytes, true),
            Answer::Stream(live) => Stage::Live(Box::new(Stream::new(*live))),
        };
        Self::cell(stage, Some(open.record), Some(voice), pace)
    }

    /// The plan still running, at its first heartbeat. `fate` is of the record inside; `ends_at` its
    /// deadline.
    #[must_use]
    pub fn opening(
        opening: Opening<P>,
        fate: Arc<Fate>,
        ends_at: Option<Instant>,
        voice: Arc<dyn Voice>,
        pace: Pace,
    ) -> Self {
        let relay = Self::cell(
            Stage::Opening {
                opening,
                fate,
                first: true,
            },
            None,
            Some(voice),
            pace,
        );
        lock(&relay.0).ends_at = ends_at;
        relay
    }

    /// A caller that does not take even this for so long is gone; only the connection's vigil sees to it.
    #[must_use]
    pub fn with_stall(self, stall: Option<Duration>) -> Self {
        lock(&self.0).stall = stall;
        self
    }

    /// For the connection's vigil.
    #[must_use]
    pub fn watched(&self) -> Weak<dyn crate::vigil::Expire> {
        let weak: Weak<Mutex<Cell<P>>> = Arc::downgrade(&self.0);
        weak
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Pieces> Body for Relay<P> {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let mut debris = Vec::new();
        let frame = {
            let mut cell = lock(&self.0);
            let frame = cell.poll(cx, &mut debris);
            if matches!(frame, Poll::Ready(Some(_))) {
                cell.handed_at = Some(Instant::now());
            }
            frame
        };
        drop(debris);
        frame.map(|f| f.map(|bytes| bytes.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&lock(&self.0).stage, Stage::Done)
    }

    fn size_hint(&self) -> SizeHint {
        match &lock(&self.0).stage {
            Stage::Last(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            Stage::Done => SizeHint::with_exact(0),
            _ => SizeHint::default(),
        }
    }
}
