//! A client as a part of a plan, and a plan made of clients.
//!
//! Whatever is called is a tree: clients of providers and members of the program's own are its leaves,
//! [`Retry`](crate::Retry), [`Fallback`](crate::Fallback) and [`RoundRobin`](crate::RoundRobin) its nodes.
//! The tree becomes the engine's [`Plan`] once, at the first call; there is no other loop than the engine's.
//!
//! A client that stands in a tree twice (as clones of one [`Node`]) is one target: it is tried once a pass.

use crate::{
    error::Error,
    failed::Failed,
    leaf::{Speaker, WireLeaf},
};
use punctual_core::{CodeSet, Failure, Plan, Retry as Rules, Target, TargetId};
use std::{
    fmt,
    sync::{Arc, OnceLock, atomic::AtomicUsize},
};

/// What judges whether a failure is retried.
#[derive(Clone)]
pub(crate) struct Judge {
    pub(crate) says: Arc<dyn Fn(&Failed) -> bool + Send + Sync>,
    pub(crate) timeouts: bool,
}

/// A leaf: what the engine knows of it, and who speaks for it.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) target: Target,
    pub(crate) speaker: Speaker,
}

impl Leaf {
    pub(crate) fn provider(&self) -> &'static str {
        match &self.speaker {
            Speaker::Wire(leaf) => leaf.provider(),
            Speaker::Own(_) => "own",
        }
    }
}

pub(crate) enum Kind {
    Leaf(Leaf),
    Retry {
        of: Node,
        rules: Rules,
        judge: Option<Judge>,
    },
    Fallback {
        of: Vec<Node>,
        also_on: CodeSet,
    },
    RoundRobin {
        of: Vec<Node>,
        next: Arc<AtomicUsize>,
    },
}

struct Inner {
    kind: Kind,
    compiled: OnceLock<Result<Arc<Compiled>, &'static str>>,
}

/// A client, whichever: what [`Client::node`](crate::Client::node) gives. It is a client itself, so it also
/// serves to keep clients of different types in one place. Cheap to clone.
#[derive(Clone)]
pub struct Node(Arc<Inner>);

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Leaf(leaf) => write!(f, "{}", leaf.target.name),
            Kind::Retry { of, rules, .. } => write!(f, "Retry({of:?}, {})", rules.max_attempts),
            Kind::Fallback { of, .. } => write!(f, "Fallback{of:?}"),
            Kind::RoundRobin { of, .. } => write!(f, "RoundRobin{of:?}"),
        }
    }
}

impl Node {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Arc::new(Inner {
            kind,
            compiled: OnceLock::new(),
        }))
    }

    pub(crate) fn wire(leaf: WireLeaf, target: Target) -> Self {
        let speaker = Speaker::Wire(Arc::new(leaf));
        Self::new(Kind::Leaf(Leaf { target, speaker }))
    }

    /// The plan, made at the first call.
    pub(crate) fn compiled(&self) -> Result<Arc<Compiled>, Error> {
        let compiled = self.0.compiled.get_or_init(|| Compiled::of(self));
        let text = |reason: &'static str| match reason {
            "empty_list" => "a list of clients is empty; give it one at least",
            _ => "there are more than 65,535 clients in one plan",
        };
        compiled
            .clone()
            .map_err(|reason| Error::misuse(reason, text(reason)))
    }
}

/// A tree of clients as the engine wants it.
pub(crate) struct Compiled {
    pub(crate) plan: Arc<Plan>,
    pub(crate) leaves: Arc<[Leaf]>,
    pub(crate) judges: Arc<[(Arc<Plan>, Judge)]>,
    /// The bound over all attempts: the contract's 16, and never less than one node alone was given.
    pub(crate) max_attempts_total: u32,
}

impl Compiled {
    fn of(node: &Node) -> Result<Arc<Self>, &'static str> {
        let mut making = Making::default();
        let plan = making.plan(node)?;
        let leaves: Vec<Leaf> = making.leaves.into_iter().map(|(_, leaf)| leaf).collect();
        Ok(Arc::new(Self {
            plan,
            leaves: leaves.into(),
            judges: making.judges.into(),
            max_attempts_total: making.widest.max(16),
        }))
    }

    pub(crate) fn judge(&self, node: &Plan, failure: &Failure) -> Option<bool> {
        let at = |(plan, _): &&(Arc<Plan>, Judge)| std::ptr::eq(Arc::as_ptr(plan), node);
        let (_, judge) = self.judges.iter().find(at)?;
        let judged = failure.limit.is_none() || judge.timeouts;
        judged.then(|| (judge.says)(&Failed::seen(failure)))
    }
}

#[derive(Default)]
struct Making {
    leaves: Vec<(*const Inner, Leaf)>,
    judges: Vec<(Arc<Plan>, Judge)>,
    widest: u32,
}

impl Making {
    fn plan(&mut self, node: &Node) -> Result<Arc<Plan>, &'static str> {
        match &node.0.kind {
            Kind::Leaf(leaf) => self.leaf(Arc::as_ptr(&node.0), leaf),
            Kind::Retry { of, rules, judge } => {
                self.widest = self.widest.max(rules.max_attempts.get());
                let (of, rules) = (self.plan(of)?, *rules);
                let plan = Arc::new(Plan::Retry { of, rules });
                let judge = judge.clone().map(|judge| (plan.clone(), judge));
                self.judges.extend(judge);
                Ok(plan)
            }
            Kind::Fallback { of, also_on } => {
                let (of, also_on) = (self.list(of)?, *also_on);
                Ok(Arc::new(Plan::Fallback { of, also_on }))
            }
            Kind::RoundRobin { of, next } => {
                let (of, next) = (self.list(of)?, next.clone());
                Ok(Arc::new(Plan::RoundRobin { of, next }))
            }
        }
    }

    fn list(&mut self, of: &[Node]) -> Result<Vec<Arc<Plan>>, &'static str> {
        if of.is_empty() {
            return Err("empty_list");
        }
        self.widest = self.widest.max(u32::try_from(of.len()).unwrap_or(u32::MAX));
        of.iter().map(|node| self.plan(node)).collect()
    }

    fn leaf(&mut self, at: *const Inner, leaf: &Leaf) -> Result<Arc<Plan>, &'static str> {
        let known = self.leaves.iter().position(|(known, _)| *known == at);
        let id = known.unwrap_or_else(|| {
            self.leaves.push((at, leaf.clone()));
            self.leaves.len() - 1
        });
        let id = u16::try_from(id).map_err(|_| "too_many_clients")?;
        Ok(Arc::new(Plan::Target(TargetId(id))))
    }
}
