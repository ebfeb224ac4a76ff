//! How long a plan can take: the engine's own walk, with made-up failures.
//!
//! Nobody adds up timeouts over nested retries and fallbacks in the head. So the walk that serves requests
//! is run here with every member silent until one of its clocks, the reserve or the deadline cuts it, and
//! every pause at its bound. What comes out is not a model of the engine but the engine, in made-up time.

use crate::{config::Config, target::TargetConfig};
use punctual_core::{
    Backoff, Clock, Code, Failure, Ground, Limit, Next, Plan, Policy, Registry, Reserve, Sent,
    TargetId, Walk,
};
use std::{sync::Arc, time::Duration};

mod table;

pub use table::{json, render};

/// Rungs after which a climb is given up; far more than `max_attempts_total` usually allows.
const MOST: usize = 1000;
/// What the engine waits for a permit where another member exists and the target says nothing.
const QUEUE_WAIT: Duration = Duration::from_secs(10);

/// The worst cases of a route.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The route.
    pub route: String,
    /// Its deadline: the earliest of its own and the server's.
    pub deadline: Option<Duration>,
    /// Streamed exchanges.
    pub streamed: Climb,
    /// Unary exchanges.
    pub unary: Climb,
}

/// One run through a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Climb {
    /// Attempts in order.
    pub rungs: Vec<Rung>,
    /// When it has ended; `None` when nothing ends it.
    pub worst: Option<Duration>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The target.
    pub target: TargetId,
    /// Its name.
    pub name: String,
    /// When it is its turn.
    pub starts: Duration,
    /// How long it may wait for a permit; `None` is without limit.
    pub queued: Option<Duration>,
    /// When it is cut; `None` when nothing cuts it.
    pub ends: Option<Duration>,
    /// What cuts it.
    pub cut: Cut,
    /// Time kept for the members behind.
    pub kept: Duration,
}

/// What ends a silent attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// One of its clocks, or the reserve.
    Clock(Clock),
    /// The request's deadline.
    Deadline,
    /// Nothing.
    Nothing,
}

/// How the members fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They accept and say nothing.
    Silent {
        /// A streamed exchange.
        stream: bool,
    },
    /// They answer at once with this.
    At(Code),
}

/// Targets in the worst case: nobody rests, every budget is full, every pause is at its bound.
struct Worst<'a>(&'a [TargetConfig]);

impl Ground for Worst<'_> {
    fn rests(&self, _: TargetId) -> bool {
        false
    }
    fn withdraw(&self, _: TargetId) -> bool {
        true
    }
    fn replays(&self, t: TargetId) -> bool {
        self.0
            .get(usize::from(t.0))
            .is_none_or(|t| t.replay_timeouts)
    }
    fn delay(&self, backoff: &Backoff, attempt: u32) -> Duration {
        backoff.bound(attempt)
    }
}

impl Config {
    /// The worst cases of every route, in the order of [`Config::routes`].
    #[must_use]
    pub fn ladders(&self) -> Vec<Ladder> {
        (0..self.routes.len())
            .filter_map(|n| self.ladder(n))
            .collect()
    }

    fn ladder(&self, n: usize) -> Option<Ladder> {
        let route = self.routes.get(n)?;
        let worst = |stream| {
            let climbs = self.climbs(n, Fate::Silent { stream });
            climbs
                .into_iter()
                .max_by_key(|c| c.worst.unwrap_or(Duration::MAX))
                .unwrap_or_default()
        };
        Some(Ladder {
            route: route.name.clone(),
            deadline: self.ceiling(n),
            streamed: worst(true),
            unary: worst(false),
        })
    }

    /// The earliest of the route's deadline and the server's.
    pub(crate) fn ceiling(&self, n: usize) -> Option<Duration> {
        let own = self.routes.get(n).and_then(|r| r.deadline);
        [own, self.server.request_deadline]
            .into_iter()
            .flatten()
            .min()
    }

    /// Runs a route's plan, once for each place its round robins can start at.
    pub(crate) fn climbs(&self, n: usize, fate: Fate) -> Vec<Climb> {
        let Some(route) = self.routes.get(n) else {
            return Vec::new();
        };
        let plan = route.plan.plan(&Registry::default());
        let climb = Climber {
            targets: &self.targets,
            policy: &route.policy,
            deadline: self.ceiling(n),
            fate,
        };
        (0..turns(&plan)).map(|_| climb.run(plan.clone())).collect()
    }
}

/// Runs that show every start of every round robin below, at most 64.
fn turns(plan: &Plan) -> usize {
    let below = |of: &[Arc<Plan>]| of.iter().map(|p| turns(p)).fold(1, usize::saturating_mul);
    let n = match plan {
        Plan::Target(_) => 1,
        Plan::Retry { of, .. } => turns(of),
        Plan::Fallback { of, .. } => below(of),
        Plan::RoundRobin { of, .. } => of.len().saturating_mul(below(of)),
    };
    n.min(64)
}

struct Climber<'a> {
    targets: &'a [TargetConfig],
    policy: &'a Policy,
    deadline: Option<Duration>,
    fate: Fate,
}

impl Climber<'_> {
    fn left(&self, now: Duration) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_sub(now))
    }

    fn run(&self, plan: Arc<Plan>) -> Climb {
        let ground = Worst(self.targets);
        let others = plan.targets().len() > 1;
        let (mut walk, mut now, mut rungs) = (Walk::new(plan), Duration::ZERO, Vec::new());
        while let Some(id) = walk.next(&ground) {
            let Some(target) = self.targets.get(usize::from(id.0)) else {
                break;
            };
            let rung = self.rung(id, target, now, walk.behind(&ground), others);
            walk.attempted();
            let (ends, cut) = (rung.ends, rung.cut);
            rungs.push(rung);
            let Some(end) = ends else {
                return Climb { rungs, worst: None };
            };
            now = end;
            if cut == Cut::Deadline || rungs.len() >= MOST {
                break;
            }
            let failure = self.failure(id, target, cut);
            match walk.fail(failure, self.left(now), self.policy, &ground) {
                Next::Go => {}
                Next::After(pause) => now = now.saturating_add(pause),
                Next::Stop => break,
            }
            if self
                .left(now)
                .is_some_and(|l| l.is_zero() || l < self.policy.min_attempt)
            {
                break;
            }
        }
        Climb {
            rungs,
            worst: Some(self.deadline.map_or(now, |d| now.min(d))),
        }
    }

    fn rung(
        &self,
        id: TargetId,
        t: &TargetConfig,
        now: Duration,
        behind: usize,
        others: bool,
    ) -> Rung {
        let left = self.left(now);
        let kept = match (left, t.reserve) {
            (None, _) | (_, Reserve::None) => Duration::ZERO,
            (Some(left), reserve) => reserve.keep(left, behind),
        };
        let reserve = left
            .filter(|_| behind > 0 && t.reserve != Reserve::None)
            .map(|l| now + l.saturating_sub(kept));
        let queued = match self.fate {
            Fate::At(_) => Some(Duration::ZERO),
            Fate::Silent { .. } => queue_wait(t, others),
        };
        let dispatched = queued.and_then(|q| now.checked_add(q));
        let clocks = self.clocks(t).into_iter().filter_map(|(clock, length)| {
            Some((dispatched?.checked_add(length)?, Cut::Clock(clock)))
        });
        let first = clocks
            .chain(reserve.map(|at| (at, Cut::Clock(Clock::Reserve))))
            .chain(self.deadline.map(|at| (at, Cut::Deadline)))
            .min_by_key(|(at, _)| *at);
        let (ends, cut) = match (self.fate, first) {
            (Fate::At(_), _) => (Some(now), Cut::Nothing),
            (_, Some((at, cut))) => (Some(at), cut),
            (_, None) => (None, Cut::Nothing),
        };
        Rung {
            target: id,
            name: t.name.clone(),
            starts: now,
            queued,
            ends,
            cut,
            kept,
        }
    }

    fn clocks(&self, t: &TargetConfig) -> Vec<(Clock, Duration)> {
        let Fate::Silent { stream } = self.fate else {
            return Vec::new();
        };
        let first = t
            .limits
            .first_token
            .filter(|_| stream)
            .map(|d| (Clock::FirstToken, d));
        first.into_iter().chain(t.limits.whole(stream)).collect()
    }

    fn failure(&self, id: TargetId, t: &TargetConfig, cut: Cut) -> Box<Failure> {
        let code = match self.fate {
            Fate::At(code) => code,
            Fate::Silent { .. } => Code::Timeout,
        };
        let mut failure = Failure::new(code, "made up");
        failure.target = Some((id, t.name.as_str().into()));
        failure.sent = if code == Code::Timeout {
            Sent::Maybe
        } else {
            Sent::Yes
        };
        if let Cut::Clock(clock) = cut {
            failure.limit = Some(Limit {
                clock,
                limit: Duration::ZERO,
                elapsed: Duration::ZERO,
            });
        }
        failure
    }
}

/// How long a permit may be waited for; `None` is without limit.
fn queue_wait(t: &TargetConfig, others: bool) -> Option<Duration> {
    if t.lane.max_concurrency == usize::MAX || t.lane.max_queue == 0 {
        return Some(Duration::ZERO);
    }
    t.max_queue_wait
        .or(others.then_some(QUEUE_WAIT))
        .filter(|d| *d < Duration::MAX)
}

#[cfg(test)]
mod tests;
