//! Instants as AWS, OAuth and Anthropic's rate limits write them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since 1970, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(super) u64);

impl Moment {
    pub(super) fn now() -> Self {
        Self::of(SystemTime::now())
    }

    pub(crate) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH);
        Self(since.unwrap_or_default().as_secs())
    }

    /// So much later, up to the next whole second.
    pub(crate) fn after(self, length: Duration) -> Self {
        let begun = u64::from(length.subsec_nanos() > 0);
        Self(
            self.0
                .saturating_add(length.as_secs())
                .saturating_add(begun),
        )
    }

    /// How long it is from `earlier` on; nothing if that is not earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }

    /// `2015-08-30T12:36:00Z`
    pub(crate) fn written(self) -> String {
        let (days, seconds) = (self.0 / 86_400, self.0 % 86_400);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// `20150830T123600Z`; the first eight characters are the date.
    pub(super) fn compact(self) -> String {
        self.written().replace(['-', ':'], "")
    }

    /// Reads `2015-08-30T12:36:00Z`, with or without a fraction of a second. Programs also write an offset
    /// (`+02:00`), and the tools of AWS once wrote `UTC`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
        let apart = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
        let whole = apart
            .iter()
            .all(|(at, sign)| text.get(*at..at + 1) == Some(*sign));
        let end = text.get(19..)?;
        let fraction = end.strip_prefix('.');
        let zone = fraction.map_or(end, |rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit())
        });
        let ahead = ahead(zone)?;
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let sane = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        if !(whole && sane) {
            return None;
        }
        let local = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        local.checked_add_signed(-ahead).map(Self)
    }

    /// How long it is until then; nothing if it has passed.
    pub(super) fn left(self) -> Duration {
        self.since(Self::now())
    }
}

/// How many seconds the clocks of a zone are ahead of UTC.
fn ahead(zone: &str) -> Option<i64> {
    if ["Z", "UTC"].contains(&zone) {
        return Some(0);
    }
    let digits = |from: usize| zone.get(from..from + 2)?.parse::<u8>().ok();
    let (hours, minutes) = (i64::from(digits(1)?), i64::from(digits(4)?));
    let sane = zone.len() == 6 && zone.get(3..4) == Some(":") && hours < 24 && minutes < 60;
    let seconds = hours * 3600 + minutes * 60;
    match zone.get(..1)? {
        "+" if sane => Some(seconds),
        "-" if sane => Some(-seconds),
        _ => None,
    }
}

/// Days since 1970 of a date (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", for years from
/// 1970 on).
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970 (as [`days`]).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn dates_are_written_and_read_back() {
        for (seconds, compact, long) in [
            (0, "19700101T000000Z", "1970-01-01T00:00:00Z"),
            (951_782_399, "20000228T235959Z", "2000-02-28T23:59:59Z"),
            (951_868_800, "20000301T000000Z", "2000-03-01T00:00:00Z"),
            (1_440_938_160, "20150830T123600Z", "2015-08-30T12:36:00Z"),
            (4_107_542_399, "21000228T235959Z", "2100-02-28T23:59:59Z"),
        ] {
            assert_eq!(Moment(seconds).compact(), compact);
            assert_eq!(Moment(seconds).written(), long);
            assert_eq!(Moment::parse(long), Some(Moment(seconds)), "{long}");
        }
        for same in [
            "2000-03-01T00:00:00.123Z",
            "2000-03-01T00:00:00UTC",
            "2000-03-01T00:00:00+00:00",
            "2000-03-01T02:30:00.5+02:30",
            "2000-02-29T16:00:00-08:00",
        ] {
            assert_eq!(Moment::parse(same), Some(Moment(951_868_800)), "{same}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "2000-03-01",
            "2000-13-01T00:00:00Z",
            "2000-03-01T00:00:00",
            "2000-03-01T00:00:00+0100",
            "2000-03-01T00:00:00+24:00",
            "2000-03-01T00:00:00ä01:00",
            "1970-01-01T00:00:00+01:00",
            "äääääääääääääääääää",
            "0000-00-00T00:00:00Z",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
