//! Holding back a stream's preamble until its first content, so that the attempt can still be replaced.
//!
//! Comments and pings in it are dropped; every data event of the winning attempt is kept and delivered. A
//! preamble beyond the route's bounds commits early instead of failing.

use crate::{
    call::{Call, CommitOn},
    failure::{Code, Failure},
    lane::Permit,
    room::Lease,
    upstream::{End, Kind, Piece, Pieces, Progress},
};
use bytes::Bytes;
use std::{collections::VecDeque, future::poll_fn};

/// An attempt at its first content.
pub(super) struct Held<P> {
    pub(super) pieces: P,
    pub(super) held: VecDeque<Bytes>,
    pub(super) bytes: usize,
    pub(super) lease: Lease,
    pub(super) by: &'static str,
    pub(super) ended: bool,
    pub(super) marked: bool,
    /// Content is among what is held.
    pub(super) content: bool,
}

/// Reads up to what commits. A unary answer is read to its end. The permit goes back with the upstream's last
/// byte.
pub(super) async fn hold<P: Pieces>(
    pieces: P,
    call: &Call,
    allow_empty: bool,
    progress: &Progress,
    permit: &mut Option<Permit>,
) -> Result<Held<P>, Box<Failure>> {
    let mut h = Held {
        pieces,
        held: VecDeque::new(),
        bytes: 0,
        lease: Lease::of(call.room.as_ref()),
        by: "whole",
        ended: false,
        marked: false,
        content: false,
    };
    loop {
        let Some(piece) = h.next(progress, permit).await? else {
            return if h.content && !call.stream {
                Ok(h)
            } else {
                Err(over(h.ended || !call.stream))
            };
        };
        let text = matches!(piece.kind, Kind::Content { text: true });
        if matches!(piece.kind, Kind::Content { .. }) {
            h.content = true;
            if h.pieces.failure().is_none() {
                progress.content();
            }
        }
        let end = piece.end;
        h.keep(piece)?;
        if let Some(end) = end {
            h.ended = true;
            if h.content || allow_empty || end == End::Other {
                h.finish(call, progress, permit).await?;
                return Ok(h);
            }
            return Err(over(true));
        }
        if !call.stream {
            continue;
        }
        if text || (h.content && call.policy.commit_on == CommitOn::Content) {
            h.by = "content";
            return Ok(h);
        }
        if h.is_full(call) {
            h.by = "holdback_full";
            return Ok(h);
        }
    }
}

impl<P: Pieces> Held<P> {
    async fn next(
        &mut self,
        progress: &Progress,
        permit: &mut Option<Permit>,
    ) -> Result<Option<Piece>, Box<Failure>> {
        let piece = poll_fn(|cx| {
            let polled = self.pieces.poll_piece(cx);
            progress.busy(self.pieces.is_busy());
            if self.pieces.is_read() {
                *permit = None;
            }
            polled
        });
        piece.await.transpose()
    }

    /// Whether no more can be held back: by the route's bounds, or by the process's memory.
    fn is_full(&mut self, call: &Call) -> bool {
        self.bytes > call.policy.hold_back_bytes
            || self.held.len() > call.policy.hold_back_events
            || !self.lease.cover(self.bytes)
    }

    fn keep(&mut self, piece: Piece) -> Result<(), Box<Failure>> {
        match piece.kind {
            Kind::Comment => return Ok(()),
            Kind::Error(failure) => return Err(failure),
            Kind::Done if self.marked => return Ok(()),
            Kind::Done => self.marked = true,
            Kind::Event | Kind::Content { .. } => {}
        }
        self.bytes += piece.bytes.len();
        if !piece.bytes.is_empty() {
            self.held.push_back(piece.bytes);
        }
        Ok(())
    }

    /// The end condition is met: a stream goes on from here, a unary answer is read to its last byte.
    async fn finish(
        &mut self,
        call: &Call,
        progress: &Progress,
        permit: &mut Option<Permit>,
    ) -> Result<(), Box<Failure>> {
        if call.stream {
            self.by = if self.content { "content" } else { "end" };
            return Ok(());
        }
        while let Some(piece) = self.next(progress, permit).await? {
            self.keep(piece)?;
        }
        Ok(())
    }
}

fn over(ended: bool) -> Box<Failure> {
    if ended {
        Failure::new(
            Code::EmptyResponse,
            "the upstream's answer ended without content",
        )
    } else {
        Failure::new(
            Code::Truncated,
            "the upstream closed before the end of its answer",
        )
    }
}
