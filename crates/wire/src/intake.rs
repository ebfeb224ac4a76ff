//! What has come of a stream and was not given away yet: the piece that lies below all framings.
//!
//! Chunks wait in the order in which they came. Of the frame that has begun, what was looked at already
//! is held in one piece. A framing says where a frame ends, or how long it is; what must hold for each of
//! them is kept here:
//!
//! - A frame that lies inside one chunk is a slice of it; any other is copied once.
//! - Each byte is shown to the framing once, and every one of them is given away, in order.
//! - At most `limit` bytes are held. Once a frame is longer, all is let go, nothing more is taken, and
//!   that is told once.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

#[cfg(test)]
mod tests;

/// A frame grew beyond the limit. The splitter has let go of everything and gives no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The limit, in bytes of one frame.
    pub limit: usize,
}

/// The chunks of one stream, and the beginning of a frame.
#[derive(Debug)]
pub(crate) struct Intake {
    limit: usize,
    chunks: VecDeque<Bytes>,
    /// The beginning of a frame whose end has not come.
    held: BytesMut,
    closed: bool,
}

impl Intake {
    /// For one stream whose frames have at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            chunks: VecDeque::new(),
            held: BytesMut::new(),
            closed: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if !self.closed && !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next frame of a framing that marks ends; `None` when more bytes are needed.
    ///
    /// `end` is shown bytes and how many came before them in the frame, and says how many of them
    /// belong to it, if it ends in them.
    pub(crate) fn marked(
        &mut self,
        mut end: impl FnMut(&[u8], usize) -> Option<usize>,
    ) -> Option<Result<Bytes, TooLarge>> {
        loop {
            let end = end(self.chunks.front()?, self.held.len());
            let piece = self.piece(end.unwrap_or(usize::MAX))?;
            if self.held.len() + piece.len() > self.limit {
                return Some(Err(self.refuse()));
            }
            if end.is_some() && self.held.is_empty() {
                return Some(Ok(piece));
            }
            self.held.extend_from_slice(&piece);
            if end.is_some() {
                return Some(Ok(self.held.split().freeze()));
            }
        }
    }

    /// The next frame of a framing that counts: `length` bytes; `None` when more are needed. One beyond
    /// the limit is refused before any of it is held.
    pub(crate) fn counted(&mut self, length: usize) -> Option<Result<Bytes, TooLarge>> {
        if self.closed {
            return None;
        }
        if length > self.limit {
            return Some(Err(self.refuse()));
        }
        if self.held.is_empty() && self.chunks.front()?.len() >= length {
            return self.piece(length).map(Ok);
        }
        self.fill(length)?;
        Some(Ok(self.held.split().freeze()))
    }

    /// The first `N` bytes of the next frame, which stay where they are; `None` when more are needed.
    pub(crate) fn first<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.held.is_empty()
            && let Some(first) = self.chunks.front()?.first_chunk()
        {
            return Some(*first);
        }
        self.fill(N)?;
        self.held.first_chunk().copied()
    }

    /// When the stream has ended and no frame is left: the beginning of one.
    pub(crate) fn rest(&mut self) -> Option<Bytes> {
        (!self.held.is_empty()).then(|| self.held.split().freeze())
    }

    /// Bytes of the frame that is not complete yet.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// Lets go of everything and takes no more.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        self.chunks.clear();
        self.held = BytesMut::new();
    }

    fn refuse(&mut self) -> TooLarge {
        self.close();
        TooLarge { limit: self.limit }
    }

    /// Holds as many bytes as there are, up to `length`; `None` if there are fewer.
    fn fill(&mut self, length: usize) -> Option<()> {
        while self.held.len() < length {
            let piece = self.piece(length - self.held.len())?;
            self.held.extend_from_slice(&piece);
        }
        Some(())
    }

    /// At most `most` bytes of the first chunk.
    fn piece(&mut self, most: usize) -> Option<Bytes> {
        let chunk = self.chunks.front_mut()?;
        if most < chunk.len() {
            return Some(chunk.split_to(most));
        }
        self.chunks.pop_front()
    }
}
