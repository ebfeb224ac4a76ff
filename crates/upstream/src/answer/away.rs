//! A stream whose next piece takes long to make, while it is made.
//!
//! Reader and writer of a stream know what came before, so they go along. Nothing is read of the upstream
//! meanwhile, and whoever drops this drops them too once they are done.

use super::{Reader, events::Events};
use crate::aside::Doing;
use punctual_core::{Failure, Piece, Summary};
use std::task::{Context, Poll};

/// The events of a stream, away.
pub(super) struct Away {
    doing: Doing<Back>,
    /// What the stream had told before.
    pub(super) summary: Summary,
}

/// The events, and what they brought.
type Back = (Box<Events>, Option<Piece>);

impl Away {
    pub(super) fn new(mut events: Box<Events>, reader: &Reader) -> Self {
        let (summary, its) = (events.summary(), reader.clone());
        let read = move || {
            let piece = events.long(&its);
            (events, piece)
        };
        let doing = reader.target.aside.run(read);
        Self { doing, summary }
    }

    /// The events once they are back.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Back, Box<Failure>>> {
        self.doing.as_mut().poll(cx)
    }
}
