//! A lane: concurrency permits with a bounded queue in front of them.
//!
//! Rank is one number, the virtual deadline `min(the operator's deadline, arrival + patience)`, then
//! arrival: no re-sorting, no starvation, first come first served among equals. What a caller declared
//! never promotes it. A waiter's future is its entry: dropping it leaves the queue in O(log n), and a permit
//! that was on its way to a dropped waiter goes to the next. There are no timers here; whoever waits races
//! the wait with its own limits.
//!
//! A permit is a guard: released by drop, never later, never twice.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::Instant};

mod queue;
use queue::{Queue, Rank, Waiter};

/// When a full or slow lane refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shed {
    /// Only a full queue refuses.
    Never,
    /// Entries also leave at their own deadline.
    #[default]
    Expired,
    /// Also refuses at once what by the median of recent requests would expire (beyond 1.5 ×, from 20
    /// samples on).
    Predicted,
}

/// How wide a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLimits {
    /// Permits; `usize::MAX` is no limit.
    pub max_concurrency: usize,
    /// Waiters; one more is refused.
    pub max_queue: usize,
    /// When it refuses.
    pub shed: Shed,
}

impl Default for LaneLimits {
    fn default() -> Self {
        Self {
            max_concurrency: usize::MAX,
            max_queue: 100,
            shed: Shed::Expired,
        }
    }
}

/// How a request stands in a queue.
#[derive(Clone, Debug)]
pub struct Admission {
    /// When the request arrived; a retry keeps its first arrival.
    pub arrived: Instant,
    /// The operator's deadline, never the caller's.
    pub rank_by: Option<Instant>,
    /// How long it waits before it outranks everything younger.
    pub patience: Duration,
    /// When the request ends, whoever said so; only for `Shed::Predicted`.
    pub expires: Option<Instant>,
    /// Whose request it is.
    pub key: Option<Arc<str>>,
}

/// Why a lane refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRefusal {
    /// The queue is full.
    Full,
    /// It would expire in the queue.
    WouldExpire,
}

#[derive(Debug)]
struct Inner {
    limits: LaneLimits,
    in_use: usize,
    queue: Queue,
    recent: Recent,
}

/// How long recent permits were held; the last 64.
#[derive(Debug, Default)]
struct Recent {
    held: Vec<Duration>,
    next: usize,
}

impl Recent {
    const KEEP: usize = 64;
    const ENOUGH: usize = 20;

    fn add(&mut self, held: Duration) {
        if self.held.len() < Self::KEEP {
            self.held.push(held);
        } else if let Some(slot) = self.held.get_mut(self.next) {
            *slot = held;
        }
        self.next = (self.next + 1) % Self::KEEP;
    }

    fn median(&self) -> Option<Duration> {
        if self.held.len() < Self::ENOUGH {
            return None;
        }
        let mut sorted = self.held.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

/// Permits and the queue in front of them. Clones share.
#[derive(Clone, Debug)]
pub struct Lane(Arc<Mutex<Inner>>);

/// The right to one exchange; released by drop.
#[derive(Debug)]
pub struct Permit {
    lane: Option<Lane>,
    since: Instant,
}

/// Leaves the queue on drop; a no-op once granted.
struct Place<'a>(&'a Lane, Rank);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let left = self.0.lock().queue.remove(&self.1);
        drop(left);
    }
}

impl Lane {
    /// An empty lane.
    #[must_use]
    pub fn new(limits: LaneLimits) -> Self {
        let (queue, recent) = (Queue::default(), Recent::default());
        Self(Arc::new(Mutex::new(Inner {
            limits,
            in_use: 0,
            queue,
            recent,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Permits out.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.lock().in_use
    }

    /// Waiters.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.lock().queue.len()
    }

    /// Takes new limits; a wider lane admits waiters at once, a narrower one shrinks as permits return.
    pub fn resize(&self, limits: LaneLimits) {
        self.lock().limits = limits;
        self.grant();
    }

    /// Hands free permits to the first in rank. Sends outside the lock: a dropped waiter's permit comes back.
    fn grant(&self) {
        loop {
            let waiter = {
                let mut inner = self.lock();
                if inner.in_use >= inner.limits.max_concurrency {
                    return;
                }
                let Some(waiter) = inner.queue.pop_first() else {
                    return;
                };
                inner.in_use += 1;
                waiter
            };
            let _ = waiter.granted.send(Ok(self.permit()));
        }
    }

    fn permit(&self) -> Permit {
        Permit {
            lane: Some(self.clone()),
            since: Instant::now(),
        }
    }

    fn release(&self, since: Instant) {
        {
            let mut inner = self.lock();
            inner.in_use -= 1;
            if inner.limits.shed == Shed::Predicted {
                inner.recent.add(since.elapsed());
            }
            if inner.queue.len() == 0 {
                return;
            }
        }
        self.grant();
    }

    /// A permit if one is free at once and nobody waits.
    #[must_use]
    pub fn try_admit(&self) -> Option<Permit> {
        let mut inner = self.lock();
        if inner.in_use >= inner.limits.max_concurrency || inner.queue.len() > 0 {
            return None;
        }
        inner.in_use += 1;
        drop(inner);
        Some(self.permit())
    }

    /// Waits for a permit. Dropping the future leaves the queue.
    pub async fn admit(&self, admission: &Admission) -> Result<Permit, QueueRefusal> {
        if let Some(permit) = self.try_admit() {
            return Ok(permit);
        }
        let (place, granted) = self.join(admission)?;
        let answer = granted.await;
        drop(place);
        answer.unwrap_or(Err(QueueRefusal::Full))
    }

    fn join(
        &self,
        a: &Admission,
    ) -> Result<(Place<'_>, oneshot::Receiver<Result<Permit, QueueRefusal>>), QueueRefusal> {
        let patient = a.arrived.checked_add(a.patience).unwrap_or(a.arrived);
        let virtual_deadline = a.rank_by.map_or(patient, |d| d.min(patient));
        let (granted, receiver) = oneshot::channel();
        let (evicted, rank) = {
            let mut inner = self.lock();
            let rank = inner.queue.rank(virtual_deadline);
            if inner.would_expire(&rank, a.expires) {
                return Err(QueueRefusal::WouldExpire);
            }
            let evicted = if inner.queue.len() >= inner.limits.max_queue {
                Some(
                    inner
                        .queue
                        .evict_hog(a.key.as_ref())
                        .ok_or(QueueRefusal::Full)?,
                )
            } else {
                None
            };
            inner.queue.insert(
                rank,
                Waiter {
                    granted,
                    key: a.key.clone(),
                },
            );
            (evicted, rank)
        };
        if let Some(evicted) = evicted {
            let _ = evicted.granted.send(Err(QueueRefusal::Full));
        }
        let place = Place(self, rank);
        self.grant();
        Ok((place, receiver))
    }

    /// The wait a new entry of this rank would have by the median of recent requests, if enough are known.
    #[must_use]
    pub fn predicted_wait(&self, a: &Admission) -> Option<Duration> {
        let inner = self.lock();
        let patient = a.arrived.checked_add(a.patience).unwrap_or(a.arrived);
        inner.estimate(
            &inner
                .queue
                .peek_rank(a.rank_by.map_or(patient, |d| d.min(patient))),
        )
    }
}

impl Inner {
    fn estimate(&self, rank: &Rank) -> Option<Duration> {
        let ahead = u32::try_from(self.queue.ahead_of(rank) + 1).unwrap_or(u32::MAX);
        let wide = u32::try_from(self.limits.max_concurrency.max(1)).unwrap_or(u32::MAX);
        Some(self.recent.median()?.saturating_mul(ahead) / wide)
    }

    fn would_expire(&self, rank: &Rank, expires: Option<Instant>) -> bool {
        if self.limits.shed != Shed::Predicted {
            return false;
        }
        let left = expires.map(|e| e.saturating_duration_since(Instant::now()));
        matches!((self.estimate(rank), left), (Some(wait), Some(left)) if wait > left.saturating_mul(3) / 2)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            lane.release(self.since);
        }
    }
}

#[cfg(test)]
mod tests;
