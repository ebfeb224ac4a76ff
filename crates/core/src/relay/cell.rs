//! The turns of a cell: what its stage gives when it is polled, and how one stage becomes the next.
//!
//! Whatever leaves a stage is dropped outside the lock, so it is put aside as debris.

use super::{
    BrokenOff, Cell, Stage,
    live::{Flow, Stream},
};
use crate::{
    execute::{Answer, Open, Refused},
    failure::Failure,
    record::{Outcome, Reason, Report},
    upstream::Pieces,
};
use bytes::Bytes;
use std::task::{Context, Poll};
use tokio::time::Instant;

/// How much of a body known whole is handed over at a time. A server takes what it is given at once, however
/// little its caller reads, and what it has taken is neither bounded nor still to be ended here.
const PIECE: usize = 64 << 10;

impl<P: Pieces> Cell<P> {
    /// One frame, or nothing yet, or the end. What must be dropped goes to `debris`, for after unlocking.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        debris: &mut Vec<Stage<P>>,
    ) -> Poll<Option<Result<Bytes, BrokenOff>>> {
        if let Some(at) = self.handed_at.take() {
            self.unasked(at);
        }
        let turn = self.turn(cx, debris).map(|bytes| bytes.map(Ok));
        match (&turn, &self.stage) {
            (Poll::Ready(None), Stage::Cut(false)) => {
                self.stage = Stage::Cut(true);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            (Poll::Ready(None), Stage::Cut(true)) => {
                self.stage = Stage::Done;
                Poll::Ready(Some(Err(BrokenOff)))
            }
            _ => turn,
        }
    }

    /// The caller took nothing since `at`. Whoever is waited for behind a heartbeat was not asked meanwhile.
    fn unasked(&mut self, at: Instant) {
        match &mut self.stage {
            Stage::Opening { fate, .. } => fate.unasked(at.elapsed()),
            Stage::Live(stream) => stream.unasked(at),
            _ => {}
        }
    }

    fn turn(&mut self, cx: &mut Context<'_>, debris: &mut Vec<Stage<P>>) -> Poll<Option<Bytes>> {
        loop {
            match &mut self.stage {
                Stage::Done | Stage::Cut(_) => return Poll::Ready(None),
                Stage::Last(bytes, _) if bytes.len() > PIECE => {
                    let piece = bytes.split_to(PIECE);
                    return Poll::Ready(self.deliver(piece, false));
                }
                Stage::Last(bytes, answer) => {
                    let (bytes, answer) = (std::mem::take(bytes), *answer);
                    self.stage = Stage::Done;
                    return Poll::Ready(self.last(bytes, answer));
                }
                Stage::Opening {
                    opening,
                    fate,
                    first,
                } => {
                    if std::mem::take(first) {
                        fate.heartbeat();
                        return Poll::Ready(self.beat());
                    }
                    match opening.as_mut().poll(cx) {
                        Poll::Ready(opened) => self.opened(opened, debris),
                        Poll::Pending if self.beat.due(cx) => {
                            fate.heartbeat();
                            return Poll::Ready(self.beat());
                        }
                        Poll::Pending => return self.wait(cx),
                    }
                }
                Stage::Live(stream) => match stream.poll(cx) {
                    Flow::Frame(bytes) => {
                        let news = stream.take_news();
                        if let Some(numbers) = self.numbers {
                            self.number = numbers(&bytes).or(self.number);
                        }
                        return Poll::Ready(self.deliver(bytes, news));
                    }
                    Flow::Pending if self.beat.due(cx) => {
                        if let Some(r) = &mut self.record {
                            r.heartbeat();
                        }
                        return Poll::Ready(self.beat());
                    }
                    Flow::Pending => return self.wait(cx),
                    Flow::Complete => self.complete(debris),
                    Flow::Failed(failure) => self.broken(failure, debris),
                },
            }
        }
    }

    fn wait(&mut self, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        if !self.waker.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    fn beat(&mut self) -> Option<Bytes> {
        self.beat.beats();
        self.voice.as_ref().map(|v| v.heartbeat())
    }

    /// `news`: the first content has come after the commit.
    fn deliver(&mut self, bytes: Bytes, news: bool) -> Option<Bytes> {
        let bytes = self.beat.frame(bytes);
        if let Some(r) = &mut self.record {
            r.delivered(bytes.len());
            if news {
                r.content_arrived();
                self.ends_at = r.report().deadline.at();
            }
        }
        Some(bytes)
    }

    /// The last bytes. A complete answer is settled when it is handed over.
    fn last(&mut self, bytes: Bytes, answer: bool) -> Option<Bytes> {
        if let Some(r) = &mut self.record {
            r.delivered(bytes.len());
            if answer {
                r.settle(Outcome::Ok, None);
            }
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    fn opened(&mut self, opened: crate::execute::Opened<P>, debris: &mut Vec<Stage<P>>) {
        let stage = match opened {
            Ok(Open {
                answer, mut record, ..
            }) => {
                record.rejoin();
                self.ends_at = record.report().deadline.at();
                self.record = Some(record);
                match answer {
                    Answer::Stream(live) => Stage::Live(Box::new(Stream::new(*live))),
                    Answer::Whole(bytes) => Stage::Last(bytes, true),
                }
            }
            Err(Refused {
                failure,
                mut record,
            }) => {
                record.rejoin();
                let words = self.error_event(&failure, record.report());
                self.record = Some(record);
                words
            }
        };
        debris.push(std::mem::replace(&mut self.stage, stage));
    }

    /// The stage that says `failure` to the caller, or breaks off.
    pub(super) fn error_event(&self, failure: &Failure, report: &Report) -> Stage<P> {
        match &self.voice {
            None => Stage::Last(Bytes::new(), false),
            Some(voice) => match voice.error_event(failure, report, self.number) {
                Some(words) => Stage::Last(words, false),
                None => Stage::Cut(false),
            },
        }
    }

    /// The end condition was met and the upstream has nothing more to say.
    pub(super) fn complete(&mut self, debris: &mut Vec<Stage<P>>) {
        let old = std::mem::replace(&mut self.stage, Stage::Done);
        let Stage::Live(mut stream) = old else {
            return debris.push(old);
        };
        let done = || self.voice.as_ref().and_then(|v| v.done());
        let marker = match stream.closing() {
            None if !stream.is_marked() => done(),
            closing => closing,
        };
        let failure = stream.take_failure();
        if let Some(r) = &mut self.record {
            if let Some(failure) = &failure {
                r.passed_on(failure);
            }
            r.attempt_ended(failure.as_deref(), Some(stream.summary()));
        }
        stream.succeed();
        self.stage = Stage::Last(marker.unwrap_or_default(), failure.is_none());
    }

    fn broken(&mut self, mut failure: Box<Failure>, debris: &mut Vec<Stage<P>>) {
        let old = std::mem::replace(&mut self.stage, Stage::Done);
        let Stage::Live(stream) = old else {
            return debris.push(old);
        };
        let summary = stream.summary();
        stream.fail(&mut failure);
        self.stage = self.end_with(&failure, Some(summary));
    }

    /// Closes the record with `failure` and gives the stage that ends the body.
    pub(super) fn end_with(
        &mut self,
        failure: &Failure,
        summary: Option<crate::upstream::Summary>,
    ) -> Stage<P> {
        let Some(mut record) = self.record.take() else {
            return Stage::Done;
        };
        record.fail(failure);
        record.attempt_ended(Some(failure), summary);
        let stage = self.error_event(failure, record.report());
        // the record ends here, and with it what the caller will have been sent
        if let Stage::Last(words, _) = &stage {
            record.delivered(words.len());
        }
        stage
    }
}

impl<P: Pieces> Drop for Cell<P> {
    /// A stream dropped in the middle: the caller left. What was delivered stays on record; one that had all
    /// there was to have, end included, is no cancellation.
    fn drop(&mut self) {
        let Stage::Live(mut stream) = std::mem::replace(&mut self.stage, Stage::Done) else {
            return;
        };
        let Some(mut record) = self.record.take().filter(|_| !std::thread::panicking()) else {
            return;
        };
        let (summary, failure) = (stream.summary(), stream.take_failure());
        if stream.is_delivered() {
            stream.succeed();
            match &failure {
                Some(failure) => record.passed_on(failure),
                None => record.settle(Outcome::Ok, None),
            }
        } else {
            drop(stream);
            record.settle(Outcome::Cancelled, Some(Reason::Gone));
        }
        record.attempt_ended(failure.as_deref(), Some(summary));
    }
}
