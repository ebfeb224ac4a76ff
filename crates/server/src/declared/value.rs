//! One value of a deadline header.
//!
//! Nothing here can overflow or panic: digits are counted before they are converted.

use super::date;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most digits before the point: 10 of milliseconds are 115 days.
const MOST_DIGITS: usize = 10;
/// A point in time further ahead is a mistake.
const FURTHEST: Duration = Duration::from_secs(24 * 3600);

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Decimal milliseconds left.
    Millis,
    /// Decimal seconds left.
    Seconds,
    /// A point in time: 13 digits of Unix milliseconds, or RFC 3339 with an offset.
    At,
    /// `TimeoutValue TimeoutUnit` of the gRPC protocol: up to 8 digits and one of `HMSmun`.
    Grpc,
    /// Digits and `ms`, `s`, `m` or `h`, as linkerd writes durations.
    Suffixed,
}

/// What a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Not declared: zero.
    Nothing,
    /// Time left.
    Left(Duration),
    /// The time is over already.
    Spent,
    /// It says nothing; this is what should be sent.
    Unreadable(&'static str),
}

const DECIMAL: &str = "send the time left as digits with an optional fraction, such as 1500";
const TOO_LONG: &str = "it has more than 10 digits; send the time left here, and a point in time as x-request-deadline-at";
const INSTANT: &str =
    "send 13 digits of Unix milliseconds, or an RFC 3339 date and time with an offset";
const SECONDS: &str = "it looks like seconds; send 13 digits of Unix milliseconds";
const TOO_FAR: &str = "it is more than 24 hours ahead";

impl Unit {
    pub(super) fn read(self, text: &str, now: SystemTime) -> Reading {
        let found = match self {
            Self::Millis => return decimal(text, 1_000.0),
            Self::Seconds => return decimal(text, 1.0),
            Self::At => return at(text, now),
            Self::Grpc => grpc(text),
            Self::Suffixed => suffixed(text),
        };
        match found {
            Some(left) if left.is_zero() => Reading::Nothing,
            Some(left) => Reading::Left(left),
            None => Reading::Unreadable(DECIMAL),
        }
    }
}

fn decimal(text: &str, per_second: f64) -> Reading {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    match (amount(digits, per_second), negative) {
        (None, _) if digits.len() > MOST_DIGITS && is_digits(digits) => {
            Reading::Unreadable(TOO_LONG)
        }
        (None, _) => Reading::Unreadable(DECIMAL),
        (Some(left), _) if left.is_zero() => Reading::Nothing,
        (Some(_), true) => Reading::Spent,
        (Some(left), false) => Reading::Left(left),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Digits with an optional fraction, in units of which `per_second` make a second.
fn amount(text: &str, per_second: f64) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) || whole.len() > MOST_DIGITS || fraction.len() > 18
    {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value / per_second).ok()
}

fn at(text: &str, now: SystemTime) -> Reading {
    let at = match (is_digits(text), text.len()) {
        (true, _) if text.bytes().all(|b| b == b'0') => return Reading::Nothing,
        (true, 13) => match text.parse() {
            Ok(ms) => UNIX_EPOCH.checked_add(Duration::from_millis(ms)),
            Err(_) => None,
        },
        (true, 10) => return Reading::Unreadable(SECONDS),
        (true, _) => None,
        (false, _) => date::rfc3339(text),
    };
    match at.map(|at| at.duration_since(now)) {
        None => Reading::Unreadable(INSTANT),
        Some(Err(_)) => Reading::Spent,
        Some(Ok(left)) if left.is_zero() => Reading::Spent,
        Some(Ok(left)) if left > FURTHEST => Reading::Unreadable(TOO_FAR),
        Some(Ok(left)) => Reading::Left(left),
    }
}

fn grpc(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return None,
    })
}

fn suffixed(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(end)?;
    let per_second = match unit {
        "ms" => 1_000.0,
        "s" => 1.0,
        "m" => 1.0 / 60.0,
        "h" => 1.0 / 3_600.0,
        _ => return None,
    };
    amount(number, per_second)
}
