//! Reading a request body: whole, within its size, the process's memory, and time.
//!
//! Two clocks hold here: the request's deadline, and progress. One body that came in one piece is used as
//! it came, without a copy.

use crate::{memory::Memory, settings::Settings};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use punctual_core::{Deadline, arm, reached};
use std::{error::Error, io, sync::Arc};
use tokio::{select, time::Instant};

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    TooLarge,
    NoMemory,
    /// Nothing came for `receive_timeout`.
    Stalled,
    /// The request's deadline passed.
    Deadline,
    /// Not a body as HTTP frames it.
    Malformed,
    /// The caller left.
    Gone,
}

/// Reads all of it. What is read counts against `memory` until the last handle to it is dropped.
pub(super) async fn receive(
    body: &mut Incoming,
    settings: &Settings,
    deadline: &Deadline,
    memory: &Arc<Memory>,
) -> Result<Bytes, Cut> {
    let mut share = memory.share();
    let mut whole = Bytes::new();
    let mut pieces = BytesMut::new();
    while let Some(piece) = next(body, settings, deadline).await? {
        let size = whole.len() + pieces.len() + piece.len();
        if size > settings.max_body_bytes {
            return Err(Cut::TooLarge);
        }
        share
            .cover(size, settings.max_memory_bytes)
            .map_err(|_| Cut::NoMemory)?;
        if size == piece.len() {
            whole = piece;
        } else {
            pieces.extend_from_slice(&std::mem::take(&mut whole));
            pieces.extend_from_slice(&piece);
        }
        // of a length that was declared nothing is left to ask for
        if body.is_end_stream() {
            break;
        }
    }
    if !pieces.is_empty() {
        whole = pieces.freeze();
    }
    Ok(share.hold(whole))
}

async fn next(
    body: &mut Incoming,
    settings: &Settings,
    deadline: &Deadline,
) -> Result<Option<Bytes>, Cut> {
    let stalls = Instant::now().checked_add(settings.receive_timeout);
    let until = [stalls, deadline.at()].into_iter().flatten().min();
    loop {
        // a body that is always there is never waited for
        if deadline.at().is_some_and(reached) {
            return Err(Cut::Deadline);
        }
        let frame = match until {
            None => body.frame().await,
            Some(until) => select! { biased;
                frame = body.frame() => frame,
                () = arm(until) => {
                    let late = deadline.at().is_some_and(reached);
                    return Err(if late { Cut::Deadline } else { Cut::Stalled });
                }
            },
        };
        match frame {
            None => return Ok(None),
            Some(Err(e)) => return Err(broken(&e)),
            // trailers say nothing here, and an empty frame is no progress
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            },
        }
    }
}

/// hyper gives a body that ends early and one that is framed wrongly as the same kind of error; only the
/// cause tells them apart.
fn broken(error: &hyper::Error) -> Cut {
    let mut cause = error.source();
    while let Some(e) = cause {
        let kind = e.downcast_ref::<io::Error>().map(io::Error::kind);
        if let Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) = kind {
            return Cut::Malformed;
        }
        cause = e.source();
    }
    if error.is_parse() {
        Cut::Malformed
    } else {
        Cut::Gone
    }
}
