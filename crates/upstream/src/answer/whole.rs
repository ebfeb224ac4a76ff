//! A body being gathered.

use bytes::{Bytes, BytesMut};

/// A body being gathered; one that came in one chunk is not copied.
#[derive(Default)]
pub(super) struct Whole {
    first: Bytes,
    more: BytesMut,
}

impl Whole {
    /// Adds to it and tells its length.
    pub(super) fn push(&mut self, bytes: Bytes, room: usize) -> usize {
        if self.first.is_empty() {
            self.first = bytes;
            return self.first.len();
        }
        if self.more.is_empty() {
            self.more.reserve(room.max(2 * self.first.len()));
            self.more.extend_from_slice(&self.first);
        }
        self.more.extend_from_slice(&bytes);
        self.more.len()
    }

    pub(super) fn finish(self) -> Bytes {
        match self.more.is_empty() {
            true => self.first,
            false => self.more.freeze(),
        }
    }
}
