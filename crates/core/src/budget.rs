//! What the retries of a target may draw on, so that a saturated upstream is not asked three times as often.
//!
//! Every request to the target deposits a fifth of a retry, every second a whole one; a balance that lasted
//! ten seconds of a busy target is the most that is kept. Fallbacks and reconnects do not draw.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// In thousandths of a retry.
const ONE: u64 = 1_000;
const PER_REQUEST: u64 = ONE / 5;
const START: u64 = 10 * ONE;
const MOST: u64 = 100 * ONE;

#[derive(Debug)]
struct Balance {
    thousandths: u64,
    at: Instant,
}

/// A token bucket of retries.
#[derive(Debug)]
pub struct RetryBudget {
    balance: Mutex<Balance>,
    unlimited: bool,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self {
            balance: Mutex::new(Balance {
                thousandths: START,
                at: Instant::now(),
            }),
            unlimited: false,
        }
    }
}

impl RetryBudget {
    /// One that never runs out, for a program whose calls are judged each by itself.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            unlimited: true,
            ..Self::default()
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut u64) -> T) -> T {
        let mut b = self.balance.lock().unwrap_or_else(PoisonError::into_inner);
        // one retry a second is one thousandth a millisecond
        let now = Instant::now();
        let earned = now.saturating_duration_since(b.at).as_millis();
        b.at += Duration::from_millis(u64::try_from(earned).unwrap_or(MOST).min(MOST));
        if earned > u128::from(MOST) {
            b.at = now;
        }
        b.thousandths = (b.thousandths + u64::try_from(earned).unwrap_or(MOST).min(MOST)).min(MOST);
        f(&mut b.thousandths)
    }

    /// A first attempt was made.
    pub fn deposit(&self) {
        self.with(|t| *t = (*t + PER_REQUEST).min(MOST));
    }

    /// Takes one retry; false when there is none.
    pub fn withdraw(&self) -> bool {
        self.unlimited
            || self.with(|t| {
                let enough = *t >= ONE;
                if enough {
                    *t -= ONE;
                }
                enough
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn retries_are_a_fifth_of_requests_and_one_a_second() {
        let b = RetryBudget::default();
        let drain = || (0..1000).take_while(|_| b.withdraw()).count();
        assert_eq!(drain(), 10);
        (0..50).for_each(|_| b.deposit());
        assert_eq!(drain(), 10);
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(drain(), 3);
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(drain(), 100);
    }
}
