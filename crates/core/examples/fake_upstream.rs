//! The engine alone, over an upstream in thirty lines: retry, fallback and a deadline around anything that
//! can answer. Run it with `cargo run -p punctual-core --example fake_upstream`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use bytes::Bytes;
use punctual_core::*;
use std::{sync::Arc, task::*, time::Duration};
use tokio::time::Instant;

/// Target 0 is down, target 1 answers.
struct Fake;

impl Upstream for Fake {
    type Pieces = Said;

    async fn send(
        &self,
        target: TargetId,
        _: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<Said, Box<Failure>> {
        attempt.progress.connected(false);
        match target {
            TargetId(0) => Err(Failure::new(Code::ServerError, "down")),
            _ => Ok(Said(Head::default(), Some("hello"))),
        }
    }
}

/// An answer of one piece.
struct Said(Head, Option<&'static str>);

impl Pieces for Said {
    fn head(&self) -> &Head {
        &self.0
    }
    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        let text = self.1.take().map(|text| Piece {
            bytes: Bytes::from_static(text.as_bytes()),
            kind: Kind::Content { text: true },
            end: Some(End::Stop),
        });
        Poll::Ready(text.map(Ok))
    }
    fn summary(&self) -> Summary {
        Summary::default()
    }
}

/// Tells every step.
struct Told;

impl Observer for Told {
    fn on(&self, _: &Report, event: &Event<'_>) {
        if let Event::AttemptEnded(attempt) = event {
            let how = attempt.failed.map_or("ok", Code::as_str);
            println!("attempt {} at {}: {how}", attempt.number, attempt.target);
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let leaf = |id| Arc::new(Plan::Target(TargetId(id)));
    let plan = Arc::new(Plan::Fallback {
        of: vec![leaf(0), leaf(1)],
        also_on: CodeSet::NONE,
    });
    let mut deadline = Deadline::starting(Instant::now());
    deadline.tighten(Duration::from_secs(2), Source::Call);
    let call = Call::new(Surface::Chat, plan, deadline);
    let trace = Trace::root();
    let record = Record::open("1".into(), Surface::Chat, trace, deadline, Arc::new(Told));
    let engine = Arc::new(Engine {
        targets: vec![Target::new("a"), Target::new("b")],
        upstream: Fake,
    });
    match open(engine, call, record).await {
        Ok(Open {
            answer: Answer::Whole(bytes),
            mut record,
            ..
        }) => {
            record.settle(Outcome::Ok, None);
            println!("{}", String::from_utf8_lossy(&bytes));
        }
        Ok(_) => println!("a stream"),
        Err(refused) => println!("{}", refused.failure.message),
    }
}
