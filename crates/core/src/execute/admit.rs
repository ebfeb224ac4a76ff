//! A member's turn up to its permit: does it rest, is there room, how long may it wait.

use super::{Cut, Cuts, Run, Why, cut::race};
use crate::{
    clock::{Clock, Reserve},
    failure::{Code, Failure},
    health::{Entry, Pass, Rest, Resting},
    lane::{Admission, Permit, QueueRefusal},
    plan::TargetId,
    target::Target,
    upstream::Upstream,
};
use http::StatusCode;
use std::{pin::pin, time::Duration};
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

    /// What a failure does to the target's health and to its credential's.
    pub(super) fn judge(self, target: &Target, f: &Failure) {
        match (f.code, f.status) {
            (Code::QuotaExhausted, _) => {
                let length = f.retry_after.unwrap_or(Duration::from_secs(60));
                self.credential.bench(Some(length));
            }
            (Code::Unauthorized, Some(StatusCode::FORBIDDEN)) | (Code::NotFound, _)
                if f.benches =>
            {
                self.target.bench(None);
            }
            (Code::Unauthorized, status) if status != Some(StatusCode::FORBIDDEN) => {
                self.credential.unauthorized();
            }
            _ => {
                if let Some(hint) = f.retry_after {
                    target.health.cool(hint);
                }
                if f.counts() {
                    self.target.fail();
                }
            }
        }
    }

    /// A stream has begun well.
    pub(super) fn begun(self) -> Self {
        Self {
            target: self.target.begun(),
            credential: self.credential.begun(),
        }
    }
}

impl<U: Upstream> Run<U> {
    /// What this request may enter in spite of: a cooldown it has waited out, or, once nothing else was
    /// left, anything.
    fn pass(&self, id: TargetId) -> Pass {
        if self.last_resort == Some(id) {
            Pass::Probe
        } else if self.walk.waited_for(id) {
            Pass::Cooling
        } else {
            Pass::Healthy
        }
    }

    /// Whether `id` rests.
    pub(super) fn rested(&self, id: TargetId, target: &Target) -> Result<(), Box<Failure>> {
        let pass = self.pass(id);
        let resting = [target.health.resting(), target.credential.resting()];
        let stopped = resting
            .into_iter()
            .flatten()
            .find(|r| pass.is_stopped_by(r));
        stopped.map_or(Ok(()), |r| Err(rests(id, target, r)))
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
        let pass = self.pass(id);
        let enter = || -> Result<Entries, Resting> {
            let credential = target.credential.enter(pass)?;
            Ok(Entries {
                target: target.health.enter(pass)?,
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
        if let Some(permit) = target.lane.try_admit() {
            self.record.queue_passed(&target.name);
            return Ok(permit);
        }
        self.record.queue_joined(&target.name);
        let admission = self.admission();
        self.record
            .queue_waits(&target.name, target.lane.predicted_wait(&admission));
        let others = self.call.plan.targets().len() > 1;
        let longest = target
            .max_queue_wait
            .or(others.then_some(Duration::from_secs(10)));
        let cuts = Cuts::of(&self.call.deadline)
            .with(reserve)
            .with(longest.and_then(Cut::queue_wait));
        let admitted = pin!(target.lane.admit(&admission));
        let refusal = match race(admitted, cuts, None).await {
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
