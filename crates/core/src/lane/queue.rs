//! The waiters of a lane, ordered by rank.

use super::{Permit, QueueRefusal};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use tokio::{sync::oneshot, time::Instant};

/// Virtual deadline, then arrival.
pub(super) type Rank = (Instant, u64);

#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) granted: oneshot::Sender<Result<Permit, QueueRefusal>>,
    pub(super) key: Option<Arc<str>>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<Rank, Waiter>,
    arrivals: u64,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn rank(&mut self, virtual_deadline: Instant) -> Rank {
        self.arrivals += 1;
        (virtual_deadline, self.arrivals)
    }

    pub(super) fn peek_rank(&self, virtual_deadline: Instant) -> Rank {
        (virtual_deadline, self.arrivals + 1)
    }

    pub(super) fn ahead_of(&self, rank: &Rank) -> usize {
        self.waiting.range(..*rank).count()
    }

    pub(super) fn insert(&mut self, rank: Rank, waiter: Waiter) {
        self.waiting.insert(rank, waiter);
    }

    pub(super) fn remove(&mut self, rank: &Rank) -> Option<Waiter> {
        self.waiting.remove(rank)
    }

    pub(super) fn pop_first(&mut self) -> Option<Waiter> {
        self.waiting.pop_first().map(|(_, waiter)| waiter)
    }

    /// Takes out the newest entry of a key that holds over half of the queue, when another key arrives.
    pub(super) fn evict_hog(&mut self, arriving: Option<&Arc<str>>) -> Option<Waiter> {
        let hog = self.hog().filter(|hog| arriving != Some(hog))?;
        let of_hog = self
            .waiting
            .iter()
            .filter(|(_, w)| w.key.as_ref() == Some(&hog));
        let rank = of_hog.map(|(rank, _)| *rank).max_by_key(|rank| rank.1)?;
        self.waiting.remove(&rank)
    }

    /// The key that holds over half of the queue.
    fn hog(&self) -> Option<Arc<str>> {
        let mut held: HashMap<&Arc<str>, usize> = HashMap::new();
        for key in self.waiting.values().filter_map(|w| w.key.as_ref()) {
            *held.entry(key).or_default() += 1;
        }
        let most = held.into_iter().max_by_key(|(_, n)| *n)?;
        (most.1 * 2 > self.waiting.len()).then(|| most.0.clone())
    }
}
