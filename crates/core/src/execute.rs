//! The path of a request through the engine: walk the plan, take a permit, try, fail over, commit.
//!
//! [`open`] is the whole of it. It is owned, so that at the first heartbeat it can move into the response
//! body and go on there, and it has all the `.await`s there are: dropping it leaves a queue, closes an
//! exchange, returns a permit, ends a pause.
//!
//! When several things are ready at once, a complete answer wins over the deadline, and the deadline over a
//! failure: an answer is paid for, and a spent budget is a spent budget whatever the last error was.

use crate::{
    bond::{self, Bond},
    call::Call,
    deadline::{Deadline, Source},
    failure::{Code, Failure},
    health::Rest,
    plan::TargetId,
    record::Record,
    target::Target,
    upstream::{Head, Upstream},
    walk::{Next, Walk, jittered},
};
use bytes::Bytes;
use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

mod admit;
mod attempt;
mod cut;
mod ground;
mod hold;
pub use attempt::Live;
use cut::{Cut, Cuts, Why};

/// What a snapshot gives the engine: the targets its plans name, and the way to them.
#[derive(Debug)]
pub struct Engine<U> {
    /// By [`TargetId`].
    pub targets: Vec<Target>,
    /// The way to the providers.
    pub upstream: U,
}

/// An answer on its way to the caller.
pub enum Answer<P> {
    /// A unary answer, read and judged whole; its permit is already back.
    Whole(Bytes),
    /// A stream at its first content.
    Stream(Box<Live<P>>),
}

/// A request that has an answer.
pub struct Open<P> {
    /// Status and headers for the caller.
    pub head: Head,
    /// The answer.
    pub answer: Answer<P>,
    /// Closes when dropped.
    pub record: Record,
}

/// A request that has none.
#[derive(Debug)]
pub struct Refused {
    /// The last word; already in the record.
    pub failure: Box<Failure>,
    /// Closes when dropped.
    pub record: Record,
}

/// What [`open`] comes to.
pub type Opened<P> = Result<Open<P>, Refused>;

/// [`open`], boxed, for moving it into a response body.
pub type Opening<P> = Pin<Box<dyn Future<Output = Opened<P>> + Send>>;

/// Serves one call by its plan, to the first content or to the end of the plan. The call is boxed: it is
/// large, and moves from hand to hand before it is served.
pub async fn open<U: Upstream>(
    engine: Arc<Engine<U>>,
    call: impl Into<Box<Call>>,
    record: Record,
) -> Opened<U::Pieces> {
    let mut call: Box<Call> = call.into();
    let bond = engine.upstream.bond(&call);
    let plan = match bond.narrow(&call.plan) {
        Ok(plan) => plan,
        Err(failure) => return refused(failure, record),
    };
    let walk = Walk::new(plan.clone());
    call.plan = plan;
    let mut run = Run {
        engine,
        call,
        record,
        walk,
        last_resort: None,
    };
    match run.serve().await {
        Ok((head, answer)) => Ok(Open {
            head,
            answer,
            record: run.record,
        }),
        Err(failure) if bond == Bond::Free => refused(failure, run.record),
        Err(failure) => refused(bond::resting(failure), run.record),
    }
}

fn refused<P>(failure: Box<Failure>, mut record: Record) -> Opened<P> {
    record.fail(&failure);
    Err(Refused { failure, record })
}

struct Run<U: Upstream> {
    engine: Arc<Engine<U>>,
    call: Box<Call>,
    record: Record,
    walk: Walk,
    /// Set once the plan had nothing but resting targets and one of them is tried all the same.
    last_resort: Option<TargetId>,
}

type Served<P> = Result<(Head, Answer<P>), Box<Failure>>;

impl<U: Upstream> Run<U> {
    async fn serve(&mut self) -> Served<U::Pieces> {
        loop {
            let Some(id) = self.walk.next(self.engine.targets.as_slice()) else {
                self.last_resort().await?;
                continue;
            };
            let failure = match self.try_member(id).await {
                Ok(served) => return Ok(served),
                Err(failure) => failure,
            };
            if failure.code == Code::DeadlineExceeded {
                return Err(failure);
            }
            if self.call.deadline.spent() {
                return Err(self.too_late(None));
            }
            self.go_on(failure).await?;
        }
    }

    /// What follows a member's failure.
    async fn go_on(&mut self, failure: Box<Failure>) -> Result<(), Box<Failure>> {
        let target = failure.target.as_ref().map(|(_, name)| name.clone());
        let (left, source) = (self.call.deadline.left(), self.call.deadline.source());
        let rule = failure.code.rule();
        // under `min_attempt` even the last of several attempts that could go on is a matter of time
        let again = rule.attempted && (rule.retry || rule.fall_back);
        let next = self
            .walk
            .fail(failure, left, &self.call.policy, &*self.engine);
        if self.walk.take_budget_empty() {
            self.record.budget_empty();
        }
        match next {
            Next::Go => self.floor(),
            Next::After(pause) => {
                self.floor()?;
                self.pause(pause, target, false).await
            }
            Next::Stop if self.walk.only_skipped() && self.last_resort.is_none() => {
                self.last_resort().await
            }
            Next::Stop if again => {
                self.floor()?;
                if self.walk.out_of_time() && source == Some(Source::Execution) {
                    return Err(self.too_late(Some("no_time_to_retry")));
                }
                Err(self.verdict())
            }
            Next::Stop => Err(self.verdict()),
        }
    }

    fn verdict(&mut self) -> Box<Failure> {
        let none = || Failure::new(Code::Internal, "the plan of this route has no target");
        self.walk.verdict().unwrap_or_else(none)
    }

    /// No attempt starts with less than `min_attempt` left.
    fn floor(&mut self) -> Result<(), Box<Failure>> {
        match self.call.deadline.left() {
            Some(left) if left.is_zero() => Err(self.too_late(None)),
            Some(left) if left < self.call.policy.min_attempt => {
                Err(self.too_late(Some("below_min_attempt")))
            }
            _ => Ok(()),
        }
    }

    fn too_late(&self, reason: Option<&'static str>) -> Box<Failure> {
        let mut failure = deadline_exceeded(&self.call.deadline);
        failure.reason = reason;
        failure
    }

    async fn pause(
        &mut self,
        pause: Duration,
        target: Option<Arc<str>>,
        cooldown: bool,
    ) -> Result<(), Box<Failure>> {
        self.record.backoff_started(target, cooldown);
        let cuts = Cuts::of(&self.call.deadline);
        let slept = cut::race(pin!(tokio::time::sleep(pause)), cuts, None).await;
        self.record.backoff_ended(slept.is_err());
        slept.map_err(|_| self.too_late(None))
    }

    /// Only resting targets: wait for the one that cools soonest, else probe the one that opens soonest.
    async fn last_resort(&mut self) -> Result<(), Box<Failure>> {
        let resting = self.resting();
        // one that was refused for another reason is no resting target
        let all_rest = resting.len() == self.walk.remaining().len();
        if self.last_resort.is_some() || !self.walk.only_skipped() || !all_rest {
            return Err(self.verdict());
        }
        let soonest = |rest: Rest| {
            let of = resting.iter().filter(|r| r.1 == rest);
            of.min_by_key(|r| r.2).copied()
        };
        let policy = &self.call.policy;
        let usable = self
            .call
            .deadline
            .left()
            .map(|l| l.saturating_sub(policy.min_attempt));
        let fits =
            |wait: Duration| wait <= policy.max_cooldown_wait && usable.is_none_or(|u| wait < u);
        let aim = match (soonest(Rest::Cooling), soonest(Rest::Open)) {
            (Some((id, _, wait)), _) if fits(wait) => {
                let name = self.target(id).map(|t| t.name.clone());
                self.pause(jittered(wait, usable), name, true).await?;
                id
            }
            (None, Some((id, ..))) => id,
            _ => return Err(self.verdict()),
        };
        self.last_resort = Some(aim);
        self.walk.restart(aim);
        Ok(())
    }

    fn resting(&self) -> Vec<(TargetId, Rest, Duration)> {
        let of = |id: TargetId| {
            let t = self.target(id)?;
            let rests = [t.health.resting(), t.credential.resting()]
                .into_iter()
                .flatten();
            rests.max_by_key(|r| r.left).map(|r| (id, r.rest, r.left))
        };
        self.walk.remaining().into_iter().filter_map(of).collect()
    }

    fn target(&self, id: TargetId) -> Option<&Target> {
        self.engine.targets.get(usize::from(id.0))
    }
}

/// The one way to say that a request's time is up.
#[must_use]
pub fn deadline_exceeded(deadline: &Deadline) -> Box<Failure> {
    let ms = deadline.budget().unwrap_or_default().as_millis();
    let from = match deadline.source() {
        Some(source) => source.header().map_or_else(
            || format!("the {}", source.as_str()),
            |h| format!("header {h}"),
        ),
        None => "the request".to_owned(),
    };
    Failure::new(
        Code::DeadlineExceeded,
        format!("the request's deadline of {ms} ms (set by {from}) has passed"),
    )
}
