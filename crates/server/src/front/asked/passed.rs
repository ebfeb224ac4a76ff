//! What is passed on as it is: whether it may be, to which target, and what of its address goes there.
//!
//! Passthrough knows no models: whoever uses it reaches everything that a target's credential reaches. So it is
//! there only where the target's operator says so, and a key that is bound to routes needs a word of its own. A
//! key of ours must not leave in a query either.

use super::{Asked, Goal, Refusal, Resolved, Route, Stop, Visit, path};
use crate::front::place::Passed;
use punctual_core::{Plan, State, TargetId, Upstream};
use std::sync::Arc;

impl Asked {
    /// By the target's name.
    pub(super) fn passed<U: Upstream>(
        &self,
        passed: Passed<'_>,
        visit: &Visit<U>,
    ) -> Result<Goal, Stop> {
        if !path::is_straight(passed.below) {
            return Err(Refusal::odd_path().into());
        }
        let (route, id) = self
            .of_target(&passed.name(), visit)
            .ok_or_else(Refusal::unknown_target)?;
        Ok(Goal {
            resolved: Resolved {
                route: Arc::new(Route {
                    plan: Arc::new(Plan::Target(id)),
                    ..(**route).clone()
                }),
                model: "".into(),
            },
            named: true,
            stream: true,
            path: Some(self.below(passed.below, visit)),
            state: State::default(),
            peek: None,
        })
    }

    /// A route that has a target of this name: one that the key may use, if there is one. A target with clocks
    /// of its own in some plan is there once more under the same name.
    fn of_target<'v, U: Upstream>(
        &self,
        name: &str,
        visit: &'v Visit<U>,
    ) -> Option<(&'v Arc<Route>, TargetId)> {
        let targets = visit.now.engine.targets.iter().enumerate();
        let named = targets.filter(|(_, target)| *target.name == *name);
        let ids: Vec<u16> = named.filter_map(|(at, _)| at.try_into().ok()).collect();
        let mut having = visit.now.routes.all().filter_map(|route| {
            let mut members = route.plan.targets().into_iter();
            Some((route, members.find(|id| ids.contains(&id.0))?))
        });
        let first = having.next()?;
        if self.may_use(first.0) {
            return Some(first);
        }
        Some(
            having
                .find(|(route, _)| self.may_use(route))
                .unwrap_or(first),
        )
    }

    /// Whether the key reaches the target by this way, and anybody does.
    pub(super) fn may_pass<U: Upstream>(
        &self,
        passed: Passed<'_>,
        route: &Route,
        visit: &Visit<U>,
    ) -> Result<(), Box<Refusal>> {
        if !self.may_use(route) {
            return Err(Refusal::target_not_for_this_key());
        }
        if !self.key.as_ref().is_none_or(|key| key.may_pass()) {
            return Err(Refusal::key_without_passthrough());
        }
        let reached = &visit.now.settings.passthrough;
        if !reached.iter().any(|target| **target == *passed.name()) {
            return Err(Refusal::target_without_passthrough());
        }
        Ok(())
    }

    /// A path with the request's query, without a key of ours in it.
    pub(super) fn below<U: Upstream>(&self, path: &str, visit: &Visit<U>) -> Arc<str> {
        let query = self.head.uri.query().unwrap_or_default();
        let kept = path::without(query, |text| visit.now.keys.are(text));
        match kept.is_empty() {
            true => path.into(),
            false => format!("{path}?{kept}").into(),
        }
    }
}
