//! AWS event-stream messages (`application/vnd.amazon.eventstream`): where each one ends, and whether
//! it arrived unharmed.
//!
//! A message is a prelude (its length, the length of its headers, a CRC of both), headers, a payload and
//! a CRC of everything, all numbers big-endian
//! (<https://smithy.io/2.0/aws/amazon-eventstream.html>). What must hold:
//!
//! - The same messages for every way of cutting the input.
//! - Memory is bounded before it is used: a length beyond the limit is refused when it is read, and is only
//!   believed if the prelude's CRC is right.
//! - After a message that fails a check nothing more is read: where the next one begins is not known.
//!
//! The format is a page, so it is written here: `aws-smithy-eventstream`, the only maintained crate, copies
//! every header, has no bound of its own on a message and brings six more crates of the SDK with it. Its
//! CRC is the common CRC-32 of `crc32fast`, which is in the build for gzip anyway.

use bytes::Bytes;

use crate::intake::{Intake, TooLarge};

mod chunks;
mod header;
mod message;
#[cfg(test)]
pub(crate) mod tests;

pub use chunks::Chunk;
pub use header::Value;
pub use message::{Fault, Message};

/// Lengths and their CRC.
const PRELUDE: usize = 12;
/// A message without headers and payload: the prelude and the CRC of the message.
const LEAST: usize = PRELUDE + 4;

/// Finds messages in what comes in.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    /// The length of the message that has begun, once its prelude is there.
    length: Option<usize>,
}

impl Rule {
    /// The next message; `None` when more bytes are needed. One with a [`Fault`] is the last.
    pub(crate) fn next(&mut self, intake: &mut Intake) -> Option<Result<Message, TooLarge>> {
        let length = match self.length {
            Some(length) => length,
            None => {
                let prelude = intake.first::<PRELUDE>()?;
                match message::length(&prelude) {
                    Ok(length) => *self.length.insert(length),
                    Err(fault) => {
                        intake.close();
                        let raw = Bytes::copy_from_slice(&prelude);
                        return Some(Ok(Message::broken(raw, fault)));
                    }
                }
            }
        };
        let raw = intake.counted(length)?;
        self.length = None;
        let message = raw.map(Message::whole);
        if let Ok(message) = &message
            && message.fault().is_some()
        {
            intake.close();
        }
        Some(message)
    }

    /// What is left at the end of the stream of a message that was cut short.
    pub(crate) fn last(&self, raw: Bytes) -> Message {
        Message::cut(raw)
    }
}
