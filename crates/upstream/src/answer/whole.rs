//! A whole body: gathered, then judged.
//!
//! Judging is parsing, which takes about a millisecond a mebibyte. What is larger than that is judged off
//! the workers, so that a batch of embeddings does not delay the streams beside it. This is the one place
//! of this crate that uses a blocking thread.

use super::Reader;
use crate::way::Way;
use bytes::{Bytes, BytesMut};
use punctual_wire::{
    Verdict, about_response,
    dialect::AnswerSummary,
    middle::{Asked, Lost},
    via::Translated,
};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::task::JoinHandle;

/// Up to here a body is judged where it is.
const SMALL: usize = 1 << 20;

/// A body being gathered; one that came in one chunk is not copied.
#[derive(Default)]
pub(super) struct Whole {
    first: Bytes,
    more: BytesMut,
}

impl Whole {
    /// Adds to it and tells its length; `room` is what is known to come after these bytes.
    pub(super) fn push(&mut self, bytes: Bytes, room: usize) -> usize {
        if self.first.is_empty() {
            self.first = bytes;
            return self.first.len();
        }
        if self.more.is_empty() {
            let known = self.first.len() + bytes.len() + room;
            self.more.reserve(known.max(2 * self.first.len()));
            self.more.extend_from_slice(&self.first);
        }
        self.more.extend_from_slice(&bytes);
        self.more.len()
    }

    pub(super) fn finish(self) -> Bytes {
        match self.more.is_empty() {
            true => self.first,
            false => self.more.freeze(),
        }
    }
}

/// What a whole body turned out to be.
pub(super) enum Judged {
    /// An answer in the caller's words.
    Answer(Result<Translated, Verdict>),
    /// The stream that was made of it, likewise.
    Stream(Result<Translated, Verdict>),
}

/// A body being judged.
pub(super) struct Judging {
    pub(super) bytes: Bytes,
    how: How,
}

enum How {
    Done(Option<Box<Judged>>),
    Elsewhere(JoinHandle<Judged>),
}

impl Judging {
    pub(super) fn new(bytes: Bytes, as_stream: bool, reader: &Reader) -> Self {
        let (way, asked) = (reader.way.clone(), reader.asked.clone());
        let how = match bytes.len() <= SMALL {
            true => How::Done(Some(Box::new(judge(&bytes, as_stream, &way, &asked)))),
            false => {
                let bytes = bytes.clone();
                let judge = move || judge(&bytes, as_stream, &way, &asked);
                How::Elsewhere(reader.target.pool.tasks.spawn_blocking(judge))
            }
        };
        Self { bytes, how }
    }

    /// The judgement, once; `None` if it panicked or was asked for before.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Judged>> {
        match &mut self.how {
            How::Done(judged) => Poll::Ready(judged.take().map(|judged| *judged)),
            How::Elsewhere(task) => Pin::new(task).poll(cx).map(Result::ok),
        }
    }
}

fn judge(bytes: &Bytes, as_stream: bool, way: &Way, asked: &Asked) -> Judged {
    match as_stream {
        true => Judged::Stream(way.via.as_stream(way.surface, way.api, bytes, asked)),
        false => Judged::Answer(answer(bytes, way, asked)),
    }
}

fn answer(bytes: &Bytes, way: &Way, asked: &Asked) -> Result<Translated, Verdict> {
    if let Some(translated) = way.via.answer(bytes, asked)? {
        return Ok(translated);
    }
    let summary: AnswerSummary = match way.stored {
        true => about_response(bytes)?,
        false => way.api.answer(way.surface, bytes)?,
    };
    Ok(Translated {
        bytes: bytes.clone(),
        summary,
        lost: Lost::default(),
    })
}
