//! The memory that request bodies, and events held back before a commit, may take together.
//!
//! It is taken in steps of 64 KiB as bytes arrive, not by what a caller declares: a declared length costs
//! the caller nothing. A share travels with the bytes it stands for and returns when the last handle to
//! them is dropped, so it follows the body through retries and ends at the commit without being told.

use bytes::Bytes;
use punctual_core::Room;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// What is taken at a time, in bytes.
const STEP: usize = 64 << 10;

/// Bytes in use.
#[derive(Debug, Default)]
pub(crate) struct Memory(AtomicUsize);

/// There is no room for another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// A part of the memory, given back on drop.
#[derive(Debug)]
pub(crate) struct Share {
    of: Arc<Memory>,
    taken: usize,
}

impl Memory {
    pub(crate) fn used(&self) -> usize {
        self.0.load(Relaxed)
    }

    fn take(&self, more: usize, limit: usize) -> Result<(), Full> {
        let sum = |used: usize| used.checked_add(more).filter(|sum| *sum <= limit);
        let taken = self.0.fetch_update(Relaxed, Relaxed, sum);
        taken.map(|_| ()).map_err(|_| Full)
    }

    pub(crate) fn share(self: &Arc<Self>) -> Share {
        Share {
            of: self.clone(),
            taken: 0,
        }
    }
}

/// What the engine may hold back before a commit, out of the same memory.
#[derive(Debug)]
pub(crate) struct Held {
    of: Arc<Memory>,
    limit: usize,
}

impl Held {
    pub(crate) fn new(of: Arc<Memory>, limit: usize) -> Arc<Self> {
        Arc::new(Self { of, limit })
    }
}

impl Room for Held {
    fn take(&self, bytes: usize) -> bool {
        self.of.take(bytes, self.limit).is_ok()
    }

    fn give(&self, bytes: usize) {
        self.of.0.fetch_sub(bytes, Relaxed);
    }
}

impl Share {
    /// Grows the share to cover `bytes` out of `limit`.
    pub(crate) fn cover(&mut self, bytes: usize, limit: usize) -> Result<(), Full> {
        let Some(needed) = bytes.checked_next_multiple_of(STEP) else {
            return Err(Full);
        };
        let more = needed.saturating_sub(self.taken);
        if more == 0 {
            return Ok(());
        }
        self.of.take(more, limit)?;
        self.taken += more;
        Ok(())
    }

    /// Ties the share to the bytes it stands for.
    pub(crate) fn hold(self, bytes: Bytes) -> Bytes {
        struct Tied(
            Bytes,
            #[expect(dead_code, reason = "given back on drop")] Share,
        );
        impl AsRef<[u8]> for Tied {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        Bytes::from_owner(Tied(bytes, self))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.of.0.fetch_sub(self.taken, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_in_steps_and_returns_with_the_last_handle() {
        let memory = Arc::new(Memory::default());
        let mut share = memory.share();
        share.cover(1, 2 * STEP).unwrap();
        assert_eq!(memory.used(), STEP);
        share.cover(STEP + 1, 2 * STEP).unwrap();
        assert_eq!(memory.used(), 2 * STEP);
        assert_eq!(share.cover(2 * STEP + 1, 2 * STEP), Err(Full));
        assert_eq!(share.cover(usize::MAX, usize::MAX), Err(Full));
        let bytes = share.hold(Bytes::from_static(b"{}"));
        let part = bytes.slice(1..);
        drop(bytes);
        assert_eq!((memory.used(), &part[..]), (2 * STEP, &b"}"[..]));
        drop(part);
        assert_eq!(memory.used(), 0);
    }
}
