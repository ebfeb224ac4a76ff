//! Rate limits under the names that the caller's API has for them.
//!
//! OpenAI and its relatives say `x-ratelimit-remaining-requests`, Anthropic
//! `anthropic-ratelimit-requests-remaining`. Limits and what remains of them are numbers in both; the times of
//! their renewal are a length in one and an instant in the other, and are left out rather than computed.

use http::{HeaderMap, HeaderName};
use punctual_wire::Surface;

const NAMES: [(&str, &str); 4] = [
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

/// Adds each limit under the caller's name, where it is not there already.
pub(super) fn translate(headers: &mut HeaderMap, surface: Surface) {
    for (openai, anthropic) in NAMES {
        let (from, to) = match surface.is_anthropic() {
            true => (openai, anthropic),
            false => (anthropic, openai),
        };
        if let Some(value) = headers.remove(from)
            && !headers.contains_key(to)
        {
            headers.insert(HeaderName::from_static(to), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::translate;
    use http::{HeaderMap, HeaderValue};
    use punctual_wire::Surface;

    #[test]
    fn a_limit_has_the_name_that_the_callers_sdk_looks_for() {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_static("7");
        headers.insert("anthropic-ratelimit-tokens-remaining", value.clone());
        translate(&mut headers, Surface::Chat);
        assert_eq!(headers.get("x-ratelimit-remaining-tokens"), Some(&value));
        translate(&mut headers, Surface::Messages);
        assert_eq!(headers.len(), 1);
        assert!(headers.contains_key("anthropic-ratelimit-tokens-remaining"));
    }
}
