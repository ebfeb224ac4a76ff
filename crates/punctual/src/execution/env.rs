//! The end of a run as the environment tells of it.
//!
//! Durations are counted from the start of the process, because that is when whoever kills it began to
//! count, not when the program got round to reading them. A variable that is set and cannot be read is an
//! error: a deadline that is silently not there kills the run that relied on it.

use super::{BadExecution, Execution};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const AT: &str = "PUNCTUAL_EXECUTION_DEADLINE_AT";
const LIMIT: &str = "PUNCTUAL_EXECUTION_LIMIT";
const UIPATH: &str = "UIPATH_EXECUTION_TIME_LIMIT_SECONDS";
const RESERVE: &str = "PUNCTUAL_EXECUTION_RESERVE";

/// What it is now, and how old the process is.
pub(super) struct Now {
    wall: Duration,
    age: Duration,
}

impl Now {
    pub(super) fn of_process() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            wall: wall.unwrap_or_default(),
            age: age().unwrap_or_default(),
        }
    }
}

/// How long ago the process began, by `/proc`: field 22 of `stat` in ticks of 10 ms since boot (`proc(5)`).
/// Where there is no `/proc`, it begins now.
fn age() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let ticks: u64 = behind_name.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let started = Duration::from_millis(ticks.checked_mul(10)?);
    Some(
        Duration::try_from_secs_f64(uptime)
            .ok()?
            .saturating_sub(started),
    )
}

type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

pub(super) fn read(lookup: Lookup<'_>, now: Now) -> Result<Option<Execution>, BadExecution> {
    let reserve = variable(lookup, RESERVE, duration, "write a duration, such as 10s")?;
    let reserve = reserve.unwrap_or(Duration::from_secs(10));
    let at = variable(lookup, AT, epoch_ms, "write Unix time in ms, 13 digits")?;
    let limit = variable(
        lookup,
        LIMIT,
        duration,
        "write a duration, such as 15m or 900s",
    )?;
    let uipath = variable(lookup, UIPATH, seconds, "write seconds, such as 900")?;
    let of_age = |limit: Duration| limit.saturating_sub(now.age);
    let ends = [
        at.map(|at| at.saturating_sub(now.wall)),
        limit.map(of_age),
        uipath.map(of_age),
    ];
    let earliest = ends.into_iter().flatten().min();
    Ok(earliest.map(|left| Execution::within(left.saturating_sub(reserve))))
}

fn variable(
    lookup: Lookup<'_>,
    name: &'static str,
    parse: fn(&str) -> Option<Duration>,
    fix: &'static str,
) -> Result<Option<Duration>, BadExecution> {
    let Some(text) = lookup(name).filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let length = parse(text.trim());
    length
        .map(Some)
        .ok_or_else(|| BadExecution::new(name, text, fix))
}

/// 13 digits: 10 would be seconds, and an end in 1970.
fn epoch_ms(text: &str) -> Option<Duration> {
    let digits = text.len() == 13 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .map(Duration::from_millis)
}

fn seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A number with `ms`, `s`, `m` or `h`; without a unit seconds.
fn duration(text: &str) -> Option<Duration> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unit = units
        .iter()
        .find_map(|(name, length)| Some((text.strip_suffix(name)?, *length)));
    let (number, length) = unit.unwrap_or((text, 1.0));
    let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number: f64 = number.parse().ok().filter(|_| plain)?;
    Duration::try_from_secs_f64(number * length).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(set: &[(&str, &str)]) -> Result<Option<u64>, BadExecution> {
        let lookup = |name: &str| {
            let found = set.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let now = Now {
            wall: Duration::from_secs(1_800_000_000),
            age: Duration::from_secs(20),
        };
        read(&lookup, now).map(|run| run.map(|run| run.left().as_secs_f64().round() as u64))
    }

    #[tokio::test(start_paused = true)]
    async fn the_earliest_variable_wins_less_the_reserve_and_the_age_of_the_process() {
        for (set, expected) in [
            (&[][..], None),
            (&[(LIMIT, " ")], None),
            (&[(RESERVE, "5s")], None),
            (&[(LIMIT, "15m")], Some(870)),
            (&[(LIMIT, "15m"), (RESERVE, "0s")], Some(880)),
            (&[(UIPATH, "900.0"), (LIMIT, "1h")], Some(870)),
            (&[(AT, "1800000100000")], Some(90)),
            (&[(AT, "1800000100000"), (LIMIT, "60")], Some(30)),
            (&[(AT, "1700000000000")], Some(0)),
            (&[(LIMIT, "1s")], Some(0)),
        ] {
            assert_eq!(left(set).unwrap(), expected, "{set:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_and_not_ignored() {
        for (name, value) in [
            (AT, "1800000000"),
            (AT, "soon"),
            (LIMIT, "15 min"),
            (LIMIT, "-5s"),
            (LIMIT, "NaN"),
            (LIMIT, "inf"),
            (UIPATH, "1e9"),
            (RESERVE, "x"),
        ] {
            let error = left(&[(name, value)]).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
    }

    #[test]
    fn the_process_is_no_older_than_the_machine() {
        assert!(age().is_none_or(|age| age < Duration::from_secs(86_400)));
    }
}
