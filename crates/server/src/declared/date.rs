//! RFC 3339 dates, strictly: a full date, a full time, an offset that is said.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `2026-01-31T23:59:59.5+02:00`; a leap second counts as the second after. Nothing before 1970.
pub(super) fn rfc3339(text: &str) -> Option<SystemTime> {
    let (date, rest) = (text.get(..10)?, text.get(10..)?);
    let (time, rest) = (
        rest.strip_prefix(['T', 't', ' '])?.get(..8)?,
        rest.get(9..)?,
    );
    let [year, month, day] = three(date, b'-', [4, 2, 2])?;
    let [hour, minute, second] = three(time, b':', [2, 2, 2])?;
    let valid = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    let (fraction, offset) = fraction(rest)?;
    let offset = offset_seconds(offset)?;
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    let seconds = u64::try_from(seconds - offset).ok().filter(|_| valid)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + fraction)
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

fn three(text: &str, separator: u8, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(char::from(separator));
    let mut next = |length| number(parts.next().filter(|p| p.len() == length)?);
    Some([next(lengths[0])?, next(lengths[1])?, next(lengths[2])?])
}

/// The fraction of a second, and what comes after it.
fn fraction(text: &str) -> Option<(Duration, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((Duration::ZERO, text));
    };
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let digits = rest.get(..end.min(9)).filter(|d| !d.is_empty())?;
    let nanos = number(&format!("{digits:0<9}"))?;
    Some((
        Duration::from_nanos(u64::try_from(nanos).ok()?),
        rest.get(end..)?,
    ))
}

fn offset_seconds(text: &str) -> Option<i64> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let sign = match text.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let two = |t: &str| number(t).filter(|_| t.len() == 2);
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unix_ms(text: &str) -> Option<u128> {
        Some(rfc3339(text)?.duration_since(UNIX_EPOCH).ok()?.as_millis())
    }

    #[test]
    fn a_date_with_an_offset_is_a_point_in_time() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00z", 951_825_600_000),
            ("2026-01-31T23:59:59.5+02:00", 1_769_896_799_500),
            ("2026-01-31t21:59:59.500999999999-00:00", 1_769_896_799_500),
            ("2026-01-31 16:29:59-05:30", 1_769_896_799_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] {
            assert_eq!(unix_ms(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn anything_less_is_not() {
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T23:59:59",
            "2026-01-31T23:59Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00+02",
            "2026-01-01T00:00:00.Z",
            "2026-1-01T00:00:00Z",
            "+026-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-01-01T00:00:00ZZ",
            "２026-01-01T00:00:00Z",
        ] {
            assert_eq!(unix_ms(text), None, "{text}");
        }
    }
}
