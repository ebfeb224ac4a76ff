//! Members of a plan that never get their turn, found by running the plan.

use super::{Desk, routes::Leaves};
use crate::{
    config::Config,
    ladder::{Climb, Fate},
    path::Path,
    route::{RouteConfig, Shape},
    unit::show,
};
use punctual_core::{Code, Registry, TargetId};
use std::collections::HashSet;

/// Warns about every leaf that cannot run, or runs only when those before it fail fast.
pub(super) fn check(config: &Config, plans: &[Leaves], desk: &mut Desk<'_>) {
    for (n, (route, plan)) in config.routes.iter().zip(plans).enumerate() {
        let repeated = repeated(route, plan);
        for (id, at) in &repeated {
            let name = config
                .targets
                .get(usize::from(id.0))
                .map_or("", |t| t.name.as_str());
            desk.warn(at, format!("this member never runs: {name} stands before it, and a target is tried once a pass"))
                .hint("put a retry around the first, or take this one out");
        }
        let most = route.plan.plan(&Registry::default()).max_attempts();
        let total = route.policy.max_attempts_total;
        if most > u64::from(total) {
            desk.warn(
                &plan.at.key("plan"),
                format!(
                    "the plan can make {most} attempts; max_attempts_total stops it at {total}"
                ),
            )
            .hint("lower max_attempts of a retry, or set max_attempts_total");
        }
        let fast = seen(&config.climbs(n, Fate::At(Code::ServerError)));
        let silent = silent(config, n);
        for (id, at) in plan
            .leaves
            .iter()
            .filter(|(_, at)| repeated.iter().all(|(_, r)| r != at))
        {
            if !fast.contains(id) {
                desk.warn(at, format!("this member never runs after 5xx: max_attempts_total of {total} is used up before"))
                    .hint("lower max_attempts of the retry before it");
            } else if !silent.contains(id) {
                unreached(config, n, at, desk);
            }
        }
    }
}

fn seen(climbs: &[Climb]) -> HashSet<TargetId> {
    climbs
        .iter()
        .flat_map(|c| c.rungs.iter().map(|r| r.target))
        .collect()
}

fn silent(config: &Config, n: usize) -> HashSet<TargetId> {
    let both = [true, false].map(|stream| seen(&config.climbs(n, Fate::Silent { stream })));
    let [streamed, unary] = both;
    streamed.intersection(&unary).copied().collect()
}

fn unreached(config: &Config, n: usize, at: &Path, desk: &mut Desk<'_>) {
    let before = config.climbs(n, Fate::Silent { stream: true });
    let last = before.iter().filter_map(|c| c.rungs.last()).next_back();
    let stops = last.and_then(|r| config.targets.get(usize::from(r.target.0)));
    if stops.is_some_and(|t| !t.replay_timeouts) {
        // said on purpose: a request that may have been sent is not sent again
        return;
    }
    match config.ceiling(n) {
        Some(deadline) => desk
            .warn(
                at,
                format!("this member never runs when those before it are silent: they can take all of {}", show(deadline)),
            )
            .hint("give them a first_token_timeout and a unary_timeout, or a reserve"),
        None => desk
            .warn(at, "this member never runs when those before it are silent: nothing limits them")
            .hint("give them a timeout, or the route a deadline"),
    }
}

/// Leaves whose target certainly stands before them in the same pass.
fn repeated(route: &RouteConfig, plan: &Leaves) -> Vec<(TargetId, Path)> {
    let (mut found, mut leaf) = (Vec::new(), 0);
    certain(&route.plan, &HashSet::new(), &mut leaf, &mut found);
    found
        .into_iter()
        .filter_map(|n| plan.leaves.get(n).cloned())
        .collect()
}

/// Targets that `shape` certainly asks when all fails; notes leaves among `before`.
fn certain(
    shape: &Shape,
    before: &HashSet<TargetId>,
    leaf: &mut usize,
    found: &mut Vec<usize>,
) -> HashSet<TargetId> {
    match shape {
        Shape::Target(id) => {
            if before.contains(id) {
                found.push(*leaf);
            }
            *leaf += 1;
            HashSet::from([*id])
        }
        Shape::Retry { of, .. } => certain(of, before, leaf, found),
        Shape::Fallback { of, .. } => {
            let mut sure = before.clone();
            for member in of {
                let more = certain(member, &sure, leaf, found);
                sure.extend(more);
            }
            sure
        }
        Shape::RoundRobin { of, .. } => {
            for member in of {
                certain(member, before, leaf, found);
            }
            HashSet::new()
        }
    }
}
