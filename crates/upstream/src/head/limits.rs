//! Rate limits under the names that the caller's API has for them.
//!
//! OpenAI and its relatives say `x-ratelimit-remaining-requests`, Anthropic
//! `anthropic-ratelimit-requests-remaining`. Limits and what remains of them are numbers in both. When they are
//! renewed is a length of time in one (`1m30s`, `6ms`) and an instant in the other (RFC 3339), so one is computed
//! from the other by the answer's own `Date`. What the caller's API has no name for is left out: a header of
//! another API would be read by nobody, or misread.

use crate::auth::moment::Moment;
use http::{HeaderMap, HeaderName, HeaderValue};
use punctual_wire::{Surface, retry_after};
use std::time::Duration;

const OPENAI: &str = "x-ratelimit-";
const ANTHROPIC: &str = "anthropic-ratelimit-";

/// Numbers, which are the same in both.
const NUMBERS: [(&str, &str); 4] = [
    (
        "x-ratelimit-limit-requests",
        "anthropic-ratelimit-requests-limit",
    ),
    (
        "x-ratelimit-remaining-requests",
        "anthropic-ratelimit-requests-remaining",
    ),
    (
        "x-ratelimit-limit-tokens",
        "anthropic-ratelimit-tokens-limit",
    ),
    (
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-tokens-remaining",
    ),
];

/// When what was used is there again.
const RENEWALS: [(&str, &str); 2] = [
    (
        "x-ratelimit-reset-requests",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "x-ratelimit-reset-tokens",
        "anthropic-ratelimit-tokens-reset",
    ),
];

/// Puts each limit under the caller's name, where it is not there already, and leaves no other API's. `sent` is
/// when the answer was made.
pub(super) fn translate(headers: &mut HeaderMap, surface: Surface, sent: Moment) {
    let anthropic = surface.is_anthropic();
    let ours = |(openai, theirs): (&'static str, &'static str)| match anthropic {
        true => (openai, theirs),
        false => (theirs, openai),
    };
    let mut put = |(from, to): (&str, &'static str), read: &dyn Fn(&HeaderValue) -> _| {
        if let Some(value) = headers.get(from).and_then(read)
            && !headers.contains_key(to)
        {
            headers.insert(HeaderName::from_static(to), value);
        }
    };
    for names in NUMBERS {
        put(ours(names), &|value| Some(value.clone()));
    }
    for names in RENEWALS {
        put(ours(names), &|value| {
            let text = value.to_str().ok()?.trim();
            let text = match anthropic {
                true => sent.after(retry_after::length(text)?).written(),
                false => length(Moment::parse(text)?.since(sent)),
            };
            HeaderValue::try_from(text).ok()
        });
    }
    let foreign = if anthropic { OPENAI } else { ANTHROPIC };
    let names = headers.keys().filter(|n| n.as_str().starts_with(foreign));
    for name in names.cloned().collect::<Vec<_>>() {
        headers.remove(name);
    }
}

/// As OpenAI writes it, in whole seconds: `1h0m5s`, `1m30s`, `7s`.
fn length(length: Duration) -> String {
    let seconds = length.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) => format!("{minutes}m{rest}s"),
        _ => format!("{hours}h{minutes}m{rest}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of these for callers of that surface.
    fn told(surface: Surface, lines: &[(&'static str, &'static str)]) -> Vec<(String, String)> {
        let pair = |(n, v): &(&'static str, &'static str)| {
            (HeaderName::from_static(n), HeaderValue::from_static(v))
        };
        let mut headers: HeaderMap = lines.iter().map(pair).collect();
        let sent = Moment::parse("2026-01-31T23:59:00Z").unwrap();
        translate(&mut headers, surface, sent);
        let told = headers.iter();
        let told = told.map(|(n, v)| (n.to_string(), v.to_str().unwrap().to_owned()));
        let mut told: Vec<_> = told.collect();
        told.sort();
        told
    }

    fn pairs(lines: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(n, v): &(&str, &str)| ((*n).to_owned(), (*v).to_owned());
        lines.iter().map(owned).collect()
    }

    #[test]
    fn a_limit_has_the_name_that_the_callers_sdk_looks_for() {
        let openai = [
            ("x-ratelimit-limit-requests", "60"),
            ("x-ratelimit-remaining-requests", "7"),
            ("x-ratelimit-reset-requests", "1m30s"),
            ("x-ratelimit-reset-tokens", "6ms"),
            ("x-ratelimit-limit-requests-day", "9"),
            ("ratelimit-limit", "5"),
        ];
        assert_eq!(
            told(Surface::Messages, &openai),
            pairs(&[
                ("anthropic-ratelimit-requests-limit", "60"),
                ("anthropic-ratelimit-requests-remaining", "7"),
                ("anthropic-ratelimit-requests-reset", "2026-02-01T00:00:30Z"),
                ("anthropic-ratelimit-tokens-reset", "2026-01-31T23:59:01Z"),
                ("ratelimit-limit", "5"),
            ])
        );
        let anthropic = [
            ("anthropic-ratelimit-tokens-remaining", "7"),
            ("anthropic-ratelimit-tokens-reset", "2026-02-01T01:00:30Z"),
            ("anthropic-ratelimit-requests-reset", "2026-01-31T23:00:00Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "3"),
            ("anthropic-ratelimit-output-tokens-reset", "x"),
        ];
        assert_eq!(
            told(Surface::Chat, &anthropic),
            pairs(&[
                ("x-ratelimit-remaining-tokens", "7"),
                ("x-ratelimit-reset-requests", "0s"),
                ("x-ratelimit-reset-tokens", "1h1m30s"),
            ])
        );
    }

    #[test]
    fn what_was_said_in_the_callers_own_words_stays_and_what_cannot_be_read_goes() {
        let both = [
            ("x-ratelimit-remaining-tokens", "1"),
            ("anthropic-ratelimit-tokens-remaining", "2"),
            ("anthropic-ratelimit-tokens-reset", "soon"),
        ];
        let left = pairs(&[("x-ratelimit-remaining-tokens", "1")]);
        assert_eq!(told(Surface::Responses, &both), left);
        let odd = [("x-ratelimit-reset-tokens", "99999999999999999999s")];
        assert_eq!(told(Surface::Messages, &odd), []);
    }
}
