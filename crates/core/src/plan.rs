//! Whom to ask, in which order: a tree of targets under retry, fallback and round robin, nested freely.
//!
//! A plan is immutable and shared; where one request stands in it is a [`Walk`](crate::Walk).

use crate::retry::{CodeSet, Retry};
use std::sync::{Arc, atomic::AtomicUsize};

/// A target's place in its snapshot's table; only good with the snapshot it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId(pub u16);

/// A node of the tree.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A leaf.
    Target(TargetId),
    /// Tries its member again.
    Retry {
        /// The member.
        of: Arc<Plan>,
        /// How often, after which pause, on what.
        rules: Retry,
    },
    /// Tries its members in order.
    Fallback {
        /// The members.
        of: Vec<Arc<Plan>>,
        /// Codes that fall back although the table of failures says no (`invalid_request` and its like).
        also_on: CodeSet,
    },
    /// Takes the next member in turn; no failover of its own.
    RoundRobin {
        /// The members.
        of: Vec<Arc<Plan>>,
        /// Moves by one per call; shared by identity, so that a reload does not reset it.
        next: Arc<AtomicUsize>,
    },
}

impl Plan {
    /// All targets below, in declaration order, each once.
    #[must_use]
    pub fn targets(&self) -> Vec<TargetId> {
        let mut out = Vec::new();
        self.collect(&mut out);
        out
    }

    /// The way to the first leaf that is one of `makers`, with the retries on it.
    pub(crate) fn only(self: &Arc<Self>, makers: &[TargetId]) -> Option<Arc<Self>> {
        match &**self {
            Self::Target(id) => makers.contains(id).then(|| self.clone()),
            Self::Retry { of, rules } => {
                let of = of.only(makers)?;
                let rules = *rules;
                Some(Arc::new(Self::Retry { of, rules }))
            }
            Self::Fallback { of, .. } | Self::RoundRobin { of, .. } => {
                of.iter().find_map(|member| member.only(makers))
            }
        }
    }

    fn collect(&self, out: &mut Vec<TargetId>) {
        match self {
            Self::Target(t) => {
                if !out.contains(t) {
                    out.push(*t);
                }
            }
            Self::Retry { of, .. } => of.collect(out),
            Self::Fallback { of, .. } | Self::RoundRobin { of, .. } => {
                of.iter().for_each(|p| p.collect(out))
            }
        }
    }

    /// The most attempts the tree can make, without the bound of `max_attempts_total`.
    #[must_use]
    pub fn max_attempts(&self) -> u64 {
        match self {
            Self::Target(_) => 1,
            Self::Retry { of, rules } => of
                .max_attempts()
                .saturating_mul(u64::from(rules.max_attempts.get())),
            Self::Fallback { of, .. } => of
                .iter()
                .map(|p| p.max_attempts())
                .fold(0, u64::saturating_add),
            Self::RoundRobin { of, .. } => of.iter().map(|p| p.max_attempts()).max().unwrap_or(0),
        }
    }
}
