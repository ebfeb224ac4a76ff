//! A whole body: gathered, then judged.
//!
//! Judging is parsing. A large body is judged aside, what is to be said of one that is refused included, so
//! that a batch of embeddings does not delay the streams beside it.

use super::Reader;
use crate::{
    aside::{Doing, LARGE},
    fault,
};
use bytes::{Bytes, BytesMut};
use punctual_core::{Code, Failure};
use punctual_wire::{
    Class, Verdict, about_response, dialect::AnswerSummary, middle::Lost, sniff::is_cut_json,
    via::Translated,
};
use std::task::{Context, Poll};

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
    Answer(Translated),
    /// The stream that was made of it, likewise.
    Stream(Translated),
}

/// Or that it is no answer.
type Judgement = Result<Judged, Box<Failure>>;

/// A body being judged.
pub(super) enum Judging {
    Done(Option<Box<Judgement>>),
    Aside(Doing<Judgement>),
}

/// What is to be judged, and how.
pub(super) struct Case {
    pub(super) bytes: Bytes,
    /// A stream was asked for.
    pub(super) as_stream: bool,
    /// Nothing but the end of the connection told that the body is complete.
    pub(super) until_close: bool,
}

impl Judging {
    pub(super) fn new(case: Case, reader: &Reader) -> Self {
        if case.bytes.len() <= LARGE {
            return Self::Done(Some(Box::new(case.judge(reader))));
        }
        let its = reader.clone();
        Self::Aside(reader.target.aside.run(move || case.judge(&its)))
    }

    /// The judgement, once.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Judgement> {
        match self {
            Self::Done(judgement) => {
                let twice = || Failure::new(Code::Internal, "an answer was judged twice");
                let judgement = judgement.take().map(|judgement| *judgement);
                Poll::Ready(judgement.unwrap_or_else(|| Err(twice())))
            }
            Self::Aside(doing) => doing.as_mut().poll(cx).map(Result::flatten),
        }
    }
}

impl Case {
    fn judge(&self, reader: &Reader) -> Judgement {
        let way = &reader.way;
        let judged = match self.as_stream {
            true => way
                .via
                .as_stream(way.surface, way.api, &self.bytes, &reader.asked)
                .map(Judged::Stream),
            false => self.answer(reader).map(Judged::Answer),
        };
        judged.map_err(|verdict| self.refused(&verdict, reader))
    }

    fn answer(&self, reader: &Reader) -> Result<Translated, Verdict> {
        let (way, bytes) = (&reader.way, &self.bytes);
        if let Some(translated) = way.via.answer(bytes, &reader.asked)? {
            return Ok(translated);
        }
        let mut summary: AnswerSummary = match way.stored {
            true => about_response(bytes)?,
            false => way.api.answer(way.surface, bytes)?,
        };
        if let Some(mut told) = reader.told() {
            told.answer(bytes);
            summary.state.extend(told.take());
        }
        Ok(Translated {
            bytes: bytes.clone(),
            summary,
            lost: Lost::default(),
        })
    }

    /// A whole body that is no answer: perhaps it was to be one, and the connection ended too early.
    fn refused(&self, verdict: &Verdict, reader: &Reader) -> Box<Failure> {
        let malformed = verdict.class == Class::Malformed;
        match malformed && self.until_close && is_cut_json(&self.bytes) {
            true => fault::truncated(),
            false => reader.judged(verdict, &self.bytes),
        }
    }
}
