//! One member's turn: rest, queue, rest again after a wait, exchange, and what a failure does to health.

use super::{
    Answer, Cut, Cuts, Run, Served, Why,
    admit::Entries,
    cut::race,
    deadline_exceeded,
    hold::{Held, hold},
};
use crate::{
    clock::{Clock, Limits},
    deadline::Deadline,
    failure::{Code, Failure, Limit, Sent},
    lane::Permit,
    plan::TargetId,
    room::Lease,
    target::Target,
    upstream::{Attempt, Head, Pieces, Progress, Upstream},
};
use bytes::Bytes;
use std::{collections::VecDeque, pin::pin, time::Duration};
use tokio::time::Instant;

/// A stream at its first content: everything that must end with it.
pub struct Live<P> {
    pub(crate) pieces: P,
    /// Until the upstream's last byte.
    pub(crate) permit: Option<Permit>,
    pub(crate) verdict: Verdict,
    pub(crate) held: VecDeque<Bytes>,
    /// The memory that what is held stands for.
    pub(crate) lease: Lease,
    pub(crate) limits: Limits,
    /// When the attempt was dispatched.
    pub(crate) dispatched: Instant,
    /// The end condition was met within what is held.
    pub(crate) ended: bool,
    /// The end marker is among what is held.
    pub(crate) marked: bool,
    /// Content is among what is held: an early or an empty answer commits without.
    pub(crate) content: bool,
    /// The answer is an error, of which health was told.
    pub(crate) failed: Option<Box<Failure>>,
}

/// What the end of a stream means for its target's health.
pub(crate) struct Verdict {
    entries: Option<Entries>,
    target: Target,
    id: TargetId,
}

impl Verdict {
    pub(crate) fn succeed(self) {
        if let Some(e) = self.entries {
            e.succeed();
        }
    }

    pub(crate) fn fail(self, failure: &mut Failure) {
        failure.target = Some((self.id, self.target.name.clone()));
        if let Some(e) = self.entries {
            e.judge(&self.target, failure);
        }
    }
}

impl<U: Upstream> Run<U> {
    pub(super) async fn try_member(&mut self, id: TargetId) -> Served<U::Pieces> {
        let engine = self.engine.clone();
        let Some(target) = engine.targets.get(usize::from(id.0)) else {
            return Err(Failure::new(
                Code::Internal,
                "the plan names a target that is not there",
            ));
        };
        let unsuited = |f| label(f, id, target, Sent::No);
        engine.upstream.suits(id, &self.call).map_err(unsuited)?;
        self.rested(id, target)?;
        let reserve = self.reserve(target);
        let permit = self.admit(id, target, reserve).await?;
        self.floor()?;
        let entries = self.enter(id, target)?;
        if !self.walk.is_retry() {
            target.budget.deposit();
        }
        self.walk.attempted();
        self.exchange(id, target, permit, entries, reserve).await
    }

    async fn exchange(
        &mut self,
        id: TargetId,
        target: &Target,
        permit: Permit,
        entries: Option<Entries>,
        reserve: Option<Cut>,
    ) -> Served<U::Pieces> {
        let progress = Progress::new();
        let (number, span) = self.record.attempt_started(&target.name, progress.clone());
        let limit = target.limits.whole(self.call.stream).map(|(_, d)| d);
        let trace = self.record.report().trace.clone();
        let attempt = Attempt {
            number,
            left: self.call.deadline.total_left(),
            limit,
            trace: &trace,
            span,
            progress: &progress,
        };
        let cuts = Cuts::of(&self.call.deadline).with(reserve).with_clocks(
            &target.limits,
            self.call.stream,
            progress.started(),
        );
        let engine = self.engine.clone();
        let mut permit = Some(permit);
        let (call, record) = (&self.call, &mut self.record);
        let raced = {
            let step = pin!(async {
                let pieces = engine.upstream.send(id, call, &attempt).await?;
                record.answered(pieces.head());
                hold(pieces, call, target.allow_empty, &progress, &mut permit).await
            });
            race(step, cuts, Some(&progress)).await
        };
        let failure = match raced {
            Ok(Ok(held)) => {
                return Ok(self.commit(id, target, permit, entries, held, progress.started()));
            }
            Ok(Err(failure)) if !self.deadline_now(&progress).spent() => failure,
            Ok(Err(_)) | Err(Why::Deadline | Why::QueueWait) => {
                deadline_exceeded(&self.deadline_now(&progress))
            }
            Err(Why::Clock(clock, length)) => {
                timed_out(target, clock, length, progress.started().elapsed())
            }
        };
        drop(permit);
        let failure = label(failure, id, target, progress.sent());
        self.record.attempt_ended(Some(&failure), None);
        if let Some(e) = entries {
            e.judge(target, &failure);
        }
        Err(failure)
    }

    /// The deadline as it binds now: with content on its way, without what binds up to it.
    fn deadline_now(&self, progress: &Progress) -> Deadline {
        let mut deadline = self.call.deadline;
        if progress.first_content_time().is_some() {
            deadline.content_arrived();
        }
        deadline
    }

    fn commit(
        &mut self,
        id: TargetId,
        target: &Target,
        permit: Option<Permit>,
        entries: Option<Entries>,
        held: Held<U::Pieces>,
        dispatched: Instant,
    ) -> (Head, Answer<U::Pieces>) {
        let head = held.pieces.head().clone();
        let failed = held.pieces.failure().cloned().map(Box::new);
        let failed = failed.map(|failure| label(failure, id, target, Sent::Yes));
        let entries = match (entries, &failed) {
            (Some(entries), Some(failure)) => {
                entries.judge(target, failure);
                None
            }
            (entries, _) => entries,
        };
        let content = held.content && failed.is_none();
        self.record.committed(held.by, content);
        self.record.held_back(held.bytes);
        // the caller's body was kept for another attempt; there will be none
        self.call.body = Bytes::new();
        if !self.call.stream {
            self.record.attempt_ended(None, Some(held.pieces.summary()));
            drop(permit);
            if let Some(e) = entries {
                e.succeed();
            }
            return (head, Answer::Whole(whole(held.held)));
        }
        let live = Live {
            pieces: held.pieces,
            permit,
            verdict: Verdict {
                entries: entries.map(Entries::begun),
                target: target.clone(),
                id,
            },
            held: held.held,
            lease: held.lease,
            limits: target.limits,
            dispatched,
            ended: held.ended,
            marked: held.marked,
            content: held.content,
            failed,
        };
        (head, Answer::Stream(Box::new(live)))
    }
}

/// The pieces of a unary answer: one, in practice.
fn whole(mut held: VecDeque<Bytes>) -> Bytes {
    if held.len() <= 1 {
        return held.pop_front().unwrap_or_default();
    }
    held.into_iter().flatten().collect()
}

pub(crate) fn timed_out(
    target: &Target,
    clock: Clock,
    limit: Duration,
    elapsed: Duration,
) -> Box<Failure> {
    let ms = limit.as_millis();
    let text = match clock {
        Clock::Reserve => format!(
            "target {} had no content after {ms} ms, the rest of the time is kept for the next member",
            target.name
        ),
        _ => format!(
            "target {} reached its {} of {ms} ms",
            target.name,
            clock.as_str()
        ),
    };
    let mut f = Failure::new(Code::Timeout, text);
    f.limit = Some(Limit {
        clock,
        limit,
        elapsed,
    });
    f
}

fn label(mut f: Box<Failure>, id: TargetId, target: &Target, sent: Sent) -> Box<Failure> {
    f.target = Some((id, target.name.clone()));
    f.sent = f.sent.max(sent);
    f
}
