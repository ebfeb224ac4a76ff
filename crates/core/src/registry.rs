//! What must outlive a configuration reload, kept by identity: lanes, health, budgets, counters.
//!
//! A reload that made them anew would double concurrency and forget what is benched. Entries that no
//! snapshot uses any more are dropped at the next [`Registry::sweep`].

use crate::{
    budget::RetryBudget,
    health::Health,
    lane::{Lane, LaneLimits, Shed},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicUsize},
};

/// No permit for anybody, and nobody is turned away: who waits is told why by whoever closed it.
const CLOSED: LaneLimits = LaneLimits {
    max_concurrency: 0,
    max_queue: usize::MAX,
    shed: Shed::Never,
};

#[derive(Debug, Default)]
struct Shelves {
    closed: bool,
    lanes: HashMap<String, Lane>,
    health: HashMap<String, Arc<Health>>,
    budgets: HashMap<String, Arc<RetryBudget>>,
    turns: HashMap<String, Arc<AtomicUsize>>,
}

/// Shared state by identity.
#[derive(Debug, Default)]
pub struct Registry(Mutex<Shelves>);

impl Registry {
    fn with<T>(&self, f: impl FnOnce(&mut Shelves) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lane of this identity, resized to `limits`; after [`Registry::close`] a closed one.
    pub fn lane(&self, id: &str, limits: LaneLimits) -> Lane {
        self.with(|s| {
            let limits = if s.closed { CLOSED } else { limits };
            let lane = s
                .lanes
                .entry(id.to_owned())
                .or_insert_with(|| Lane::new(limits));
            lane.resize(limits);
            lane.clone()
        })
    }

    /// Closes every lane that somebody holds, of whatever configuration, and all that are asked for later:
    /// from here on a permit that returns goes to nobody.
    pub fn close(&self) {
        self.with(|s| {
            s.closed = true;
            s.lanes.values().for_each(|lane| lane.resize(CLOSED));
        });
    }

    /// The health of this identity.
    pub fn health(&self, id: &str) -> Arc<Health> {
        self.with(|s| s.health.entry(id.to_owned()).or_default().clone())
    }

    /// The retry budget of this identity.
    pub fn budget(&self, id: &str) -> Arc<RetryBudget> {
        self.with(|s| s.budgets.entry(id.to_owned()).or_default().clone())
    }

    /// The round-robin counter of this identity.
    pub fn turn(&self, id: &str) -> Arc<AtomicUsize> {
        self.with(|s| s.turns.entry(id.to_owned()).or_default().clone())
    }

    /// Drops what nobody holds any more.
    pub fn sweep(&self) {
        self.with(|s| {
            s.lanes.retain(|_, l| l.is_shared());
            s.health.retain(|_, v| Arc::strong_count(v) > 1);
            s.budgets.retain(|_, v| Arc::strong_count(v) > 1);
            s.turns.retain(|_, v| Arc::strong_count(v) > 1);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_identity_keeps_its_state_while_it_is_used() {
        let r = Registry::default();
        let h = r.health("a");
        h.bench(None);
        r.sweep();
        assert!(r.health("a").resting().is_some());
        drop(h);
        r.sweep();
        assert!(r.health("a").resting().is_none());
    }

    #[test]
    fn what_was_closed_stays_closed_whatever_is_loaded() {
        let r = Registry::default();
        let wide = LaneLimits::default();
        let (former, lane) = (r.lane("former", wide), r.lane("a", wide));
        r.sweep();
        let permit = lane.try_admit();
        assert!(permit.is_some());
        r.close();
        let (again, new) = (r.lane("a", wide), r.lane("b", wide));
        drop(permit);
        for lane in [former, lane, again, new] {
            assert!(lane.try_admit().is_none());
        }
    }
}
