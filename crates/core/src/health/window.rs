//! Successes and failures of the last ten seconds, in ten buckets.

use std::time::Duration;
use tokio::time::Instant;

const BUCKETS: usize = 10;
const BUCKET: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Window {
    epoch: Option<Instant>,
    newest: u64,
    failed: [u32; BUCKETS],
    all: [u32; BUCKETS],
}

impl Window {
    fn turn(&mut self, now: Instant) -> usize {
        let epoch = *self.epoch.get_or_insert(now);
        let tick = now.saturating_duration_since(epoch).as_secs() / BUCKET.as_secs();
        let stale = tick.saturating_sub(self.newest).min(BUCKETS as u64);
        for back in 0..stale {
            let slot = usize::try_from((tick - back) % BUCKETS as u64).unwrap_or(0);
            (self.failed[slot], self.all[slot]) = (0, 0);
        }
        self.newest = self.newest.max(tick);
        usize::try_from(tick % BUCKETS as u64).unwrap_or(0)
    }

    pub(super) fn count(&mut self, now: Instant, failed: bool) {
        let slot = self.turn(now);
        self.failed[slot] = self.failed[slot].saturating_add(u32::from(failed));
        self.all[slot] = self.all[slot].saturating_add(1);
    }

    pub(super) fn sums(&mut self, now: Instant) -> (u32, u32) {
        self.turn(now);
        (self.failed.iter().sum(), self.all.iter().sum())
    }
}
