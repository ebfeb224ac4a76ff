//! Compiles a plan as written into its shape, noting what cannot be meant.

use super::{Desk, targets::Book};
use crate::{
    path::Path,
    raw::{self, Plan, Step},
    route::Shape,
    unit::show,
};
use punctual_core::{Backoff, CodeSet, Retry, TargetId};
use std::{num::NonZeroU32, time::Duration};

mod codes;

/// A compiled plan.
pub(super) struct Compiled {
    pub(super) shape: Shape,
    pub(super) leaves: Vec<(TargetId, Path)>,
    /// The provider whose prefix comes off the caller's model, when exactly one passes it through.
    pub(super) passes: Option<String>,
}

/// Compiles the plan of one route.
pub(super) struct Compiler<'a, 'd> {
    route: &'a str,
    at: Path,
    also_on: CodeSet,
    book: &'a mut Book,
    desk: &'a mut Desk<'d>,
    leaves: Vec<(TargetId, Path)>,
    passes: Vec<String>,
}

impl<'a, 'd> Compiler<'a, 'd> {
    pub(super) fn new(
        route: &'a str,
        raw: &raw::Route,
        at: &Path,
        book: &'a mut Book,
        desk: &'a mut Desk<'d>,
    ) -> Self {
        let also_on = codes::fallback_on(
            raw.fallback_on.as_deref(),
            CodeSet::NONE,
            &at.key("fallback_on"),
            desk,
        );
        Self {
            route,
            at: at.key("plan"),
            also_on,
            book,
            desk,
            leaves: Vec::new(),
            passes: Vec::new(),
        }
    }

    /// The plan; `None` when it cannot be used, which was noted.
    pub(super) fn compile(mut self, plan: &Plan) -> Option<Compiled> {
        let at = self.at.clone();
        let shape = self.node(plan, &at)?;
        self.passes.dedup();
        let passes = if self.passes.len() == 1 {
            self.passes.pop()
        } else {
            None
        };
        Some(Compiled {
            shape,
            leaves: self.leaves,
            passes,
        })
    }

    fn node(&mut self, plan: &Plan, at: &Path) -> Option<Shape> {
        match plan {
            Plan::Name(name) => {
                let id = self.book.named(name, at, self.desk)?;
                Some(self.leaf(id, at))
            }
            Plan::List(members) => self.fallback(members, self.also_on, at),
            Plan::Step(step) => self.step(step, at),
        }
    }

    fn leaf(&mut self, id: TargetId, at: &Path) -> Shape {
        self.leaves.push((id, at.clone()));
        Shape::Target(id)
    }

    fn step(&mut self, step: &Step, at: &Path) -> Option<Shape> {
        let kinds: Vec<&str> = [
            ("use", step.target.is_some()),
            ("retry", step.retry.is_some()),
            ("fallback", step.fallback.is_some()),
            ("round_robin", step.round_robin.is_some()),
            ("pass", step.pass.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, there)| there.then_some(name))
        .collect();
        let [kind] = kinds.as_slice() else {
            if !kinds.is_empty() {
                self.desk.error(
                    at,
                    format!(
                        "{} stand side by side; a node is one of them",
                        kinds.join(" and ")
                    ),
                );
            } else if !self.desk.lost(at) {
                self.desk
                    .error(at, "this node says nothing to do")
                    .hint("write one of use, retry, fallback, round_robin, pass");
            }
            return None;
        };
        if !matches!(*kind, "use" | "pass") {
            for key in step.clocks().said() {
                self.desk
                    .error(
                        &at.key(key),
                        format!("{key} belongs to one target, not to {kind}"),
                    )
                    .hint(format!(
                        "write {{ use: TARGET, {key}: … }} for a member, or set it on the target"
                    ));
            }
        }
        if let Some(name) = &step.target {
            let id = self.book.variant(name, step.clocks(), at, self.desk)?;
            return Some(self.leaf(id, at));
        }
        if let Some(name) = &step.pass {
            let id = self.book.pass(name, step.clocks(), at, self.desk)?;
            self.passes.push(name.clone());
            return Some(self.leaf(id, at));
        }
        if let Some(retry) = &step.retry {
            return self.retry(retry, &at.key("retry"));
        }
        if let Some(members) = &step.round_robin {
            return self.round_robin(members, &at.key("round_robin"));
        }
        let form = step.fallback.as_ref()?;
        let at = at.key("fallback");
        let also_on = codes::fallback_on(
            form.rules.fallback_on.as_deref(),
            self.also_on,
            &at.key("fallback_on"),
            self.desk,
        );
        let members = if form.is_list {
            at.clone()
        } else {
            at.key("of")
        };
        let Some(of) = &form.rules.of else {
            self.missing_of(&at);
            return None;
        };
        self.fallback(of, also_on, &members)
    }

    fn missing_of(&mut self, at: &Path) {
        if !self.desk.lost(at) {
            self.desk
                .error(at, "it is not said what it is of")
                .hint("add of:");
        }
    }

    fn members(&mut self, members: &[Plan], at: &Path) -> Option<Vec<Shape>> {
        if members.is_empty() && !self.desk.lost(at) {
            self.desk.error(at, "an empty list can serve nobody");
        }
        // every member is compiled, so that each tells its own mistake
        let all: Vec<Option<Shape>> = members
            .iter()
            .enumerate()
            .map(|(i, m)| self.node(m, &at.item(i)))
            .collect();
        let all: Option<Vec<Shape>> = all.into_iter().collect();
        all.filter(|m| !m.is_empty())
    }

    fn fallback(&mut self, members: &[Plan], also_on: CodeSet, at: &Path) -> Option<Shape> {
        Some(Shape::Fallback {
            of: self.members(members, at)?,
            also_on,
        })
    }

    fn round_robin(&mut self, members: &[Plan], at: &Path) -> Option<Shape> {
        let of = self.members(members, at)?;
        Some(Shape::RoundRobin {
            of,
            turn: format!("{}|{at}", self.route),
        })
    }

    fn retry(&mut self, raw: &raw::Retry, at: &Path) -> Option<Shape> {
        let default = Backoff::default();
        let backoff = Backoff {
            initial: raw.initial.map_or(default.initial, |t| t.or_zero()),
            multiplier: raw.multiplier.unwrap_or(default.multiplier),
            max: raw
                .max
                .map_or(default.max, |t| t.0.unwrap_or(Duration::MAX)),
        };
        if !backoff.multiplier.is_finite() || backoff.multiplier < 1.0 {
            self.desk
                .error(
                    &at.key("multiplier"),
                    format!("{} would not grow the pause", backoff.multiplier),
                )
                .hint("write 1 or more");
        }
        if backoff.initial > backoff.max {
            self.desk.warn(
                &at.key("initial"),
                format!(
                    "initial of {} is cut to max of {}",
                    show(backoff.initial),
                    show(backoff.max)
                ),
            );
        }
        let attempts = raw.max_attempts.unwrap_or(3);
        match attempts {
            0 => self
                .desk
                .error(
                    &at.key("max_attempts"),
                    "max_attempts is the total, the first included; 0 would ask nobody",
                )
                .hint("write 2 or more, or leave the retry out"),
            1 => self
                .desk
                .warn(
                    &at.key("max_attempts"),
                    "max_attempts is the total, the first included: 1 retries nothing",
                )
                .hint("write 2 or more, or leave the retry out"),
            _ => {}
        }
        let on = codes::retry_on(raw.retry_on.as_deref(), &at.key("retry_on"), self.desk);
        let Some(of) = &raw.of else {
            self.missing_of(at);
            return None;
        };
        let of = Box::new(self.node(of, &at.key("of"))?);
        let rules = Retry {
            max_attempts: NonZeroU32::new(attempts)?,
            backoff,
            on,
        };
        Some(Shape::Retry { of, rules })
    }
}
