//! How long an upstream asks to be left alone.
//!
//! Headers first, finest unit first: `retry-after-ms` (OpenAI, Azure), `x-ms-retry-after-ms`
//! (Azure), `Retry-After` in seconds or as a date (RFC 9110 §10.2.3). Then the body: Google's
//! `RetryInfo`, `retry_after` members, prose such as "try again in 1.5s". A date is measured against the
//! response's own `Date`, so that clocks that differ do no harm. Valid is 0 to 86,400 s; anything
//! else (negative, past, not a number) is as if it had not been said, and nothing here can panic.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderValue, header};

use crate::json;

#[cfg(test)]
mod tests;

/// The longest hint that is believed: one day.
pub const MAX: Duration = Duration::from_secs(86_400);

/// The hint of a response, or of an error inside a stream (with an empty header map).
/// `now` stands in for a missing `Date`.
pub fn hint(headers: &HeaderMap, body: Option<&[u8]>, now: SystemTime) -> Option<Duration> {
    first(headers, "retry-after-ms", milliseconds)
        .or_else(|| first(headers, "x-ms-retry-after-ms", milliseconds))
        .or_else(|| {
            let sent = sent(headers, now);
            first(headers, header::RETRY_AFTER.as_str(), |v| {
                seconds(v).or_else(|| until(v, sent))
            })
        })
        .or_else(|| said(std::str::from_utf8(body?).ok()?))
}

/// When a response was made, by its own `Date`; `now` where it has none.
pub fn sent(headers: &HeaderMap, now: SystemTime) -> SystemTime {
    let date = first(headers, header::DATE.as_str(), |v| {
        httpdate::parse_http_date(v).ok()
    });
    date.unwrap_or(now)
}

/// The hint as a `Retry-After` header, rounded up to whole seconds.
pub fn header_value(hint: Duration) -> HeaderValue {
    let seconds = hint
        .as_secs()
        .saturating_add(u64::from(hint.subsec_nanos() > 0));
    HeaderValue::from(seconds)
}

fn first<T>(headers: &HeaderMap, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    headers
        .get_all(name)
        .iter()
        .find_map(|value| read(value.to_str().ok()?.trim()))
}

fn milliseconds(text: &str) -> Option<Duration> {
    decimal(text, 1_000.0)
}

fn seconds(text: &str) -> Option<Duration> {
    decimal(text, 1.0)
}

/// Digits with an optional fraction, in units of which `per_second` make a second.
fn decimal(text: &str, per_second: f64) -> Option<Duration> {
    if !text.starts_with(|c: char| c.is_ascii_digit())
        || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    {
        return None;
    }
    let seconds = text.parse::<f64>().ok()? / per_second;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|hint| *hint <= MAX)
}

fn until(text: &str, sent: SystemTime) -> Option<Duration> {
    let at = httpdate::parse_http_date(text).ok()?;
    at.duration_since(sent).ok().filter(|hint| *hint <= MAX)
}

/// What an error body says: OpenAI's envelope, or Google's, which streams put into an array.
fn said(body: &str) -> Option<Duration> {
    let mut first = None;
    json::elements(body, |element| first = first.or(Some(element)));
    let body = first.unwrap_or(body);
    let error = json::member(body, "error").unwrap_or(body);
    let [after_ms, after, details, message] = json::members(
        error,
        &["retry_after_ms", "retry_after", "details", "message"],
    )?;
    // a number, or a number as text
    let spelled = |value: Option<&str>, read: fn(&str) -> Option<Duration>| {
        let value = value?;
        read(&json::text(value).unwrap_or(value.into()))
    };
    spelled(after_ms, milliseconds)
        .or_else(|| spelled(after, seconds))
        .or_else(|| retry_info(details?))
        .or_else(|| spoken(&json::text(message?)?))
}

/// `"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"}]`
fn retry_info(details: &str) -> Option<Duration> {
    let mut hint = None;
    json::elements(details, |detail| {
        let delay = json::member(detail, "retryDelay").and_then(json::text);
        hint = hint.or_else(|| seconds(delay?.strip_suffix('s')?));
    });
    hint
}

/// OpenAI and Groq: "Please try again in 46.72s", "… in 1m30.5s", "… in 20ms"; Azure: "Please retry after 6
/// seconds."; Gemini: "Please retry in 12.5s.".
fn spoken(message: &str) -> Option<Duration> {
    const PHRASES: [&str; 4] = [
        "try again in ",
        "try again after ",
        "retry after ",
        "retry in ",
    ];
    let message = message.to_lowercase();
    let behind = |phrase: &&str| message.split_once(*phrase).map(|(_, rest)| rest);
    PHRASES.iter().filter_map(behind).find_map(length)
}

/// The length of time at the beginning of `text` (`1m30.5s`, `20 ms`): numbers, each with its unit, with or
/// without blanks; at most a day.
pub fn length(text: &str) -> Option<Duration> {
    let (mut rest, mut total) = (text, None::<Duration>);
    loop {
        let number = rest.trim_start();
        let end = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let (number, after) = number.split_at_checked(end)?;
        let unit = after.trim_start();
        let end = unit
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(unit.len());
        let (unit, after) = unit.split_at_checked(end)?;
        let Some(part) = per_second(unit).and_then(|per_second| decimal(number, per_second)) else {
            break;
        };
        total = Some(total.unwrap_or_default().checked_add(part)?);
        rest = after;
    }
    total.filter(|total| *total <= MAX)
}

/// How many of a unit make a second.
fn per_second(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" | "millisecond" | "milliseconds" => 1_000.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 1.0 / 60.0,
        "h" | "hr" | "hour" | "hours" => 1.0 / 3_600.0,
        _ => return None,
    })
}
