//! How a retry waits, and which failures it takes.

use crate::failure::Code;
use std::{num::NonZeroU32, time::Duration};

/// Full jitter over an exponential bound: delay n is uniform over 0 to `min(initial · multiplierⁿ⁻¹, max)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first bound.
    pub initial: Duration,
    /// Growth per attempt; values under 1 or not finite count as 1.
    pub multiplier: f64,
    /// The largest bound.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(250),
            multiplier: 2.0,
            max: Duration::from_secs(10),
        }
    }
}

impl Backoff {
    /// The largest delay after `attempt` (1 for the first) failed attempts.
    #[must_use]
    pub fn bound(&self, attempt: u32) -> Duration {
        let factor = if self.multiplier.is_finite() {
            self.multiplier.max(1.0)
        } else {
            1.0
        };
        let grown = self.initial.as_secs_f64()
            * factor.powi(i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX));
        Duration::try_from_secs_f64(grown)
            .unwrap_or(self.max)
            .min(self.max)
    }

    /// A delay drawn from the bound.
    #[must_use]
    pub fn draw(&self, attempt: u32) -> Duration {
        self.bound(attempt).mul_f64(fastrand::f64())
    }
}

/// A set of [`Code`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSet(u64);

impl CodeSet {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Everything.
    pub const ALL: Self = Self(u64::MAX);

    /// Adds a code.
    #[must_use]
    pub const fn with(self, code: Code) -> Self {
        Self(self.0 | 1 << code as u64)
    }

    /// Whether a code is in it.
    #[must_use]
    pub const fn has(self, code: Code) -> bool {
        self.0 & 1 << code as u64 != 0
    }
}

/// The rules of a retry node.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// Attempts in total, the first included.
    pub max_attempts: NonZeroU32,
    /// The pause between them.
    pub backoff: Backoff,
    /// Narrows what is retried; the table of failures still decides first.
    pub on: CodeSet,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_grows_to_its_maximum_and_never_overflows() {
        let b = Backoff {
            initial: Duration::from_millis(100),
            multiplier: 2.0,
            max: Duration::from_secs(1),
        };
        assert_eq!(
            [1, 2, 3, 4, 5, u32::MAX].map(|n| b.bound(n).as_millis()),
            [100, 200, 400, 800, 1000, 1000]
        );
        let odd = Backoff {
            multiplier: f64::NAN,
            ..b
        };
        assert_eq!(odd.bound(9), Duration::from_millis(100));
        assert!((0..100).all(|_| b.draw(3) <= b.bound(3)));
    }
}
