//! What a running request's walk asks: its targets for their state, the upstream for its judgement.

use super::Engine;
use crate::{
    failure::Failure,
    plan::{Plan, TargetId},
    retry::Backoff,
    upstream::Upstream,
    walk::Ground,
};
use std::time::Duration;

impl<U: Upstream> Ground for Engine<U> {
    fn rests(&self, target: TargetId) -> bool {
        self.targets.as_slice().rests(target)
    }

    fn withdraw(&self, target: TargetId) -> bool {
        self.targets.as_slice().withdraw(target)
    }

    fn replays(&self, target: TargetId) -> bool {
        self.targets.as_slice().replays(target)
    }

    fn delay(&self, backoff: &Backoff, attempt: u32) -> Duration {
        self.targets.as_slice().delay(backoff, attempt)
    }

    fn judge(&self, node: &Plan, failure: &Failure) -> Option<bool> {
        self.upstream.judge(node, failure)
    }
}
