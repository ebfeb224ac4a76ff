//! The wall clock as RFC 3339 in UTC, to the millisecond.
//!
//! Days are turned into a date by the algorithm of Howard Hinnant
//! (<https://howardhinnant.github.io/date_algorithms.html#civil_from_days>), for dates from 1970 on.

use std::{
    fmt,
    ops::Range,
    time::{SystemTime, UNIX_EPOCH},
};

/// A time that displays as `2026-01-31T09:08:07.006Z`.
pub(super) struct Timestamp(pub(super) SystemTime);

impl Timestamp {
    /// Its text, made digit by digit: one is written with every request.
    pub(super) fn text(&self) -> [u8; 24] {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
        let (year, month, day) = date(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: Range<usize>, mut value: u64| {
            for digit in text[at].iter_mut().rev() {
                *digit = b'0' + u8::try_from(value % 10).unwrap_or_default();
                value /= 10;
            }
        };
        put(0..4, year);
        put(5..7, month);
        put(8..10, day);
        put(11..13, second / 3600);
        put(14..16, second / 60 % 60);
        put(17..19, second % 60);
        put(20..23, u64::from(since.subsec_millis()));
        text
    }
}

/// Year, month and day of a day since 1970, in the Gregorian calendar. After Howard Hinnant's
/// `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // months counted from March, so that the leap day is the last of the year
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_instants_have_known_dates() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            let at = UNIX_EPOCH + Duration::from_millis(ms);
            assert_eq!(Timestamp(at).to_string(), text);
        }
    }
}
