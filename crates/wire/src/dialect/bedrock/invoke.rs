//! InvokeModel with an Anthropic model: the Messages API, but for its failures.
//!
//! A whole answer is a message, a stream is one of the same events once they are out of their chunks
//! ([`Framing::Chunks`](crate::frame::Framing::Chunks)). What fails is told in Bedrock's words: a message of
//! the event stream of its own kind, or an object with the name of an exception.

use super::exception;
use crate::{
    Verdict,
    dialect::anthropic,
    frame::Frame,
    middle::{Answer, Decode, Delta, Seen},
};

/// Reads events of the Messages API, and the failures between them.
struct Invoke {
    inner: Box<dyn Decode>,
}

pub(super) fn begin(choices: u32) -> Box<dyn Decode> {
    Box::new(Invoke {
        inner: (anthropic::UPSTREAM.stream)(choices),
    })
}

impl Decode for Invoke {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        match frame {
            Frame::Message(message) => {
                exception::of_message(message).map_or(Seen::Data, Seen::Error)
            }
            event => self.inner.decode(event, sink),
        }
    }

    fn over(&mut self, sink: &mut dyn FnMut(Delta<'_>)) {
        self.inner.over(sink);
    }
}

pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    match exception::of_answer(text) {
        Some(verdict) => Err(verdict),
        None => (anthropic::UPSTREAM.answer)(body),
    }
}
