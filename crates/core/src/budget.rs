//! What the retries of a target may draw on, so that a saturated upstream is not asked three times as often.
//!
//! Every request to the target deposits a fifth of a retry, every second a whole one; a balance that lasted
//! ten seconds of a busy target is the most that is kept. Fallbacks and reconnects do not draw.

use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

const PER_REQUEST: f64 = 0.2;
const PER_SECOND: f64 = 1.0;
const START: f64 = 10.0;
const MOST: f64 = 100.0;

#[derive(Debug)]
struct Balance {
    tokens: f64,
    at: Instant,
}

/// A token bucket of retries.
#[derive(Debug)]
pub struct RetryBudget(Mutex<Balance>);

impl Default for RetryBudget {
    fn default() -> Self {
        Self(Mutex::new(Balance {
            tokens: START,
            at: Instant::now(),
        }))
    }
}

impl RetryBudget {
    fn with<T>(&self, f: impl FnOnce(&mut f64) -> T) -> T {
        let mut b = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let earned = now.saturating_duration_since(b.at).as_secs_f64() * PER_SECOND;
        b.tokens = (b.tokens + earned).min(MOST);
        b.at = now;
        f(&mut b.tokens)
    }

    /// A first attempt was made.
    pub fn deposit(&self) {
        self.with(|t| *t = (*t + PER_REQUEST).min(MOST));
    }

    /// Takes one retry; false when there is none.
    pub fn withdraw(&self) -> bool {
        self.with(|t| {
            let enough = *t >= 1.0;
            if enough {
                *t -= 1.0;
            }
            enough
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
