//! Performs a laid-out answer on a connection.
//!
//! One function for both protocols: a [`Sink`] hides framing and flow control, and each of its calls ends
//! early, with the reason, when the client leaves. So a close is seen at once in every state, because
//! there is no state in which nothing watches for it.

use std::future::Future;
use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::time::Instant;

use crate::answer::{Answer, Content, Opening, Part, Pen, Tail, Wait};
use crate::log::Entry;
use crate::seen::Close;
use crate::socket::Cut;

/// The writing side of one exchange. An `Err` says how the client left.
pub(crate) trait Sink {
    /// Waits until the instant, or for ever.
    fn rest(&mut self, until: Option<Instant>) -> impl Future<Output = Result<(), Close>> + Send;
    /// Sends status and headers.
    fn head(&mut self, answer: &Answer) -> impl Future<Output = Result<(), Close>> + Send;
    /// Sends and flushes one piece of body.
    fn data(&mut self, bytes: Bytes) -> impl Future<Output = Result<(), Close>> + Send;
    /// Ends the body as its framing wants.
    fn end(&mut self) -> impl Future<Output = Result<(), Close>> + Send;
}

/// How a performance ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    Complete,
    /// The script wants the connection or stream cut now.
    Cut(Cut),
    /// The client left first.
    Gone(Close),
}

/// Plays the answer and notes in the record what was sent; `None` keeps no record.
pub(crate) async fn play(
    answer: &Answer,
    arrived: Instant,
    sink: &mut impl Sink,
    entry: Option<&Entry>,
) -> Played {
    let mut stage = Stage {
        answer,
        sink,
        entry,
        pen: Pen::new(answer.wire, answer.line_end),
        coder: answer.gzip.then(coder),
        head_at: arrived,
    };
    let played = match stage.run(arrived).await {
        Ok(None) => Played::Complete,
        Ok(Some(cut)) => Played::Cut(cut),
        Err(close) => Played::Gone(close),
    };
    if let Some(entry) = entry {
        match played {
            Played::Complete => entry.finished(),
            Played::Gone(close) => entry.closed(close),
            Played::Cut(_) => {}
        }
    }
    played
}

type Coder = GzEncoder<Vec<u8>>;

fn coder() -> Coder {
    GzEncoder::new(Vec::new(), Compression::default())
}

struct Stage<'a, S> {
    answer: &'a Answer,
    sink: &'a mut S,
    entry: Option<&'a Entry>,
    pen: Pen,
    coder: Option<Coder>,
    head_at: Instant,
}

impl<S: Sink> Stage<'_, S> {
    async fn run(&mut self, arrived: Instant) -> Result<Option<Cut>, Close> {
        let answer = self.answer;
        if !answer.delay.is_zero() {
            self.sink.rest(arrived.checked_add(answer.delay)).await?;
        }
        match answer.opening {
            Opening::Head => {}
            Opening::Silence => self.sink.rest(None).await?,
            Opening::Cut(cut) => return Ok(Some(cut)),
        }
        self.sink.head(answer).await?;
        self.head_at = Instant::now();
        if let Some(entry) = self.entry {
            entry.headers_sent();
        }
        let mut last = self.head_at;
        for part in &answer.parts {
            self.part(part, &mut last).await?;
        }
        self.tail(last).await
    }

    async fn part(&mut self, part: &Part, last: &mut Instant) -> Result<(), Close> {
        let due = match part.wait {
            Wait::After(wait) => last.checked_add(wait),
            Wait::At(at) => self.head_at.checked_add(at),
        };
        if due.is_none_or(|due| due > Instant::now()) {
            self.pause(due).await?;
        }
        // from the due time and not from now, so that a late timer does not add up over many gaps
        *last = due.unwrap_or(*last).max(*last);
        self.send(&part.content, part.kind.is_content()).await
    }

    async fn tail(&mut self, mut last: Instant) -> Result<Option<Cut>, Close> {
        match &self.answer.tail {
            Tail::Complete => {
                if let Some(rest) = self.coder.take().and_then(|coder| coder.finish().ok()) {
                    self.sink.data(rest.into()).await?;
                }
                self.sink.end().await?;
                Ok(None)
            }
            Tail::Silence => {
                self.pause(None).await?;
                Ok(None)
            }
            Tail::Cut(cut) => Ok(Some(*cut)),
            Tail::Forever(pace, content) => loop {
                last = last.checked_add(*pace).unwrap_or(last);
                self.pause(Some(last)).await?;
                self.send(content, true).await?;
            },
        }
    }

    /// A wait after the head, filled with the answer's filler.
    async fn pause(&mut self, until: Option<Instant>) -> Result<(), Close> {
        let Some((every, content)) = &self.answer.filler else {
            return self.sink.rest(until).await;
        };
        // a filler without a pace would never let the wait end
        let every = (*every).max(Duration::from_micros(100));
        loop {
            let next = Instant::now().checked_add(every);
            if let (Some(until), Some(next)) = (until, next)
                && until <= next
            {
                return self.sink.rest(Some(until)).await;
            }
            self.sink.rest(next).await?;
            self.send(content, false).await?;
        }
    }

    async fn send(&mut self, content: &Content, is_content: bool) -> Result<(), Close> {
        let plain = self.pen.write(content);
        if plain.is_empty() {
            return Ok(());
        }
        let bytes = match &mut self.coder {
            None => plain,
            Some(coder) => {
                // writing to memory does not fail
                let _ = coder.write_all(&plain).and_then(|()| coder.flush());
                std::mem::take(coder.get_mut()).into()
            }
        };
        if bytes.is_empty() {
            return Ok(());
        }
        self.sink.data(bytes).await?;
        if let Some(entry) = self.entry {
            entry.chunk(is_content);
        }
        Ok(())
    }
}
