//! A route, checked: which models it answers to and its plan as a skeleton.
//!
//! An exact name or alias comes first, then the longest `prefix/*`, then `*`. The skeleton becomes a
//! [`Plan`] only together with a [`Registry`], because a round robin counts on across reloads.

use punctual_core::{CodeSet, Plan, Policy, Registry, Retry, TargetId};
use std::{sync::Arc, time::Duration};

/// One route.
#[derive(Clone, Debug)]
pub struct RouteConfig {
    /// Its name as written; a label.
    pub name: String,
    /// What it answers to beside its aliases.
    pub pattern: Pattern,
    /// Other exact names.
    pub aliases: Vec<String>,
    /// Its deadline.
    pub deadline: Option<Duration>,
    /// Whom to ask.
    pub plan: Shape,
    /// The engine's rules for it.
    pub policy: Arc<Policy>,
    /// The provider whose prefix is taken off the caller's model, when the plan passes it through.
    pub passes: Option<String>,
}

/// Which models a route answers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// This one.
    Exact(String),
    /// Everything that begins with this, slash included.
    Prefix(String),
    /// Everything.
    Any,
}

/// A plan without its counters.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A leaf.
    Target(TargetId),
    /// Tries its member again.
    Retry {
        /// The member.
        of: Box<Shape>,
        /// How.
        rules: Retry,
    },
    /// Tries its members in order.
    Fallback {
        /// The members.
        of: Vec<Shape>,
        /// Codes that fall back beside the usual ones.
        also_on: CodeSet,
    },
    /// Takes the next member in turn.
    RoundRobin {
        /// The members.
        of: Vec<Shape>,
        /// Identity of its counter.
        turn: String,
    },
}

impl Pattern {
    /// Reads a route's name.
    ///
    /// # Errors
    /// One sentence, when a `*` stands where it cannot.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name.strip_suffix('*') {
            Some("") => Ok(Self::Any),
            Some(prefix) if prefix.ends_with('/') && prefix.len() > 1 && !prefix.contains('*') => {
                Ok(Self::Prefix(prefix.to_owned()))
            }
            None if !name.is_empty() && !name.contains('*') => Ok(Self::Exact(name.to_owned())),
            _ => Err(format!(
                "{name:?} is not a route's name: write an exact name, prefix/* or *"
            )),
        }
    }

    /// How closely it fits `model`: `None` not at all, else the larger the closer.
    #[must_use]
    pub fn fits(&self, model: &str) -> Option<usize> {
        match self {
            Self::Exact(name) => (name == model).then_some(usize::MAX),
            Self::Prefix(prefix) => model
                .strip_prefix(prefix.as_str())
                .filter(|rest| !rest.is_empty())
                .map(|_| prefix.len()),
            Self::Any => (!model.is_empty()).then_some(0),
        }
    }
}

impl RouteConfig {
    /// How closely it fits `model`; an alias is as good as the name.
    #[must_use]
    pub fn fits(&self, model: &str) -> Option<usize> {
        if self.aliases.iter().any(|a| a == model) {
            return Some(usize::MAX);
        }
        self.pattern.fits(model)
    }

    /// The exact names it answers to: its own, unless that is a wildcard, and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = match &self.pattern {
            Pattern::Exact(name) => Some(name.as_str()),
            Pattern::Prefix(_) | Pattern::Any => None,
        };
        own.into_iter()
            .chain(self.aliases.iter().map(String::as_str))
    }

    /// Whether it answers to `model`.
    #[must_use]
    pub fn matches(&self, model: &str) -> bool {
        self.fits(model).is_some()
    }

    /// The model as a target that passes it through sends it: the alias resolved, the route's or the
    /// provider's prefix taken off. `openrouter/openai/gpt-4o` loses one prefix, never two.
    #[must_use]
    pub fn model_for(&self, model: &str) -> String {
        let is_alias = self.aliases.iter().any(|a| a == model);
        let named = match &self.pattern {
            Pattern::Exact(name) if is_alias => name,
            Pattern::Prefix(prefix) => {
                return model
                    .strip_prefix(prefix.as_str())
                    .unwrap_or(model)
                    .to_owned();
            }
            _ => model,
        };
        let provider = self.passes.as_deref();
        let bare = provider
            .and_then(|p| named.strip_prefix(p)?.strip_prefix('/'))
            .filter(|m| !m.is_empty());
        bare.unwrap_or(named).to_owned()
    }
}

impl Shape {
    /// The plan, with counters from `registry`.
    #[must_use]
    pub fn plan(&self, registry: &Registry) -> Arc<Plan> {
        let all = |of: &[Self]| of.iter().map(|s| s.plan(registry)).collect();
        Arc::new(match self {
            Self::Target(id) => Plan::Target(*id),
            Self::Retry { of, rules } => Plan::Retry {
                of: of.plan(registry),
                rules: *rules,
            },
            Self::Fallback { of, also_on } => Plan::Fallback {
                of: all(of),
                also_on: *also_on,
            },
            Self::RoundRobin { of, turn } => Plan::RoundRobin {
                of: all(of),
                next: registry.turn(turn),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_alone_or_behind_a_slash() {
        assert_eq!(Pattern::parse("*"), Ok(Pattern::Any));
        assert_eq!(
            Pattern::parse("openai/*"),
            Ok(Pattern::Prefix("openai/".into()))
        );
        assert_eq!(
            Pattern::parse("gpt-4.1"),
            Ok(Pattern::Exact("gpt-4.1".into()))
        );
        for bad in ["", "gpt*", "*/a", "a/*/b", "/*", "a*/*"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
    }
}
