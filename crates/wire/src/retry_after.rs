//! How long an upstream asks to be left alone.
//!
//! Headers first, finest unit first: `retry-after-ms` (OpenAI, Azure), `x-ms-retry-after-ms`
//! (Azure), `Retry-After` in seconds or as a date (RFC 9110 §10.2.3). Then the body: Google's
//! `RetryInfo`, `retry_after` members, OpenAI's "try again in". A date is measured against the
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
            let date = first(headers, header::DATE.as_str(), |v| {
                httpdate::parse_http_date(v).ok()
            });
            let sent = date.unwrap_or(now);
            first(headers, header::RETRY_AFTER.as_str(), |v| {
                seconds(v).or_else(|| until(v, sent))
            })
        })
        .or_else(|| said(std::str::from_utf8(body?).ok()?))
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

/// What an error body says.
fn said(body: &str) -> Option<Duration> {
    let error = json::member(body, "error").unwrap_or(body);
    let [after_ms, after, details, message] = json::members(
        error,
        &["retry_after_ms", "retry_after", "details", "message"],
    )?;
    after_ms
        .and_then(milliseconds)
        .or_else(|| after.and_then(seconds))
        .or_else(|| retry_info(details?))
        .or_else(|| try_again(&json::text(message?)?))
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

/// OpenAI and Groq: "Please try again in 46.72s", "… in 1m30.5s", "… in 20ms".
fn try_again(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("try again in ")?;
    let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    let (mut rest, mut total) = (rest.get(..end)?.trim_end_matches('.'), Duration::ZERO);
    while !rest.is_empty() {
        let unit = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(unit)?;
        let length = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (name, after) = after.split_at_checked(length)?;
        let per_second = match name {
            "ms" => 1_000.0,
            "s" => 1.0,
            "m" => 1.0 / 60.0,
            "h" => 1.0 / 3_600.0,
            _ => return None,
        };
        total = total.checked_add(decimal(number, per_second)?)?;
        rest = after;
    }
    (total <= MAX).then_some(total)
}
