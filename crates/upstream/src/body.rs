//! The body of an answer, decoded: the layer between a connection and whoever judges.

use crate::{
    aside::LARGE,
    fault,
    inflate::{Inflate, Undecodable},
    stream::Stream,
};
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use punctual_core::Failure;
use std::{
    future::poll_fn,
    pin::pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{task::yield_now, time::timeout};

/// Room that is made for a body on its own word.
const TRUSTED: usize = 1 << 20;

/// Why a body ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The connection did.
    Broken,
    /// Its coding did.
    Undecodable(Undecodable),
}

impl Cut {
    pub(crate) fn into_failure(self) -> Box<Failure> {
        match self {
            Self::Broken => fault::truncated(),
            Self::Undecodable(Undecodable::Encoding) => fault::malformed(
                "the upstream's answer has a content-encoding that was not asked for",
            ),
            Self::Undecodable(Undecodable::Corrupt) => fault::truncated(),
            Self::Undecodable(Undecodable::Bomb) => {
                let mut failure = fault::truncated();
                failure.code = punctual_core::Code::ResponseTooLarge;
                failure.message =
                    "the upstream's compressed answer is far larger than it may be".to_owned();
                failure
            }
        }
    }
}

/// What there is of a body beyond its beginning.
pub(crate) enum Rest {
    /// Perhaps more.
    More(Box<Body>),
    /// Nothing: it has ended where it should.
    None,
    /// It broke off.
    Lost,
}

/// A body being read and decoded.
pub(crate) struct Body {
    stream: Stream,
    inflate: Option<Inflate>,
    /// What came and is not decoded yet.
    input: Bytes,
    /// Bytes that were decoded since others had a turn.
    decoded: usize,
    /// The end of the input was seen; only the decoder's last words are left.
    over: bool,
}

impl Body {
    pub(crate) fn new(stream: Stream, headers: &HeaderMap) -> Result<Self, Cut> {
        let inflate = Inflate::of(headers).map_err(Cut::Undecodable)?;
        Ok(Self {
            stream,
            inflate,
            input: Bytes::new(),
            decoded: 0,
            over: false,
        })
    }

    /// The next bytes, never none of them; `None` at the end.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Cut>>> {
        while !self.over {
            if let Some(inflate) = self.inflate.as_mut().filter(|_| !self.input.is_empty()) {
                if self.decoded > LARGE {
                    // one read of the socket can hold all of a large body, and nothing else ends this turn
                    self.decoded = 0;
                    ready!(pin!(yield_now()).poll(cx));
                }
                match inflate.push(&mut self.input) {
                    Ok(bytes) if bytes.is_empty() => {}
                    Ok(bytes) => {
                        self.decoded += bytes.len();
                        return Poll::Ready(Some(Ok(bytes)));
                    }
                    Err(why) => return Poll::Ready(Some(Err(Cut::Undecodable(why)))),
                }
            }
            let decoded = match ready!(self.stream.poll_chunk(cx)) {
                Some(Ok(bytes)) if self.inflate.is_some() => {
                    self.input = bytes;
                    continue;
                }
                Some(Ok(bytes)) => Ok(bytes),
                Some(Err(_)) => return Poll::Ready(Some(Err(Cut::Broken))),
                None => {
                    self.over = true;
                    let last = self.inflate.as_mut().map(Inflate::finish);
                    last.unwrap_or(Ok(Bytes::new()))
                }
            };
            match decoded {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Poll::Ready(Some(Ok(bytes))),
                Err(why) => return Poll::Ready(Some(Err(Cut::Undecodable(why)))),
            }
        }
        Poll::Ready(None)
    }

    /// Whether the upstream has sent all of it.
    pub(crate) fn is_read(&self) -> bool {
        self.over || self.stream.is_read()
    }

    /// Room for the whole of it, as far as it can be told.
    pub(crate) fn capacity(&self) -> usize {
        let length = self.stream.length().and_then(|n| usize::try_from(n).ok());
        length.unwrap_or_default().min(TRUSTED)
    }

    /// What of it comes within `wait`, about `limit` bytes at the most, and what there is beyond: for the
    /// words beside an error status.
    pub(crate) async fn beginning(mut self, limit: usize, wait: Duration) -> (Bytes, Rest) {
        let mut read = BytesMut::new();
        let reading = async {
            while read.len() < limit {
                match poll_fn(|cx| self.poll_chunk(cx)).await {
                    Some(Ok(bytes)) => read.extend_from_slice(&bytes),
                    Some(Err(_)) => return Some(Rest::Lost),
                    None => return Some(Rest::None),
                }
            }
            None
        };
        let ended = timeout(wait, reading).await.ok().flatten();
        (read.freeze(), ended.unwrap_or(Rest::More(Box::new(self))))
    }
}
