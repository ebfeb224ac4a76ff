//! HTTP/2 exchanges: a few connections to an endpoint, each shared by up to a hundred requests.
//!
//! A connection is dialled by a task of the pool's own, and requests wait for it. So a request that leaves
//! while the connection is being made takes nothing from the others; in a pool where the request itself
//! dials, all of them fail. When the last of them leaves, the dial ends too. A request goes to the
//! connection with the fewest streams; when all are full another is dialled. A connection that was closed,
//! said GOAWAY or is old gets no new streams and ends when its last one does.
//!
//! A stream that the upstream surely did not process (refused, beyond the last id of a GOAWAY, never
//! written) is sent again a bounded number of times, outside the count of attempts.

use crate::{
    dial::DialError,
    fault,
    http1::QUICK_DEATH,
    pool::{Pool, count},
    request::Outgoing,
    stream::Stream,
};
use http::response::Parts;
use punctual_core::{Failure, Progress};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

mod shard;

pub(crate) use shard::{Shards, Slot};

/// How often a stream that was not processed is sent again.
const RESENDS: u32 = 2;
/// Pause before a refused stream is sent again, times the number of refusals.
const PAUSE: Duration = Duration::from_millis(20);

/// What an exchange that got no answer allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unanswered {
    /// The upstream declined before doing anything.
    Refused,
    /// The connection went away before the stream was processed.
    Unprocessed,
    /// The connection broke; what was done is not known.
    Broken,
    /// The upstream ended this stream.
    Reset,
}

impl Unanswered {
    fn of(error: &hyper::Error, unsent: bool) -> Self {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
        let mut found = None;
        while let Some(error) = source {
            found = found.or_else(|| error.downcast_ref::<h2::Error>());
            source = error.source();
        }
        match found {
            _ if unsent => Self::Unprocessed,
            Some(e) if e.reason() == Some(h2::Reason::REFUSED_STREAM) => Self::Refused,
            Some(e) if e.is_go_away() && e.is_remote() => Self::Unprocessed,
            Some(e) if e.is_reset() && e.is_remote() => Self::Reset,
            _ => Self::Broken,
        }
    }
}

/// An exchange that got no answer.
struct Failed {
    how: Unanswered,
    error: hyper::Error,
    /// The connection was there before and broke at once, without a byte from its peer: it had been dead.
    was_dead: bool,
}

impl Pool {
    pub(crate) async fn exchange_http2(
        self: &Arc<Self>,
        outgoing: Outgoing<'_>,
        progress: &Progress,
    ) -> Result<(Parts, Stream), Box<Failure>> {
        let (mut resends, mut replaced) = (0, false);
        loop {
            let failed = match self.try_http2(outgoing, progress).await? {
                Ok(answered) => return Ok(answered),
                Err(failed) => failed,
            };
            match failed.how {
                Unanswered::Refused | Unanswered::Unprocessed => {
                    progress.starts_over();
                    resends += 1;
                    if resends > RESENDS {
                        return Err(fault::refused());
                    }
                }
                Unanswered::Broken if failed.was_dead && !replaced && outgoing.replays() => {
                    replaced = true;
                    count(&self.counts.found_dead);
                    progress.goes_again();
                }
                Unanswered::Broken | Unanswered::Reset => {
                    return Err(fault::unanswered(Some(&failed.error), progress));
                }
            }
            if failed.how == Unanswered::Refused {
                sleep(PAUSE.saturating_mul(resends)).await;
            }
        }
    }

    /// Over one connection; the outer error is a connection that could not be made.
    async fn try_http2(
        self: &Arc<Self>,
        outgoing: Outgoing<'_>,
        progress: &Progress,
    ) -> Result<Result<(Parts, Stream), Failed>, Box<Failure>> {
        let mut slot = self.shards.slot(self);
        let mut sender = slot.sender().await.map_err(DialError::into_failure)?;
        if let Some(took) = slot.tls().filter(|_| !slot.reused()) {
            progress.tls(took);
        }
        progress.connected(slot.reused());
        progress.writing();
        slot.asks();
        let mut failed = match sender.try_send_request(outgoing.request()).await {
            Ok(answer) => {
                slot.answered();
                if slot.reused() {
                    count(&self.counts.reuses);
                }
                let (head, body) = answer.into_parts();
                return Ok(Ok((head, Stream::http2(body, slot))));
            }
            Err(failed) => failed,
        };
        let unsent = failed.take_message().is_some();
        let error = failed.into_error();
        let how = Unanswered::of(&error, unsent);
        if matches!(how, Unanswered::Unprocessed | Unanswered::Broken) {
            slot.retire();
        }
        let was_dead = slot.reused() && slot.unheard().is_some_and(|for_| for_ < QUICK_DEATH);
        Ok(Err(Failed {
            how,
            error,
            was_dead,
        }))
    }
}
