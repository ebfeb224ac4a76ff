//! Moments of the wall clock, as credentials name their end.
//!
//! Written by hand because one form is needed: RFC 3339 in UTC with whole seconds. The conversion of days
//! into dates is Howard Hinnant's `civil_from_days`, for years from 1970 on.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Unix seconds so long from now.
pub(super) fn unix(from_now: Duration) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().saturating_add(from_now).as_secs()
}

/// The moment so long from now, as `2025-10-09T08:53:20Z`.
pub(super) fn date(from_now: Duration) -> String {
    civil(unix(from_now))
}

fn civil(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // days since 1 March of the year 0, in eras of 400 years
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_the_calendars() {
        assert_eq!(civil(0), "1970-01-01T00:00:00Z");
        assert_eq!(civil(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(civil(1_760_000_000), "2025-10-09T08:53:20Z");
        assert_eq!(civil(4_102_444_799), "2099-12-31T23:59:59Z");
    }
}
