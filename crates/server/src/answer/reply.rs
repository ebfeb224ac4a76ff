//! A response body with what must last as long as it.

use crate::{connection::Busy, load::Place};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use punctual_core::{BrokenOff, Pieces, Relay};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// The body of every response; its place and its connection's business end with it.
pub(crate) struct Reply<P: Pieces> {
    relay: Relay<P>,
    _place: Option<Place>,
    _busy: Busy,
}

impl<P: Pieces> Reply<P> {
    pub(super) fn new(relay: Relay<P>, place: Option<Place>, busy: Busy) -> Self {
        Self {
            relay,
            _place: place,
            _busy: busy,
        }
    }
}

impl<P: Pieces> Body for Reply<P> {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        Pin::new(&mut self.relay).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.relay.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.relay.size_hint()
    }
}
