//! From a checked configuration to what the engine runs on.
//!
//! Lanes, health, budgets and counters come from the registry by identity, so a second configuration
//! over the same registry continues where the first stood.

use crate::{config::Config, target::TargetConfig};
use punctual_core::{Plan, Policy, Registry, Target};
use std::sync::Arc;

/// What a snapshot gives the engine.
#[derive(Debug)]
pub struct EngineParts {
    /// By `TargetId`, in the order of [`Config::targets`].
    pub targets: Vec<Target>,
    /// By route, in the order of [`Config::routes`].
    pub plans: Vec<Arc<Plan>>,
    /// By route.
    pub policies: Vec<Arc<Policy>>,
}

impl Config {
    /// Targets, plans and policies over what `registry` keeps.
    #[must_use]
    pub fn engine_parts(&self, registry: &Registry) -> EngineParts {
        EngineParts {
            targets: self.targets.iter().map(|t| target(t, registry)).collect(),
            plans: self.routes.iter().map(|r| r.plan.plan(registry)).collect(),
            policies: self.routes.iter().map(|r| r.policy.clone()).collect(),
        }
    }
}

fn target(t: &TargetConfig, registry: &Registry) -> Target {
    Target {
        name: t.name.as_str().into(),
        limits: t.limits,
        reserve: t.reserve,
        replay_timeouts: t.replay_timeouts,
        allow_empty: t.allow_empty,
        benchable: t.benchable,
        lane: registry.lane(&t.lane_id, t.lane),
        max_queue_wait: t.max_queue_wait,
        health: registry.health(&t.health_id),
        credential: registry.health(&t.credential_id),
        budget: registry.budget(&t.budget_id),
    }
}
