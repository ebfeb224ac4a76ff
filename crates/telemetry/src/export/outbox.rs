//! Encoded items between the requests and the exporter: bounded, never blocking, counting what it drops.
//!
//! An item is appended to the last chunk under a lock held for one copy. A chunk is what one export
//! carries, so the exporter takes whole chunks and nothing is copied twice. The exporter is woken once per
//! full chunk, not per item.

use crate::protobuf;
use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Items of one export.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Each as field 2 of its parent message.
    pub(crate) bytes: Vec<u8>,
    pub(crate) items: usize,
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Kept,
    /// Kept, and with it a chunk is full: the exporter has work.
    Full,
    Dropped,
}

#[derive(Debug, Default)]
struct Waiting {
    chunks: VecDeque<Chunk>,
    items: usize,
    /// The buffer of a chunk that was sent: the next one grows into it without a page fault.
    spare: Vec<u8>,
}

/// Bounded by items.
#[derive(Debug)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    most: usize,
    chunk: usize,
    dropped: AtomicU64,
}

/// `ScopeSpans.spans`.
const FIELD: u64 = 2;

impl Outbox {
    pub(crate) fn new(most: usize, chunk: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            most,
            chunk: chunk.clamp(1, most.max(1)),
            dropped: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an encoded message.
    pub(crate) fn push(&self, message: &[u8]) -> Pushed {
        let mut waiting = self.lock();
        if waiting.items >= self.most {
            drop(waiting);
            self.lost(1);
            return Pushed::Dropped;
        }
        waiting.items += 1;
        if waiting.chunks.back().is_none_or(|c| c.items >= self.chunk) {
            let bytes = std::mem::take(&mut waiting.spare);
            waiting.chunks.push_back(Chunk { bytes, items: 0 });
        }
        let Some(chunk) = waiting.chunks.back_mut() else {
            return Pushed::Dropped;
        };
        protobuf::bytes(&mut chunk.bytes, FIELD, message);
        chunk.items += 1;
        if chunk.items == self.chunk {
            Pushed::Full
        } else {
            Pushed::Kept
        }
    }

    /// The oldest chunk, full or not.
    pub(crate) fn take(&self) -> Option<Chunk> {
        let mut waiting = self.lock();
        let chunk = waiting.chunks.pop_front()?;
        waiting.items -= chunk.items;
        Some(chunk)
    }

    /// Gives back the buffer of a chunk.
    pub(crate) fn recycle(&self, mut bytes: Vec<u8>) {
        bytes.clear();
        self.lock().spare = bytes;
    }

    /// Counts items that will not arrive.
    pub(crate) fn lost(&self, items: u64) {
        self.dropped.fetch_add(items, Relaxed);
    }

    /// Items that did not arrive, since the start.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_dropped_and_counted() {
        let outbox = Outbox::new(3, 2);
        let pushed: Vec<_> = (0..5).map(|_| outbox.push(b"x")).collect();
        use Pushed::{Dropped, Full, Kept};
        assert_eq!(pushed, [Kept, Full, Kept, Dropped, Dropped]);
        assert_eq!(outbox.dropped(), 2);
        let chunk = outbox.take().unwrap();
        assert_eq!(
            (chunk.items, &*chunk.bytes),
            (2, &b"\x12\x01x\x12\x01x"[..])
        );
        assert_eq!(outbox.push(b"y"), Full);
        assert_eq!(outbox.take().map(|c| c.items), Some(2));
        assert!(outbox.take().is_none());
    }
}
