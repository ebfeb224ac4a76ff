//! A streamed answer, as the program reads it.
//!
//! The engine relays whole events; here they become steps. The end is strict: [`Delta::Done`] comes only of
//! an answer that was complete, and whatever breaks one off is an error. The limit of the whole call is
//! looked at whenever the stream is polled: one that nobody polls ends at the next poll, or when dropped.

use crate::{
    answer::Answer,
    delta::{Delta, Done},
    dispatch::{Dispatch, Parcels},
    error::Error,
    exchange::Exchange,
    invoke::Run,
    leaf::Speaker,
    runtime::Entered,
};
use bytes::Bytes;
use futures_core::Stream;
use http_body::Body;
use punctual_core::{Code, Failure, Open, Pace, Relay, Report, Voice, arm, reached};
use punctual_wire::{
    Usage,
    dialect::Finish,
    frame::Splitter,
    middle::{self, Decode},
};
use std::{
    collections::VecDeque,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};
use tokio::time::{Instant, Sleep};

mod gather;

/// What the provider may put into one event has been bounded before.
const ANY_SIZE: usize = usize::MAX / 2;

/// Keeps the failure that ends a stream.
#[derive(Default)]
struct LastWord(Mutex<Option<Failure>>);

impl Voice for LastWord {
    fn error_event(&self, failure: &Failure, _: &Report, _: Option<u64>) -> Option<Bytes> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.clone());
        Some(Bytes::new())
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::new()
    }

    fn done(&self) -> Option<Bytes> {
        None
    }
}

/// Makes steps of what comes through the engine.
enum Reader {
    Wire {
        splitter: Splitter,
        decode: Box<dyn Decode>,
    },
    Own(Parcels),
}

/// A streamed answer. Read it with [`next`](Self::next) or as a [`Stream`]; dropping it ends the exchange.
pub struct AnswerStream {
    run: Run,
    relay: Option<Relay<Exchange>>,
    last_word: Arc<LastWord>,
    reader: Reader,
    steps: VecDeque<Delta>,
    ends: Option<(Instant, Pin<Box<Sleep>>)>,
    entered: Entered,
    usage: Usage,
    finish: Option<Finish>,
}

impl fmt::Debug for AnswerStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerStream").finish_non_exhaustive()
    }
}

impl AnswerStream {
    pub(crate) fn new(run: Run, open: Open<Exchange>) -> Self {
        let entered = Entered::here();
        let last_word = Arc::new(LastWord::default());
        let ends = open.record.report().deadline.at();
        let ends = ends.map(|at| (at, entered.within(|| Box::pin(arm(at)))));
        let reader = reader(&run.engine.upstream);
        let relay = Relay::answer(open, last_word.clone(), Pace::default());
        Self {
            run,
            relay: Some(relay),
            last_word,
            reader,
            steps: VecDeque::new(),
            ends,
            entered,
            usage: Usage::default(),
            finish: None,
        }
    }

    /// The next step; `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<Delta, Error>> {
        poll_fn(|cx| self.poll_step(cx)).await
    }

    /// Reads to the end and puts the answer together.
    ///
    /// # Errors
    /// What broke the stream off.
    pub async fn collect(mut self) -> Result<Answer, Error> {
        let mut gathered = gather::Gathered::default();
        while let Some(step) = self.next().await {
            gathered.take(step?);
        }
        Ok(gathered.finish())
    }

    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Delta, Error>>> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Poll::Ready(Some(Ok(step)));
            }
            let Some(relay) = &mut self.relay else {
                return Poll::Ready(None);
            };
            let entered = self.entered.clone();
            if let Some((at, _)) = &self.ends
                && reached(*at)
            {
                expire(relay);
            }
            match entered.within(|| Pin::new(&mut *relay).poll_frame(cx)) {
                Poll::Ready(Some(frame)) => {
                    // the last word keeps a stream from breaking off
                    let bytes = frame.ok().and_then(|frame| frame.into_data().ok());
                    self.read(bytes.unwrap_or_default());
                }
                Poll::Ready(None) => return Poll::Ready(Some(self.end())),
                Poll::Pending => {
                    let Some((_, timer)) = &mut self.ends else {
                        return Poll::Pending;
                    };
                    if timer.as_mut().poll(cx).is_pending() {
                        return Poll::Pending;
                    }
                    expire(relay);
                    self.ends = None;
                }
            }
        }
    }

    fn read(&mut self, bytes: Bytes) {
        match &mut self.reader {
            Reader::Own(parcels) => {
                let mut said = parcels.lock();
                let arrived = bytes.len().min(said.deltas.len());
                for step in said.deltas.drain(..arrived) {
                    match step {
                        Delta::Done(done) => (self.usage, self.finish) = (done.usage, done.finish),
                        step => self.steps.push_back(step),
                    }
                }
            }
            Reader::Wire { splitter, .. } => {
                splitter.push(bytes);
                self.decode(false);
            }
        }
    }

    fn decode(&mut self, last: bool) {
        let Reader::Wire { splitter, decode } = &mut self.reader else {
            return;
        };
        let (steps, usage, finish) = (&mut self.steps, &mut self.usage, &mut self.finish);
        let mut sink = |delta: middle::Delta<'_>| match &delta {
            middle::Delta::Usage(counts) => usage.update(*counts),
            middle::Delta::Finish {
                finish: why,
                choice: 0,
                ..
            } => *finish = Some(why.clone()),
            delta => steps.extend(Delta::of(delta)),
        };
        while let Some(Ok(frame)) = splitter.next() {
            decode.decode(&frame, &mut sink);
        }
        if let Some(frame) = splitter.finish().filter(|_| last) {
            decode.decode(&frame, &mut sink);
        }
    }

    /// The relay is over: the record closes, and what it said is told.
    fn end(&mut self) -> Result<Delta, Error> {
        self.decode(true);
        self.relay = None;
        let failure = self
            .last_word
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(failure) = failure {
            self.steps.clear();
            return Err(self.run.error(failure));
        }
        self.steps.push_back(Delta::Done(Done {
            finish: self.finish.take(),
            usage: self.usage,
            records: self.run.records(),
        }));
        let internal = || Failure::new(Code::Internal, "the end of the stream is not there");
        let first = self.steps.pop_front();
        first.ok_or_else(|| Error::plain(*internal()))
    }
}

/// Ends what runs, as the deadline does.
fn expire(relay: &Relay<Exchange>) {
    if let Some(cell) = relay.watched().upgrade() {
        cell.look(None);
    }
}

fn reader(dispatch: &Dispatch) -> Reader {
    let parcels = dispatch.parcels();
    let by = parcels.lock().by;
    let leaf = by.and_then(|id| dispatch.compiled.leaves.get(usize::from(id.0)));
    match leaf.map(|leaf| &leaf.speaker) {
        Some(Speaker::Wire(wire)) => {
            let speech = wire.speech();
            Reader::Wire {
                splitter: Splitter::new(speech.framing, ANY_SIZE),
                decode: (speech.codec.stream)(crate::invoke::choices(&dispatch.call)),
            }
        }
        _ => Reader::Own(parcels),
    }
}

impl Stream for AnswerStream {
    type Item = Result<Delta, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_step(cx)
    }
}
