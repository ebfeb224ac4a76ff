//! Memory that all requests of a process share.
//!
//! The engine holds bytes back before a commit; how many of them the process may hold is not the engine's
//! to know. Whoever runs it lends [`Room`], and what is taken returns when the [`Lease`] is dropped.

use std::sync::Arc;

/// Taken at a time, in bytes.
const STEP: usize = 64 << 10;
/// What is held without asking: nearly every preamble is smaller.
const FREE: usize = 4 << 10;

/// Bytes to lend. Must not block.
pub trait Room: Send + Sync + std::fmt::Debug {
    /// Takes `bytes`; false when there are not so many.
    fn take(&self, bytes: usize) -> bool;
    /// Gives `bytes` back.
    fn give(&self, bytes: usize);
}

/// What one stream has taken; given back on drop.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    room: Option<Arc<dyn Room>>,
    taken: usize,
}

impl Lease {
    pub(crate) fn of(room: Option<&Arc<dyn Room>>) -> Self {
        Self {
            room: room.cloned(),
            taken: 0,
        }
    }

    /// Grows to cover `bytes`; false when there is no room for that.
    pub(crate) fn cover(&mut self, bytes: usize) -> bool {
        let Some(room) = &self.room else { return true };
        if bytes <= FREE.max(self.taken) {
            return true;
        }
        let more = bytes.next_multiple_of(STEP) - self.taken;
        let taken = room.take(more);
        if taken {
            self.taken += more;
        }
        taken
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(room) = self.room.take().filter(|_| self.taken > 0) {
            room.give(self.taken);
        }
    }
}
