//! AWS event-stream messages (`application/vnd.amazon.eventstream`): where each one ends, and whether
//! it arrived unharmed.
//!
//! A message is a prelude (its length, the length of its headers, a CRC of both), headers, a payload and
//! a CRC of everything, all numbers big-endian
//! (<https://smithy.io/2.0/aws/amazon-eventstream.html>). What must hold:
//!
//! - The same messages for every way of cutting the input; one that lies inside one chunk is a slice of it.
//! - Memory is bounded before it is used: a length beyond the limit is refused when it is read, and is only
//!   believed if the prelude's CRC is right.
//! - After a message that fails a check nothing more is read: where the next one begins is not known.
//!
//! The format is a page, so it is written here: `aws-smithy-eventstream`, the only maintained crate, copies
//! every header, has no bound of its own on a message and brings six more crates of the SDK with it. Its
//! CRC is the common CRC-32 of `crc32fast`, which is in the build for gzip anyway.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::sse::TooLarge;

mod header;
mod message;
#[cfg(test)]
pub(crate) mod tests;

pub use header::Value;
pub use message::{Fault, Message};

/// Lengths and their CRC.
const PRELUDE: usize = 12;
/// A message without headers and payload: the prelude and the CRC of the message.
const LEAST: usize = PRELUDE + 4;

/// Cuts a byte stream into [`Message`]s.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    chunks: VecDeque<Bytes>,
    /// The beginning of a message that did not come in one chunk.
    held: BytesMut,
    /// The length of the message that has begun, once its prelude is there.
    length: Option<usize>,
    over: bool,
}

impl Splitter {
    /// A splitter for one stream that refuses messages over `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            chunks: VecDeque::new(),
            held: BytesMut::new(),
            length: None,
            over: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: Bytes) {
        if !self.over && !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next message; `None` when more bytes are needed. One with a [`Fault`] is the last.
    ///
    /// # Errors
    /// [`TooLarge`], once.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: None means not yet"
    )]
    pub fn next(&mut self) -> Option<Result<Message, TooLarge>> {
        let length = match self.length {
            Some(length) => length,
            None => {
                let prelude = self.prelude()?;
                match message::length(&prelude) {
                    Ok(length) if length > self.limit => {
                        self.give_up();
                        return Some(Err(TooLarge { limit: self.limit }));
                    }
                    Ok(length) => *self.length.insert(length),
                    Err(fault) => {
                        self.give_up();
                        let raw = Bytes::copy_from_slice(&prelude);
                        return Some(Ok(Message::broken(raw, fault)));
                    }
                }
            }
        };
        let raw = self.take(length)?;
        self.length = None;
        let message = Message::whole(raw);
        if message.fault().is_some() {
            self.give_up();
        }
        Some(Ok(message))
    }

    /// At the end of the stream: what is left of a message that was cut short.
    pub fn finish(&mut self) -> Option<Message> {
        if let Some(Ok(message)) = self.next() {
            return Some(message);
        }
        let raw = self.held.split().freeze();
        (!raw.is_empty()).then(|| Message::cut(raw))
    }

    /// Bytes of the message that is not complete yet.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// The next twelve bytes, which stay where they are.
    fn prelude(&mut self) -> Option<[u8; PRELUDE]> {
        if self.held.is_empty()
            && let Some(prelude) = self.chunks.front()?.first_chunk()
        {
            return Some(*prelude);
        }
        self.fill(PRELUDE)?;
        self.held.first_chunk().copied()
    }

    fn take(&mut self, length: usize) -> Option<Bytes> {
        if self.held.is_empty() && self.chunks.front()?.len() >= length {
            return self.piece(length);
        }
        self.fill(length)?;
        Some(self.held.split().freeze())
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
        let piece = chunk.split_to(most.min(chunk.len()));
        if chunk.is_empty() {
            self.chunks.pop_front();
        }
        Some(piece)
    }

    fn give_up(&mut self) {
        self.over = true;
        self.chunks.clear();
        self.held = BytesMut::new();
    }
}
