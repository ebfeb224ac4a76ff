//! The wall clock as RFC 3339 in UTC, to the millisecond.
//!
//! Days are turned into a date by the algorithm of Howard Hinnant
//! (<https://howardhinnant.github.io/date_algorithms.html#civil_from_days>), for dates from 1970 on.

use std::{
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

/// A time that displays as `2026-01-31T09:08:07.006Z`.
pub(super) struct Timestamp(pub(super) SystemTime);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
        let shifted = days + 719_468;
        let (era, day) = (shifted / 146_097, shifted % 146_097);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        // months counted from March, so that the leap day is the last of the year
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + u64::from(month <= 2);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let ms = since.subsec_millis();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
        )
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
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
