//! Errors: judged whatever they look like, bounded, and passed on as what the caller's API has.

use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use punctual_wire::{Surface, Verdict, error_body, retry_after, scrub, sniff};
use serde_json::Value;

use super::{is_json, told};

const STATUSES: [u16; 10] = [200, 302, 400, 401, 403, 404, 429, 500, 503, 529];

/// The first line is `Name: value` of a header, if it is one; the rest is the body of an error.
pub fn verdict(data: &[u8]) {
    let (headers, body) = headed(data);
    let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let hint = retry_after::hint(&headers, Some(&body), now);
    assert!(hint.is_none_or(|hint| hint <= retry_after::MAX));
    let _ = hint.map(retry_after::header_value);
    let _ = (sniff::sniff(&body), sniff::is_cut_json(&body));
    let secrets = ["sk-secret", "a"];
    let scrubbed = scrub::body(&body, &secrets);
    assert!(!is_json(&body) || is_json(&scrubbed), "{}", told(&scrubbed));
    clean(&scrubbed);
    passed(&Verdict::in_band(&body), &body, &secrets);
    for status in STATUSES {
        let verdict = Verdict::of_response(status, &headers, &body, now);
        assert!(verdict.retry.is_none_or(|hint| hint <= retry_after::MAX));
        passed(&verdict, &body, &secrets);
    }
}

fn passed(verdict: &Verdict, body: &Bytes, secrets: &[&str]) {
    let within = |said: &Option<String>, most| said.as_ref().is_none_or(|said| said.len() <= most);
    let (kind, code) = (&verdict.upstream_type, &verdict.upstream_code);
    assert!(within(&verdict.message, 2048) && within(kind, 128) && within(code, 128));
    for surface in Surface::ALL {
        let sent = error_body::upstream_error(
            surface,
            verdict,
            body,
            ("nothing was said", "req_1"),
            secrets,
        );
        assert!(is_json(&sent), "{surface}: {}", told(&sent));
        clean(&sent);
    }
}

/// No secret is in it, however it is spelled.
fn clean(sent: &[u8]) {
    let has = |text: &str| text.to_ascii_lowercase().contains("sk-secret");
    fn any(value: &Value, has: &dyn Fn(&str) -> bool) -> bool {
        match value {
            Value::String(text) => has(text),
            Value::Array(all) => all.iter().any(|value| any(value, has)),
            Value::Object(all) => all.iter().any(|(name, value)| has(name) || any(value, has)),
            _ => false,
        }
    }
    let told = told(sent);
    let inside = serde_json::from_slice(sent).is_ok_and(|value| any(&value, &has));
    assert!(!has(&told) && !inside, "{told}");
}

fn headed(data: &[u8]) -> (HeaderMap, Bytes) {
    let mut headers = HeaderMap::new();
    let line = data.iter().position(|b| *b == b'\n').unwrap_or(0);
    let (head, body) = data.split_at(line);
    let colon = head.iter().position(|b| *b == b':').unwrap_or(0);
    let (name, value) = head.split_at(colon);
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    match (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
        (Ok(name), Ok(value)) => headers.append(name, value),
        _ => return (headers, Bytes::copy_from_slice(data)),
    };
    (headers, Bytes::copy_from_slice(body.trim_ascii_start()))
}
