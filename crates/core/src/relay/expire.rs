//! Ending a response from beside its connection: deadline, stall, shutdown.

use super::{Cell, Stage, lock};
use crate::{
    clock::reached,
    execute::deadline_exceeded,
    failure::{Code, Failure},
    record::{Outcome, Reason, Report, Word},
    upstream::Pieces,
    vigil::{Expire, LAST_WORDS},
};
use std::{sync::Mutex, time::Duration};
use tokio::time::Instant;

impl<P: Pieces> Expire for Mutex<Cell<P>> {
    fn due(&self, blocked: Option<Instant>) -> Option<Instant> {
        lock(self).due(blocked)
    }

    fn look(&self, blocked: Option<Instant>) -> bool {
        let mut cell = lock(self);
        if let Some(at) = cell.expired_at {
            return reached(at);
        }
        let running = matches!(cell.stage, Stage::Opening { .. } | Stage::Live(_));
        let debris = if running && cell.ends_at.is_some_and(reached) {
            cell.expire(Ending::Deadline)
        } else if cell.stalled_at(blocked).is_some_and(reached) {
            cell.expire(Ending::Stalled)
        } else {
            return false;
        };
        let over = cell.expired_at.is_some_and(reached);
        drop(cell);
        drop(debris);
        over
    }

    fn drain(&self) {
        let mut cell = lock(self);
        let debris = cell.expire(Ending::Shutdown);
        drop(cell);
        drop(debris);
    }
}

#[derive(Clone, Copy)]
enum Ending {
    Deadline,
    Stalled,
    Shutdown,
}

impl<P: Pieces> Cell<P> {
    /// The server takes frames into buffers of its own for a while although the socket takes nothing.
    fn stalled_at(&self, blocked: Option<Instant>) -> Option<Instant> {
        let blocked = blocked.map(|since| since.max(self.opened_at));
        let since = [self.handed_at, blocked].into_iter().flatten().min()?;
        since.checked_add(self.stall?)
    }

    fn due(&self, blocked: Option<Instant>) -> Option<Instant> {
        if let Some(at) = self.expired_at {
            // once looked at in vain there is nothing left to do for it
            return Some(at).filter(|at| !reached(*at));
        }
        match self.stage {
            // bytes that are the caller's to take: only a stall ends them, also when the last of them was
            // handed over and the server, still holding on to this, could not pass it on
            Stage::Done | Stage::Last(..) | Stage::Cut(_) => self.next_stall_check(blocked),
            _ => [self.ends_at, self.next_stall_check(blocked)]
                .into_iter()
                .flatten()
                .min(),
        }
    }

    /// A frame handed over later is found by the check that would be due if it were handed over now.
    fn next_stall_check(&self, blocked: Option<Instant>) -> Option<Instant> {
        let from_now = || Instant::now().checked_add(self.stall?);
        self.stalled_at(blocked).or_else(from_now)
    }

    /// Ends what is running; returns what must be dropped after unlocking.
    fn expire(&mut self, ending: Ending) -> Option<Stage<P>> {
        let over = matches!(self.stage, Stage::Done | Stage::Last(..) | Stage::Cut(_));
        if over && !matches!(ending, Ending::Stalled) {
            return None;
        }
        if !matches!(ending, Ending::Stalled)
            && matches!(&self.stage, Stage::Live(stream) if stream.is_delivered())
        {
            return self.complete_now();
        }
        let mut old = std::mem::replace(&mut self.stage, Stage::Done);
        let now = Instant::now();
        if let Ending::Stalled = ending {
            self.stall_out(&mut old);
            self.expired_at = Some(now);
            return Some(old);
        }
        let failure = match (ending, &old) {
            (Ending::Shutdown, _) => shutting_down(),
            (_, Stage::Live(_)) => self
                .record
                .as_ref()
                .map_or_else(internal, |r| deadline_exceeded(&r.report().deadline)),
            _ => Failure::new(Code::DeadlineExceeded, "the request's deadline has passed"),
        };
        self.stage = match old {
            Stage::Opening { opening, fate, .. } => {
                let voice = self.voice.clone();
                let tell = move |f: &Failure, report: &Report| voice?.error_event(f, report, None);
                fate.say(Word::Failed(failure, Box::new(tell)));
                drop(opening);
                match fate.left() {
                    None => Stage::Done,
                    Some((_, None)) => Stage::Cut(false),
                    Some((_, Some(event))) => Stage::Last(event, false),
                }
            }
            Stage::Live(stream) => {
                let summary = stream.summary();
                drop(stream);
                self.end_with(&failure, Some(summary))
            }
            other => {
                drop(other);
                Stage::Done
            }
        };
        self.expired_at = now.checked_add(LAST_WORDS);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
        None
    }

    /// All that the stream was waiting for is the silence behind a complete answer.
    fn complete_now(&mut self) -> Option<Stage<P>> {
        let mut debris = Vec::new();
        self.complete(&mut debris);
        self.expired_at = Instant::now().checked_add(LAST_WORDS);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
        debris.pop()
    }

    fn stall_out(&mut self, old: &mut Stage<P>) {
        match old {
            Stage::Opening { fate, .. } => fate.say(Word::Cancelled(Reason::Stalled)),
            Stage::Live(stream) => {
                if let Some(mut record) = self.record.take() {
                    record.settle(Outcome::Cancelled, Some(Reason::Stalled));
                    let failure = stream.take_failure();
                    record.attempt_ended(failure.as_deref(), Some(stream.summary()));
                }
            }
            _ => {
                if let Some(mut record) = self.record.take() {
                    record.settle(Outcome::Cancelled, Some(Reason::Stalled));
                }
            }
        }
    }
}

fn shutting_down() -> Box<Failure> {
    let mut failure = Failure::new(Code::ShuttingDown, "the gateway is shutting down");
    failure.retry_after = Some(Duration::from_secs(1));
    failure
}

fn internal() -> Box<Failure> {
    Failure::new(Code::Internal, "internal error")
}
