//! What a walk asks about targets, and what live ones answer.
//!
//! The worst-case check of a configuration walks the same plans on a ground of its own, where nothing rests
//! and every pause is as long as it can be.

use crate::{
    failure::Failure,
    plan::{Plan, TargetId},
    retry::Backoff,
    target::Target,
};
use std::time::Duration;

/// What the walk asks about targets.
pub trait Ground {
    /// Whether the target rests now.
    fn rests(&self, target: TargetId) -> bool;
    /// Takes one retry from the target's budget.
    fn withdraw(&self, target: TargetId) -> bool;
    /// Whether it may be asked again after the request may have been sent.
    fn replays(&self, target: TargetId) -> bool;
    /// The pause after `attempt` failed attempts.
    fn delay(&self, backoff: &Backoff, attempt: u32) -> Duration;
    /// What somebody says of retrying `failure` under the retry node `node`, in place of its rules.
    fn judge(&self, _node: &Plan, _failure: &Failure) -> Option<bool> {
        None
    }
}

impl Ground for [Target] {
    fn rests(&self, t: TargetId) -> bool {
        self.get(usize::from(t.0))
            .is_some_and(|t| t.health.resting().is_some() || t.credential.resting().is_some())
    }

    fn withdraw(&self, t: TargetId) -> bool {
        self.get(usize::from(t.0))
            .is_none_or(|t| t.budget.withdraw())
    }

    fn replays(&self, t: TargetId) -> bool {
        self.get(usize::from(t.0)).is_none_or(|t| t.replay_timeouts)
    }

    fn delay(&self, backoff: &Backoff, attempt: u32) -> Duration {
        backoff.draw(attempt)
    }
}
