//! Points in time as Google and Ollama spell them, as Unix seconds.
//!
//! Only for telling when an answer was made, so fractions are cut off, and what cannot be read is as good
//! as not told.

/// `2026-05-19T14:59:42.780296Z`, with `Z` or an offset; `None` for anything else and for times before 1970.
pub(crate) fn unix(text: &str) -> Option<u64> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date, '-')?;
    let end = rest.find(['.', 'Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, rest) = rest.split_at_checked(end)?;
    let [hour, minute, second] = numbers(clock, ':')?;
    let zone = rest
        .trim_start_matches('.')
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let offset = match zone.as_bytes().first()? {
        b'Z' | b'z' => 0,
        sign => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let minutes = number(hours)? * 60 + number(minutes)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
    };
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second;
    fits.then(|| u64::try_from(seconds).ok()).flatten()
}

/// Days since 1970 in the Gregorian calendar: years begin in March, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year / 4 - year / 100 + year / 400;
    // 719,468 days lie between 1 March of the year 0 and 1 January 1970
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

fn numbers(text: &str, between: char) -> Option<[i64; 3]> {
    let mut parts = text.split(between).map(number);
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

/// At most four digits, so that nothing made of it overflows.
fn number(text: &str) -> Option<i64> {
    let plain = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::unix;

    #[test]
    fn times_are_read_with_any_fraction_and_offset() {
        assert_eq!(unix("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix("2000-02-29T12:00:00.123456789Z"), Some(951_825_600));
        assert_eq!(unix("2024-05-24T20:26:46.294874Z"), Some(1_716_582_406));
        assert_eq!(unix("2024-05-24T22:26:46+02:00"), Some(1_716_582_406));
        assert_eq!(unix("2024-05-24T13:26:46.2-07:00"), Some(1_716_582_406));
    }

    #[test]
    fn what_is_no_time_is_not_told() {
        for text in [
            "",
            "T",
            "2024",
            "2024-05-24",
            "2024-05-24T20:26",
            "2024-13-24T20:26:46Z",
            "1969-12-31T23:59:59Z",
            "2024-05-24T20:26:46",
            "2024-05-24T20:26:46+0200",
            "99999-05-24T20:26:46Z",
            "2024-05-24T20:26:46ä",
            "a-b-cTd:e:fZ",
        ] {
            assert_eq!(unix(text), None, "{text}");
        }
    }
}
