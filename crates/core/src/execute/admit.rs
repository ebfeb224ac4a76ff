//! A member's turn up to its permit: does it rest, is there room, how long may it wait.

use super::{Cut, Cuts, Run, Why, cut::race};
use crate::{
    clock::{Clock, Reserve},
    failure::{Code, Failure},
    health::{Entry, Rest, Resting},
    lane::{Admission, Permit, QueueRefusal},
    plan::TargetId,
    target::Target,
    upstream::Upstream,
};
use std::time::Duration;
use tokio::time::Instant;

/// A target and its credential, both entered. Dropped unsettled it is no verdict.
#[derive(Debug)]
pub(super) struct Entries {
    target: Entry,
    credential: Entry,
}

impl Entries {
    pub(super) fn succeed(self) {
        self.target.succeed();
        self.credential.succeed();
    }

    pub(super) fn fail(self) {
        self.target.fail();
    }
}

impl<U: Upstream> Run<U> {
    /// Whether `id` rests; not looked at when this request waited out what the target asked for.
    pub(super) fn rested(&self, id: TargetId, target: &Target) -> Result<(), Box<Failure>> {
        if self.walk.waited_for(id) || self.last_resort == Some(id) {
            return Ok(());
        }
        let resting = target
            .health
            .resting()
            .or_else(|| target.credential.resting());
        resting.map_or(Ok(()), |r| Err(rests(id, target, r)))
    }

    /// Enters the target's health for the length of an attempt.
    pub(super) fn enter(
        &self,
        id: TargetId,
        target: &Target,
    ) -> Result<Option<Entries>, Box<Failure>> {
        if !target.benchable {
            return Ok(None);
        }
        let force = self.walk.waited_for(id) || self.last_resort == Some(id);
        let enter = || -> Result<Entries, Resting> {
            let credential = target.credential.enter(force)?;
            Ok(Entries {
                target: target.health.enter(force)?,
                credential,
            })
        };
        enter().map(Some).map_err(|r| rests(id, target, r))
    }

    /// The instant at which this member must have content, so that those behind still get their time.
    pub(super) fn reserve(&self, target: &Target) -> Option<Cut> {
        let left = self.call.deadline.left()?;
        let behind = self.walk.behind(self.engine.targets.as_slice());
        if behind == 0 || target.reserve == Reserve::None {
            return None;
        }
        let mine = left.saturating_sub(target.reserve.keep(left, behind));
        Cut::clock(Clock::Reserve, Instant::now(), mine)
    }

    /// Waits for a permit. Exactly one queue report per admission, also when there was no wait.
    pub(super) async fn admit(
        &mut self,
        id: TargetId,
        target: &Target,
        reserve: Option<Cut>,
    ) -> Result<Permit, Box<Failure>> {
        self.record.queue_joined(&target.name);
        if let Some(permit) = target.lane.try_admit() {
            self.record.queue_left(None);
            return Ok(permit);
        }
        let admission = self.admission();
        self.record
            .queue_waits(&target.name, target.lane.predicted_wait(&admission));
        let others = self.call.plan.targets().len() > 1;
        let longest = target
            .max_queue_wait
            .or(others.then_some(Duration::from_secs(10)));
        let cuts = Cuts::default()
            .with(Cut::deadline(&self.call.deadline))
            .with(reserve)
            .with(longest.and_then(Cut::queue_wait));
        let refusal = match race(target.lane.admit(&admission), cuts, None).await {
            Ok(Ok(permit)) => {
                self.record.queue_left(None);
                return Ok(permit);
            }
            Ok(Err(QueueRefusal::Full)) => ("full", Code::QueueFull),
            Ok(Err(QueueRefusal::WouldExpire)) => ("would_expire", Code::QueueWouldExpire),
            Err(Why::Deadline) => {
                self.record.queue_left(Some("deadline"));
                return Err(self.too_late(None));
            }
            Err(_) => ("timeout", Code::QueueTimeout),
        };
        self.record.queue_left(Some(refusal.0));
        Err(refused(id, target, refusal.1))
    }

    fn admission(&self) -> Admission {
        let deadline = &self.call.deadline;
        Admission {
            arrived: deadline.started(),
            rank_by: deadline.operator(),
            patience: self.call.policy.patience,
            expires: deadline.at(),
            key: self.call.key.clone(),
        }
    }
}

fn rests(id: TargetId, target: &Target, resting: Resting) -> Box<Failure> {
    let (code, why) = match resting.rest {
        Rest::Cooling => (Code::CoolingDown, "asked for a pause"),
        Rest::Open => (Code::BreakerOpen, "is resting after failures"),
    };
    let mut f = Failure::new(code, format!("target {} {why}", target.name));
    f.target = Some((id, target.name.clone()));
    f.retry_after = Some(resting.left);
    f
}

fn refused(id: TargetId, target: &Target, code: Code) -> Box<Failure> {
    let why = match code {
        Code::QueueFull => "the queue is full",
        Code::QueueWouldExpire => "the request would expire in the queue",
        _ => "the queue was too slow",
    };
    let mut f = Failure::new(code, format!("target {}: {why}", target.name));
    f.target = Some((id, target.name.clone()));
    f.retry_after = Some(Duration::from_secs(1));
    f
}
