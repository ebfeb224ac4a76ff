//! Response headers.
//!
//! Upstream's come by its allow-list and never decide about our connection; ours say how often, by whom and
//! how long. Names in header values are made safe here, whatever they are.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use punctual_core::{Code, Failure, Report};
use std::{borrow::Cow, sync::Arc, time::Duration};

/// Under which name a caller finds its request again.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The same, for Anthropic's clients.
pub(super) const ANTHROPIC_ID: HeaderName = HeaderName::from_static("request-id");
/// The same of the upstream's.
pub(super) const UPSTREAM_ID: HeaderName = HeaderName::from_static("x-upstream-request-id");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-punctual-attempts");
const TARGET: HeaderName = HeaderName::from_static("x-punctual-target");
const DROPPED: HeaderName = HeaderName::from_static("x-punctual-dropped");
const TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The longest list of names, in bytes; what does not fit is on record.
const LONGEST_LIST: usize = 1024;
/// The longest value that a name may become.
const LONGEST: usize = 256;
const UNSAFE: &AsciiSet = &CONTROLS.add(b'%');
const IN_LIST: &AsciiSet = &UNSAFE.add(b',').add(b' ');

/// Headers that are about a connection or a body as it was sent, never about the answer.
const NEVER: [HeaderName; 9] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::SET_COOKIE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::DATE,
    header::SERVER,
];

/// A name or id that is not ours to choose.
pub(super) fn text(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let plain = value.bytes().all(|b| (b' '..=b'~').contains(&b)) && value.len() <= LONGEST;
    let value = match plain {
        true => Cow::Borrowed(value),
        false => {
            let mut encoded = utf8_percent_encode(value, UNSAFE).to_string();
            encoded.truncate(LONGEST);
            Cow::Owned(encoded)
        }
    };
    if let Ok(value) = HeaderValue::from_str(&value) {
        headers.insert(name, value);
    }
}

/// Those of the winning attempt's upstream.
pub(super) fn upstream(headers: &mut HeaderMap, theirs: &HeaderMap) {
    for (name, value) in theirs {
        if !NEVER.contains(name) {
            headers.insert(name, value.clone());
        }
    }
}

/// What the target's API had no place for. Names of a caller's choice are among them, so what separates them
/// is encoded within them.
pub(super) fn dropped(headers: &mut HeaderMap, names: &[Arc<str>]) {
    let mut list = String::new();
    for name in names {
        let name = utf8_percent_encode(name, IN_LIST).to_string();
        let separator = if list.is_empty() { "" } else { ", " };
        if list.len() + separator.len() + name.len() > LONGEST_LIST {
            break;
        }
        list.push_str(separator);
        list.push_str(&name);
    }
    if let Ok(list) = HeaderValue::try_from(list)
        && !list.is_empty()
    {
        headers.insert(DROPPED, list);
    }
}

/// A body of JSON.
pub(super) fn json(headers: &mut HeaderMap) {
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
}

/// An event stream, which nobody on the way may keep back.
pub(super) fn stream(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// How often, by whom, how long.
pub(super) fn report(headers: &mut HeaderMap, report: &Report) {
    let attempts = match report.attempt_count() {
        1 => HeaderValue::from_static("1"),
        several => HeaderValue::from(several),
    };
    headers.insert(ATTEMPTS, attempts);
    let last = || report.attempts.last().map(|a| &a.target);
    if let Some(target) = report.served_by.as_ref().or_else(last) {
        text(headers, TARGET, target);
    }
    let running = report.attempting.as_ref().map(|a| a.started.elapsed());
    let attempt = report.attempt + running.unwrap_or_default();
    let mut timing = Vec::with_capacity(96);
    for (part, length) in [
        ("receive;dur=", report.receive),
        (", queue;dur=", report.queue),
        (", attempts;dur=", attempt),
        (", backoff;dur=", report.backoff),
    ] {
        timing.extend_from_slice(part.as_bytes());
        millis(&mut timing, length);
    }
    if let Ok(timing) = HeaderValue::from_maybe_shared(Bytes::from(timing)) {
        headers.insert(TIMING, timing);
    }
}

/// Milliseconds with two decimals, digit by digit: four of them go with every answer.
fn millis(out: &mut Vec<u8>, length: Duration) {
    let hundredths = length.as_secs() * 100_000 + u64::from(length.subsec_micros() / 10);
    let mut text = [b'0'; 24];
    let (mut at, mut rest) = (text.len(), hundredths);
    while rest > 0 || at + 4 > text.len() {
        at -= 1;
        text[at] = match text.len() - at {
            3 => b'.',
            _ => {
                let digit = u8::try_from(rest % 10).unwrap_or_default();
                rest /= 10;
                b'0' + digit
            }
        };
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
}

/// Whether and when to ask again.
pub(super) fn failure(headers: &mut HeaderMap, failure: &Failure) {
    let status = failure.http_status();
    let hinted = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    // the hint that was judged is in the failure
    headers.remove(header::RETRY_AFTER);
    match failure.retry_after.filter(|_| hinted) {
        Some(wait) => retry_after(headers, wait),
        // a bug of ours says nothing about the next request
        None if status.is_server_error() && failure.code != Code::Internal => no_retry(headers),
        // who is gone does not come back for a second request
        None if failure.code == Code::BoundStateUnavailable => no_retry(headers),
        None => {}
    }
}

pub(super) fn retry_after(headers: &mut HeaderMap, wait: Duration) {
    headers.insert(header::RETRY_AFTER, whole_seconds(wait).into());
}

/// The plan has tried already what could be tried; the SDKs would send the same request twice more.
pub(super) fn no_retry(headers: &mut HeaderMap) {
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
}

/// Rounded up, at least one.
pub(super) fn whole_seconds(wait: Duration) -> u64 {
    let up = wait
        .as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0));
    up.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_have_two_decimals() {
        for (us, text) in [
            (0, "0.00"),
            (9, "0.00"),
            (10, "0.01"),
            (1_239, "1.23"),
            (60_000_000, "60000.00"),
        ] {
            let mut out = Vec::new();
            millis(&mut out, Duration::from_micros(us));
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn any_name_makes_a_safe_header() {
        for (name, value) in [
            ("plain/name:1", "plain/name:1"),
            ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"),
            ("我", "%E6%88%91"),
        ] {
            let mut h = HeaderMap::new();
            text(&mut h, TARGET, name);
            assert_eq!(h.get(TARGET).unwrap(), value);
        }
        let mut h = HeaderMap::new();
        text(&mut h, TARGET, &"x".repeat(10_000));
        assert_eq!(h.get(TARGET).unwrap().len(), LONGEST);
    }

    #[test]
    fn names_of_what_was_dropped_are_a_list_of_bounded_length() {
        let stamped = |names: &[&str]| {
            let names: Vec<Arc<str>> = names.iter().map(|n| Arc::from(*n)).collect();
            let mut h = HeaderMap::new();
            dropped(&mut h, &names);
            h.get(DROPPED).map(|v| v.to_str().unwrap().to_owned())
        };
        assert_eq!(stamped(&[]), None);
        assert_eq!(stamped(&["seed", "n"]).unwrap(), "seed, n");
        assert_eq!(
            stamped(&["a,b\r\n", "我"]).unwrap(),
            "a%2Cb%0D%0A, %E6%88%91"
        );
        let many = stamped(&["x".repeat(500).as_str(); 5]).unwrap();
        assert_eq!(many.len(), 1002);
    }

    #[test]
    fn an_upstream_never_speaks_about_our_connection() {
        let mut theirs = HeaderMap::new();
        for name in NEVER {
            theirs.insert(name, HeaderValue::from_static("1"));
        }
        theirs.insert(
            "x-ratelimit-remaining-requests",
            HeaderValue::from_static("3"),
        );
        let mut ours = HeaderMap::new();
        upstream(&mut ours, &theirs);
        assert_eq!(ours.len(), 1);
    }

    #[test]
    fn seconds_are_rounded_up_and_never_none() {
        let of = |ms| whole_seconds(Duration::from_millis(ms));
        assert_eq!([of(0), of(1), of(1000), of(1001)], [1, 1, 1, 2]);
    }

    #[test]
    fn a_hint_and_a_ban_on_retries_exclude_each_other() {
        let stamped = |code, hint: Option<u64>| {
            let mut f = Failure::new(code, "");
            f.retry_after = hint.map(Duration::from_secs);
            let mut h = HeaderMap::new();
            failure(&mut h, &f);
            let text = |n: &str| h.get(n).map(|v| v.to_str().unwrap().to_owned());
            (text("retry-after"), text("x-should-retry"))
        };
        let (hint, ban) = (Some("7".to_owned()), Some("false".to_owned()));
        assert_eq!(stamped(Code::RateLimited, Some(7)), (hint.clone(), None));
        assert_eq!(stamped(Code::RateLimited, None), (None, None));
        assert_eq!(stamped(Code::BreakerOpen, Some(7)), (hint, None));
        assert_eq!(stamped(Code::Overloaded, None), (None, ban.clone()));
        assert_eq!(stamped(Code::ServerError, Some(7)), (None, ban.clone()));
        assert_eq!(stamped(Code::DeadlineExceeded, None), (None, ban));
        assert_eq!(stamped(Code::InvalidRequest, None), (None, None));
    }
}
