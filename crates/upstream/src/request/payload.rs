//! A request body of known length, in a few parts that are sent one after another.
//!
//! The exact size makes hyper write `Content-Length`, which servers without chunked requests need. Small
//! bodies are joined, because one frame is cheaper than three; large ones are never copied.

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

/// Up to here the parts are joined into one frame.
const JOIN: usize = 32 * 1024;

/// The body of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Payload {
    next: Bytes,
    /// Last part first.
    rest: Vec<Bytes>,
    left: usize,
}

impl Payload {
    /// The concatenation of `parts`.
    pub(crate) fn new(mut parts: Vec<Bytes>) -> Self {
        parts.retain(|part| !part.is_empty());
        let left = parts.iter().map(Bytes::len).sum();
        if left <= JOIN && parts.len() > 1 {
            let mut joined = BytesMut::with_capacity(left);
            parts.iter().for_each(|part| joined.extend_from_slice(part));
            parts = vec![joined.freeze()];
        }
        parts.reverse();
        let next = parts.pop().unwrap_or_default();
        Self {
            next,
            rest: parts,
            left,
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let following = self.rest.pop().unwrap_or_default();
        let part = std::mem::replace(&mut self.next, following);
        self.left = self.left.saturating_sub(part.len());
        Poll::Ready((!part.is_empty()).then(|| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn read(mut payload: Payload) -> Vec<Bytes> {
        let mut frames = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut payload).poll_frame(&mut cx) {
            frames.push(frame.into_data().unwrap());
        }
        assert!(payload.is_end_stream());
        frames
    }

    #[test]
    fn the_length_is_known_before_the_first_byte() {
        let payload = Payload::new(vec![b"ab"[..].into(), Bytes::new(), b"cde"[..].into()]);
        assert_eq!(payload.size_hint().exact(), Some(5));
        assert_eq!(read(payload).concat(), b"abcde");
        assert_eq!(Payload::new(Vec::new()).size_hint().exact(), Some(0));
    }

    #[test]
    fn small_bodies_are_one_frame_and_large_ones_are_not_copied() {
        assert_eq!(
            read(Payload::new(vec![b"a"[..].into(), b"b"[..].into()])).len(),
            1
        );
        let large = Bytes::from(vec![b'x'; 1 << 20]);
        let frames = read(Payload::new(vec![
            b"a"[..].into(),
            large.clone(),
            b"b"[..].into(),
        ]));
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[1].as_ptr(), large.as_ptr());
    }
}
