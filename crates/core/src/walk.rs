//! Where one request stands in its plan: a synchronous walk without I/O.
//!
//! [`Walk::next`] names the target to try now, chosen at the last moment so that the health seen is the
//! health now; [`Walk::fail`] takes its failure and says what follows: go on, after a pause or at once, or
//! stop. The same code decides for live requests and for the worst-case check of a configuration; what
//! differs between them (health, budgets, whether delays are drawn or bounded) is the [`Ground`].

use crate::{
    call::Policy,
    failure::{Code, Failure, Fault, Sent},
    plan::{Plan, TargetId},
    retry::Retry,
};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

mod ground;
pub use ground::Ground;

/// A hint up to this is waited for even when another member follows.
const SHORT_HINT: Duration = Duration::from_secs(1);

/// Of a failure, what a retry is judged by.
#[derive(Clone, Copy, Debug)]
struct Failed {
    code: Code,
    target: Option<TargetId>,
    retry: bool,
    /// Whether a judge may say otherwise: a bug of ours, the end of time and a target's own no are no
    /// matter of opinion.
    open: bool,
    hint: Option<Duration>,
}

/// What follows a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Call [`Walk::next`] now.
    Go,
    /// Call it after this pause, holding no permit.
    After(Duration),
    /// The plan is exhausted.
    Stop,
}

/// Where one request stands in its plan.
#[derive(Debug)]
pub struct Walk {
    root: Arc<Plan>,
    /// Nodes above the place, with attempts made (retry) or the index (fallback).
    above: Vec<(Arc<Plan>, u32)>,
    todo: Option<Arc<Plan>>,
    tried: Vec<TargetId>,
    gone: Vec<TargetId>,
    attempts: u32,
    waited_for: Option<TargetId>,
    /// The one target that a last pass is for.
    aim: Option<TargetId>,
    /// The last real failure since the pass began: what a retry above a skip is judged by.
    failed: Option<Failed>,
    retrying: bool,
    budget_empty: bool,
    out_of_time: bool,
    last: Option<Box<Failure>>,
}

impl Walk {
    /// Stands at the root of `plan`.
    #[must_use]
    pub fn new(plan: Arc<Plan>) -> Self {
        Self {
            todo: Some(plan.clone()),
            root: plan,
            above: Vec::new(),
            tried: Vec::new(),
            gone: Vec::new(),
            attempts: 0,
            waited_for: None,
            aim: None,
            failed: None,
            retrying: false,
            budget_empty: false,
            out_of_time: false,
            last: None,
        }
    }

    /// The target to try now; `None` when nothing is left.
    pub fn next(&mut self, ground: &(impl Ground + ?Sized)) -> Option<TargetId> {
        loop {
            let node = self.todo.take()?;
            match &*node {
                Plan::Target(t) if self.tried.contains(t) || self.gone.contains(t) => {
                    self.pass_on()?
                }
                Plan::Target(t) => {
                    self.tried.push(*t);
                    return Some(*t);
                }
                Plan::Retry { of, .. } => self.enter(&node, 1, of),
                Plan::Fallback { of, .. } => self.enter(&node, 0, of.first()?),
                Plan::RoundRobin { of, next } => {
                    let aimed = |p: &&Arc<Plan>| self.aim.is_some_and(|t| p.targets().contains(&t));
                    let pick = match of.iter().find(aimed) {
                        Some(member) => member.clone(),
                        None => {
                            let turn = next.fetch_add(1, Relaxed);
                            self.pick(of, turn, ground)?.clone()
                        }
                    };
                    self.enter(&node, 0, &pick);
                }
            }
        }
    }

    fn enter(&mut self, node: &Arc<Plan>, n: u32, below: &Arc<Plan>) {
        self.above.push((node.clone(), n));
        self.todo = Some(below.clone());
    }

    fn pick<'a>(
        &self,
        of: &'a [Arc<Plan>],
        turn: usize,
        ground: &(impl Ground + ?Sized),
    ) -> Option<&'a Arc<Plan>> {
        let usable = |p: &&Arc<Plan>| {
            p.targets()
                .iter()
                .any(|t| !ground.rests(*t) && !self.used(*t))
        };
        let from = turn.checked_rem(of.len())?;
        let mut in_turn = of.iter().cycle().skip(from).take(of.len());
        in_turn.find(usable).or_else(|| of.get(from))
    }

    fn used(&self, t: TargetId) -> bool {
        self.tried.contains(&t) || self.gone.contains(&t)
    }

    /// Leaves a member that needs no further try, to the next one of the nearest fallback.
    fn pass_on(&mut self) -> Option<()> {
        while let Some((node, n)) = self.above.pop() {
            if let Plan::Fallback { of, .. } = &*node
                && let Some(member) = of.get(n as usize + 1)
            {
                self.todo = Some(member.clone());
                self.above.push((node.clone(), n + 1));
                return Some(());
            }
        }
        None
    }

    /// Whether the request has itself waited out what `target` asked for: then its bench is not looked at.
    #[must_use]
    pub fn waited_for(&self, target: TargetId) -> bool {
        self.waited_for == Some(target)
    }

    /// Whether the attempt that comes is a retry of a node above.
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.retrying
    }

    /// Whether a retry was given up because the target's budget was empty.
    pub fn take_budget_empty(&mut self) -> bool {
        std::mem::take(&mut self.budget_empty)
    }

    /// Whether the last failure would have been retried had there been more time.
    #[must_use]
    pub fn out_of_time(&self) -> bool {
        self.out_of_time
    }

    /// Members that could still be tried behind the present one.
    #[must_use]
    pub fn behind(&self, ground: &(impl Ground + ?Sized)) -> usize {
        let usable = |p: &&Arc<Plan>| {
            p.targets()
                .iter()
                .any(|t| !self.used(*t) && !ground.rests(*t))
        };
        self.above
            .iter()
            .map(|(node, n)| match &**node {
                Plan::Fallback { of, .. } => of.iter().skip(*n as usize + 1).filter(usable).count(),
                _ => 0,
            })
            .sum()
    }

    /// An attempt was made; the bound over all of them counts it.
    pub fn attempted(&mut self) {
        self.attempts += 1;
    }

    /// Takes the failure of the target named last, and says what follows. `left` is the time left.
    pub fn fail(
        &mut self,
        failure: Box<Failure>,
        left: Option<Duration>,
        policy: &Policy,
        ground: &(impl Ground + ?Sized),
    ) -> Next {
        let rule = failure.code.rule();
        let retry = rule.attempted && failure.should_retry.unwrap_or(rule.retry);
        let target = failure.target.as_ref().map(|(id, _)| *id);
        (self.waited_for, self.retrying, self.out_of_time) = (None, false, false);
        if let Some(t) = target.filter(|_| rule.attempted && !retry) {
            self.gone.push(t);
        }
        if rule.attempted {
            self.failed = Some(Failed {
                code: failure.code,
                target,
                retry: retry && !failure.is_reserve_cut(),
                open: is_open(&failure),
                hint: failure.retry_after,
            });
        }
        let spent = self.attempts >= policy.max_attempts_total;
        let code = failure.code;
        let safe = failure.safe && replayable(&failure, target, ground);
        // a skip never hides a real failure
        let skipped = |old: &Failure| !old.code.rule().attempted;
        if rule.attempted || self.last.as_deref().is_none_or(skipped) {
            self.last = Some(failure);
        }
        match spent || !safe {
            true => Next::Stop,
            false => self.climb(code, left, policy, ground),
        }
    }

    fn climb(
        &mut self,
        code: Code,
        left: Option<Duration>,
        policy: &Policy,
        ground: &(impl Ground + ?Sized),
    ) -> Next {
        let falls_back = code.rule().fall_back;
        while let Some((node, n)) = self.above.pop() {
            match &*node {
                Plan::Retry { of, rules } if n < rules.max_attempts.get() => {
                    if let Some(wait) = self.again(&node, of, rules, n, left, policy, ground) {
                        return Next::After(wait);
                    }
                }
                Plan::Fallback { of, also_on } if falls_back || also_on.has(code) => {
                    if let Some(member) = of.get(n as usize + 1) {
                        self.enter(&node, n + 1, member);
                        return Next::Go;
                    }
                }
                _ => {}
            }
        }
        Next::Stop
    }

    /// Begins the next pass of a retry node, if the last real failure of this pass allows it; the pause.
    #[expect(
        clippy::too_many_arguments,
        reason = "one place of a walk, and what is asked there"
    )]
    fn again(
        &mut self,
        node: &Arc<Plan>,
        of: &Arc<Plan>,
        rules: &Retry,
        n: u32,
        left: Option<Duration>,
        policy: &Policy,
        ground: &(impl Ground + ?Sized),
    ) -> Option<Duration> {
        let below = of.targets();
        let ours = |f: &Failed| f.target.is_none_or(|t| below.contains(&t));
        let failed = self.failed.filter(ours)?;
        let judged = self.last.as_deref().and_then(|f| ground.judge(node, f));
        let by_rules = failed.retry && rules.on.has(failed.code);
        if !judged.map_or(by_rules, |yes| yes && failed.open) {
            return None;
        }
        let alone = below.len() == 1;
        let hint = failed.hint.filter(|_| alone);
        let follows = failed.code.rule().fall_back && self.behind(ground) > 0;
        let delay = ground.delay(&rules.backoff, n);
        let Some(wait) = pause(hint, follows, delay, left, policy) else {
            self.out_of_time = pause(hint, follows, delay, None, policy).is_some();
            return None;
        };
        if !failed.target.is_none_or(|t| ground.withdraw(t)) {
            self.budget_empty = true;
            return None;
        }
        self.tried.retain(|t| !below.contains(t));
        // a judge may ask once more who has failed for good
        self.gone.retain(|t| failed.target != Some(*t));
        self.failed = None;
        self.waited_for = failed.target.filter(|_| hint.is_some());
        self.retrying = true;
        self.enter(node, n + 1, of);
        Some(wait)
    }

    /// Stands at the root again, for one more pass over what was only skipped, to `aim` in particular.
    pub fn restart(&mut self, aim: TargetId) {
        self.aim = Some(aim);
        self.above.clear();
        self.tried.clear();
        self.todo = Some(self.root.clone());
    }

    /// Every target of the plan that did not fail for good.
    #[must_use]
    pub fn remaining(&self) -> Vec<TargetId> {
        self.root
            .targets()
            .into_iter()
            .filter(|t| !self.gone.contains(t))
            .collect()
    }

    /// The error to answer with: the last member's, unless only skips followed a real one.
    #[must_use]
    pub fn verdict(&mut self) -> Option<Box<Failure>> {
        self.last.take()
    }

    /// Whether all that happened so far were skips.
    #[must_use]
    pub fn only_skipped(&self) -> bool {
        self.last.as_ref().is_none_or(|f| !f.code.rule().attempted)
    }
}

/// Whether a judge may have this failure retried although the table says no.
fn is_open(f: &Failure) -> bool {
    let rule = f.code.rule();
    let known = rule.retry || rule.fall_back || rule.fault == Fault::Caller;
    known && !f.is_reserve_cut() && f.should_retry != Some(false)
}

/// A target may opt out of being replayed once the request may have done work there.
fn replayable(f: &Failure, target: Option<TargetId>, ground: &(impl Ground + ?Sized)) -> bool {
    let ambiguous = f.sent == Sent::Maybe
        || (f.sent != Sent::No && matches!(f.code, Code::Timeout | Code::Truncated));
    !ambiguous || target.is_none_or(|t| ground.replays(t))
}

/// The pause before a retry, or `None` when no useful attempt could follow it: then nothing is slept.
fn pause(
    hint: Option<Duration>,
    follows: bool,
    delay: Duration,
    left: Option<Duration>,
    policy: &Policy,
) -> Option<Duration> {
    let usable = left.map(|l| l.saturating_sub(policy.min_attempt));
    let backoff = usable.map_or(delay, |u| delay.min(u / 2));
    let Some(hint) = hint else {
        return usable.is_none_or(|u| backoff < u).then_some(backoff);
    };
    let too_long = hint > SHORT_HINT && (follows || hint > policy.max_retry_after);
    let fits = usable.is_none_or(|u| hint < u);
    (fits && !too_long).then(|| backoff.max(jittered(hint, usable)))
}

/// A wait for what a target asked for, up to a tenth longer so that not all come back at once, and never
/// so much longer that no time is left.
pub(crate) fn jittered(wait: Duration, usable: Option<Duration>) -> Duration {
    let most = usable.map_or(Duration::MAX, |u| u.saturating_sub(wait) / 2);
    wait + (wait / 10).min(most).mul_f64(fastrand::f64())
}
