//! The clocks of one attempt, and how any timer of the engine is armed.
//!
//! A target has four clocks (connect, first token, between tokens, whole attempt) and a reserve; a unary
//! exchange has one more that only shortens the whole. Which limit fired is known by construction: an
//! instant is always carried together with the [`Clock`] it belongs to, never guessed afterwards.
//!
//! tokio's timers round up to the next millisecond, so everything here is armed one millisecond early and
//! compared with the same tolerance by [`reached`].

use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

const EARLY: Duration = Duration::from_millis(1);

/// One of a target's own clocks; its name is the `timeout_type` that errors carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clock {
    /// TCP and TLS up.
    Connect,
    /// Dispatch to first content; streamed exchanges only.
    FirstToken,
    /// Content to next content; streamed exchanges only.
    StreamToken,
    /// Dispatch to the last byte of a unary answer.
    Unary,
    /// Dispatch to the upstream's last byte.
    Attempt,
    /// Cut short to leave time for the members behind; never retried, never counted on health.
    Reserve,
}

impl Clock {
    /// The name used in configuration, errors, spans and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect_timeout",
            Self::FirstToken => "first_token_timeout",
            Self::StreamToken => "stream_token_timeout",
            Self::Unary => "unary_timeout",
            Self::Attempt => "timeout",
            Self::Reserve => "reserve",
        }
    }
}

/// The clocks of a target; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// TCP and TLS.
    pub connect: Option<Duration>,
    /// Dispatch to first content, streamed exchanges.
    pub first_token: Option<Duration>,
    /// Content to next content, streamed exchanges.
    pub stream_token: Option<Duration>,
    /// Dispatch to last byte, unary exchanges; only shortens `attempt`.
    pub unary: Option<Duration>,
    /// Dispatch to last byte, unary exchanges.
    pub attempt: Option<Duration>,
    /// Dispatch to last byte, streamed exchanges.
    pub attempt_streamed: Option<Duration>,
}

impl Limits {
    /// The limit of the whole attempt for this kind of exchange, with the clock it belongs to.
    #[must_use]
    pub fn whole(&self, stream: bool) -> Option<(Clock, Duration)> {
        if stream {
            return self.attempt_streamed.map(|d| (Clock::Attempt, d));
        }
        [(Clock::Unary, self.unary), (Clock::Attempt, self.attempt)]
            .into_iter()
            .filter_map(|(clock, d)| d.map(|d| (clock, d)))
            .min_by_key(|(_, d)| *d)
    }
}

/// How much of the time left is kept for the members behind, before content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reserve {
    /// `min(left / 2, 10 s × members behind)`.
    #[default]
    Auto,
    /// Nothing is kept.
    None,
    /// A fixed time, at most half of what is left.
    Fixed(Duration),
    /// A share of the time left, in percent (0 to 100).
    Percent(u8),
}

impl Reserve {
    /// Time kept for `behind` members out of `left`; zero when nobody is behind.
    #[must_use]
    pub fn keep(self, left: Duration, behind: usize) -> Duration {
        if behind == 0 {
            return Duration::ZERO;
        }
        let each = Duration::from_secs(10);
        let members = u32::try_from(behind).unwrap_or(u32::MAX);
        match self {
            Self::Auto => (left / 2).min(each.saturating_mul(members)),
            Self::None => Duration::ZERO,
            Self::Fixed(d) => d.min(left / 2),
            Self::Percent(p) => left * u32::from(p.min(100)) / 100,
        }
    }
}

/// A timer for `at`, armed one millisecond early because tokio rounds up.
pub fn arm(at: Instant) -> Sleep {
    sleep_until(early(at))
}

/// The instant a timer for `at` is set to.
pub(crate) fn early(at: Instant) -> Instant {
    at.checked_sub(EARLY).unwrap_or(at)
}

/// Whether `at` counts as passed: the same tolerance [`arm`] uses.
#[must_use]
pub fn reached(at: Instant) -> bool {
    Instant::now() >= early(at)
}
