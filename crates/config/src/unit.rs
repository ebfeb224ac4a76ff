//! Durations, sizes and shares as users write them: `5s`, `250ms`, `1m30s`, `64MiB`, `25%`.
//!
//! A bare number is refused, because `timeout: 5` reads as seconds to one and as milliseconds to another;
//! the refusal shows both spellings. `0`, `none`, `off` and negative times mean "no limit", which differs
//! from a key that is not there: an unset key takes the value of the layer below, an "off" one does not.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};
use std::{borrow::Cow, fmt, time::Duration};

/// The longest time that may be written: a year. Longer ones are slips of the unit.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// A time limit, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout(pub Option<Duration>);

impl Timeout {
    /// The length; zero when it is off.
    #[must_use]
    pub fn or_zero(self) -> Duration {
        self.0.unwrap_or_default()
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

fn is_off(text: &str) -> bool {
    ["none", "off", "never"]
        .iter()
        .any(|w| text.eq_ignore_ascii_case(w))
}

/// Splits `1.5` off `1.5s rest`.
fn number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Digits with an optional fraction of up to nine digits, times `unit` nanoseconds.
fn scale(digits: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || whole.len() > 15 || fraction.len() > 9 || digits.ends_with('.') {
        return None;
    }
    let whole: u128 = whole.parse().ok()?;
    let part: u128 = match fraction {
        "" => 0,
        f => f.parse::<u128>().ok()? * unit / 10u128.pow(u32::try_from(f.len()).ok()?),
    };
    Some(whole * unit + part)
}

/// Reads a time with units (`ms`, `s`, `m`, `h`, `d`; parts add up).
///
/// # Errors
/// One sentence naming the text and how to write it.
pub fn parse_timeout(text: &str) -> Result<Timeout, String> {
    let text = text.trim();
    if is_off(text) {
        return Ok(Timeout(None));
    }
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |r| (true, r));
    let wrong = || format!("{text:?} is not a time: write 5s, 250ms, 2m, 1h or none");
    if text.contains(char::is_whitespace) {
        return Err(format!("{text:?} has a space in it: write 5s, 1m30s"));
    }
    let mut nanos = 0u128;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let (digits, after) = number(rest);
        let end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let factor = match unit {
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" | "min" => 60 * 1_000_000_000,
            "h" => 3_600 * 1_000_000_000,
            "d" => 86_400 * 1_000_000_000,
            // "-1" is what many write for "off"; how much less than nothing says nothing
            "" if scale(digits, 1).is_some_and(|n| n == 0 || negative) => 1,
            "" if scale(digits, 1).is_some() => {
                return Err(format!("{text} has no unit: write {digits}s or {digits}ms"));
            }
            _ => return Err(wrong()),
        };
        nanos = nanos.saturating_add(scale(digits, factor).ok_or_else(wrong)?);
        rest = after;
    }
    let length = u64::try_from(nanos)
        .ok()
        .map(Duration::from_nanos)
        .filter(|d| *d <= LONGEST);
    match length {
        None => Err(format!(
            "{text:?} is longer than a year: write none for no limit"
        )),
        Some(d) if negative || d.is_zero() => Ok(Timeout(None)),
        Some(d) => Ok(Timeout(Some(d))),
    }
}

/// Reads a size with units (`B`, `KB`, `KiB`, `MB`, `MiB`, `GB`, `GiB`).
///
/// # Errors
/// One sentence naming the text and how to write it.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let text = text.trim();
    let (digits, unit) = number(text);
    let factor = match unit.trim() {
        "B" => 1,
        "kB" | "KB" => 1000,
        "KiB" | "K" | "k" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" | "M" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" | "G" => 1 << 30,
        "" if !digits.is_empty() => {
            return Err(format!(
                "{text} has no unit: write {digits}MiB, {digits}KiB or {digits}B"
            ));
        }
        _ => {
            return Err(format!(
                "{text:?} is not a size: write 64MiB, 512KiB or 100B"
            ));
        }
    };
    scale(digits, factor)
        .and_then(|n| u64::try_from(n).ok())
        .map(Size)
        .ok_or_else(|| format!("{text:?} is not a size: write 64MiB, 512KiB or 100B"))
}

/// Writes a time the way it would be written in a file.
#[must_use]
pub fn show(d: Duration) -> String {
    let ms = d.as_millis();
    match ms {
        0 if d.is_zero() => "0s".to_owned(),
        // ten minutes and more are read in larger units
        _ if ms > 600_000 => {
            let parts = [
                (ms / 3_600_000, "h"),
                (ms / 60_000 % 60, "m"),
                (ms / 1000 % 60, "s"),
                (ms % 1000, "ms"),
            ];
            let told = parts.iter().filter(|(n, _)| *n > 0);
            told.map(|(n, unit)| format!("{n}{unit}")).collect()
        }
        _ if ms.is_multiple_of(60_000) && ms > 0 => format!("{}m", ms / 60_000),
        _ if ms.is_multiple_of(1000) && ms > 0 => format!("{}s", ms / 1000),
        _ if ms > 1000 => {
            let text = format!("{}.{:03}", ms / 1000, ms % 1000);
            format!("{}s", text.trim_end_matches('0'))
        }
        _ => format!("{ms}ms"),
    }
}

struct Text<T>(fn(&str) -> Result<T, String>, &'static str);

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<T, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<T, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<T, E> {
        self.visit_str(&n.to_string())
    }
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Text(
            parse_timeout,
            "a time such as 5s, 250ms, 2m, 1h or none",
        ))
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Text(parse_size, "a size such as 64MiB or 512KiB"))
    }
}

impl JsonSchema for Timeout {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Timeout".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "pattern": r"^(none|off|never|0|-[0-9]+(\.[0-9]+)?|-?([0-9]+(\.[0-9]+)?(ms|s|m|min|h|d))+)$" },
            { "type": "number", "maximum": 0 },
        ]})
    }
}

impl JsonSchema for Size {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? ?(B|kB|KB|KiB|MB|MiB|GB|GiB|k|K|M|G)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Result<Option<u128>, String> {
        parse_timeout(text).map(|t| t.0.map(|d| d.as_millis()))
    }

    #[test]
    fn times_carry_units_and_off_is_not_a_time() {
        for (text, want) in [
            ("5s", 5_000),
            ("250ms", 250),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("1.5s", 1_500),
            ("1m30s", 90_000),
            ("1d", 86_400_000),
        ] {
            assert_eq!(ms(text), Ok(Some(want)), "{text}");
        }
        for off in ["0", "none", "off", "-1", "-2.5", "-1s", "0s", "-5m", "0ms"] {
            assert_eq!(ms(off), Ok(None), "{off}");
        }
    }

    #[test]
    fn a_bare_number_is_refused_with_both_spellings() {
        assert_eq!(ms("5").unwrap_err(), "5 has no unit: write 5s or 5ms");
        for bad in [
            "",
            "-",
            "s",
            "5 s",
            "5x",
            "1e3s",
            "..s",
            "1.s",
            ".5s",
            "inf",
            "5s5",
            "999999999d",
            "99999999999999999999s",
            "1.0000000001s",
        ] {
            assert!(ms(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_carry_units() {
        assert_eq!(parse_size("64MiB"), Ok(Size(64 << 20)));
        assert_eq!(parse_size("1.5KiB"), Ok(Size(1536)));
        assert_eq!(parse_size("1 GB"), Ok(Size(1_000_000_000)));
        for bad in ["64", "", "MiB", "-1B", "1TiBs", "99999999999999GiB"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_shown_can_be_written() {
        for text in [
            "5s", "250ms", "2m", "1h", "1.5s", "90s", "61.25s", "601s", "3601s", "2h1m1s",
        ] {
            let d = parse_timeout(text).unwrap().0.unwrap();
            assert_eq!(parse_timeout(&show(d)).unwrap().0, Some(d));
        }
        for (seconds, shown) in [
            (1.5, "1.5s"),
            (601.0, "10m1s"),
            (3601.0, "1h1s"),
            (3720.0, "1h2m"),
            (7200.25, "2h250ms"),
        ] {
            assert_eq!(show(Duration::from_secs_f64(seconds)), shown);
        }
    }
}
