//! The clocks of a client.
//!
//! Each is a time that may pass before an attempt counts as failed; 0 and less mean that there is no such
//! clock. A clock that is not mentioned has its default, which for a program is: 10 s to connect, 5 minutes
//! for everything, no others (those are BAML's figures, so that programs can move from one to the other).

use punctual_core::Limits;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(10);
const TOTAL: Duration = Duration::from_secs(300);

/// A length of time, or none: from a [`Duration`], or a number of seconds. Zero, negative numbers and what
/// is no number mean none, and so does what is longer than a clock can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length(Option<Duration>);

impl Length {
    /// No limit.
    pub const NONE: Self = Self(None);
}

impl From<Duration> for Length {
    fn from(length: Duration) -> Self {
        Self((!length.is_zero()).then_some(length))
    }
}

impl From<Option<Duration>> for Length {
    fn from(length: Option<Duration>) -> Self {
        length.map_or(Self::NONE, Self::from)
    }
}

impl From<f64> for Length {
    fn from(seconds: f64) -> Self {
        Duration::try_from_secs_f64(seconds).map_or(Self::NONE, Self::from)
    }
}

impl From<i64> for Length {
    fn from(seconds: i64) -> Self {
        u64::try_from(seconds).map_or(Self::NONE, |s| Duration::from_secs(s).into())
    }
}

impl From<i32> for Length {
    fn from(seconds: i32) -> Self {
        i64::from(seconds).into()
    }
}

/// The clocks of a client. A [`Duration`] alone means [`total`](Self::total).
///
/// ```
/// use punctual::Timeouts;
/// use std::time::Duration;
///
/// let clocks = Timeouts::new()
///     .first_token(Duration::from_secs(5))
///     .stream_token(20)
///     .total(0.0); // no limit over all
/// # let _ = clocks;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    connect: Option<Length>,
    first_token: Option<Length>,
    stream_token: Option<Length>,
    unary: Option<Length>,
    total: Option<Length>,
}

impl Timeouts {
    /// All defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            connect: None,
            first_token: None,
            stream_token: None,
            unary: None,
            total: None,
        }
    }

    /// No clock at all.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            connect: Some(Length::NONE),
            first_token: Some(Length::NONE),
            stream_token: Some(Length::NONE),
            unary: Some(Length::NONE),
            total: Some(Length::NONE),
        }
    }

    /// TCP and TLS up. By default 10 s.
    #[must_use]
    pub fn connect(mut self, length: impl Into<Length>) -> Self {
        self.connect = Some(length.into());
        self
    }

    /// From the dispatch of a streamed attempt to its first content. By default none.
    #[must_use]
    pub fn first_token(mut self, length: impl Into<Length>) -> Self {
        self.first_token = Some(length.into());
        self
    }

    /// From content to content of a stream, while waiting for the provider. By default none.
    #[must_use]
    pub fn stream_token(mut self, length: impl Into<Length>) -> Self {
        self.stream_token = Some(length.into());
        self
    }

    /// From the dispatch of an attempt without a stream to its last byte; only shortens `total`. By default
    /// none.
    #[must_use]
    pub fn unary(mut self, length: impl Into<Length>) -> Self {
        self.unary = Some(length.into());
        self
    }

    /// From the dispatch of any attempt to its last byte. By default 5 minutes.
    #[must_use]
    pub fn total(mut self, length: impl Into<Length>) -> Self {
        self.total = Some(length.into());
        self
    }

    pub(crate) fn limits(self) -> Limits {
        let of = |set: Option<Length>, default| set.map_or(default, |length| length.0);
        let total = of(self.total, Some(TOTAL));
        Limits {
            connect: of(self.connect, Some(CONNECT)),
            first_token: of(self.first_token, None),
            stream_token: of(self.stream_token, None),
            unary: of(self.unary, None),
            attempt: total,
            attempt_streamed: total,
        }
    }
}

impl From<Duration> for Timeouts {
    fn from(total: Duration) -> Self {
        Self::new().total(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_negative_and_no_number_are_no_clock() {
        for length in [
            Length::from(0),
            (-5).into(),
            0.0.into(),
            (-0.1).into(),
            f64::NAN.into(),
            f64::INFINITY.into(),
            Duration::ZERO.into(),
            None.into(),
        ] {
            let limits = Timeouts::new().total(length).limits();
            assert_eq!((limits.attempt, limits.attempt_streamed), (None, None));
        }
        assert_eq!(Length::from(1.5).0, Some(Duration::from_millis(1500)));
    }

    #[test]
    fn a_duration_alone_is_the_total_and_the_rest_has_its_defaults() {
        let limits = Timeouts::from(Duration::from_secs(7)).limits();
        assert_eq!(limits.attempt, Some(Duration::from_secs(7)));
        assert_eq!(limits.connect, Some(CONNECT));
        assert_eq!(limits.stream_token, None);
        assert_eq!(Timeouts::new().limits().attempt, Some(TOTAL));
        assert_eq!(Timeouts::none().limits(), Limits::default());
    }
}
