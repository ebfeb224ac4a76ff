//! Taking configured secrets and hosts out of text that somebody else wrote.
//!
//! An upstream's error can quote the key it refused or the address it runs at. Before such text
//! reaches a caller, a log or a span, every configured secret and host in it becomes
//! `[redacted]`, without regard to ASCII case. A text that ends in the beginning of a secret was cut there,
//! and loses that too. In JSON only the insides of strings change, and
//! they are compared decoded, so that `https:\/\/` hides nothing and the document stays valid.

use std::borrow::Cow;

use bytes::Bytes;
use memchr::memmem;

mod flow;
#[cfg(test)]
mod tests;

pub use flow::Flow;

/// What stands where something was taken out.
pub const REDACTED: &str = "[redacted]";

/// Shorter ones are left alone: taking out every `a` protects nothing.
const SHORTEST: usize = 4;
/// Beginnings shorter than this are left alone at the end of a text: `sk-proj-` is no secret.
const SHORTEST_CUT: usize = 8;

/// `text` without any of `secrets`.
pub fn text<'a>(text: &'a str, secrets: &[&str]) -> Cow<'a, str> {
    let folded = text.to_ascii_lowercase();
    let mut hits: Vec<(usize, usize)> = Vec::new();
    for secret in secrets.iter().filter(|secret| secret.len() >= SHORTEST) {
        let needle = secret.to_ascii_lowercase();
        let found = memmem::find_iter(folded.as_bytes(), needle.as_bytes());
        hits.extend(found.map(|start| (start, start + needle.len())));
        hits.extend(cut(&folded, needle.as_bytes()).map(|start| (start, folded.len())));
    }
    if hits.is_empty() {
        return Cow::Borrowed(text);
    }
    hits.sort_unstable();
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (start, end) in hits {
        if start >= done {
            out.push_str(text.get(done..start).unwrap_or_default());
            out.push_str(REDACTED);
        }
        // overlapping hits are one: what one of them leaves would be part of a secret
        done = done.max(end);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where at the end of `text` a part of `secret` begins.
fn cut(text: &str, secret: &[u8]) -> Option<usize> {
    let longest = secret.len().saturating_sub(1).min(text.len());
    let begins = |length: &usize| {
        let part = secret.get(..*length);
        part.is_some_and(|part| text.as_bytes().ends_with(part))
    };
    let length = (SHORTEST_CUT..=longest).rev().find(begins)?;
    Some(text.len() - length).filter(|start| text.is_char_boundary(*start))
}

/// `body` without any of `secrets`: by its strings if it is JSON, else by its bytes, and nothing
/// at all if it is no UTF-8.
pub fn body(body: &Bytes, secrets: &[&str]) -> Bytes {
    let Ok(whole) = std::str::from_utf8(body) else {
        return Bytes::from_static(REDACTED.as_bytes());
    };
    if serde_json::from_str::<serde::de::IgnoredAny>(whole).is_err() {
        return match text(whole, secrets) {
            Cow::Borrowed(_) => body.clone(),
            Cow::Owned(clean) => clean.into(),
        };
    }
    let (mut out, mut rest) = (String::with_capacity(whole.len()), whole);
    while let Some((before, token, after)) = next_string(rest) {
        out.push_str(before);
        match serde_json::from_str::<String>(token).ok() {
            Some(inner) => match text(&inner, secrets) {
                Cow::Borrowed(_) => out.push_str(token),
                Cow::Owned(clean) => out.push_str(&serde_json::Value::from(clean).to_string()),
            },
            // a lone surrogate: what it spells cannot be compared, so it cannot be let through
            None => out.push_str("\"[redacted]\""),
        }
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

/// The next string of valid JSON: what comes before it, its token, what comes after.
fn next_string(json: &str) -> Option<(&str, &str, &str)> {
    let start = json.find('"')?;
    let (mut end, mut escaped) = (start + 1, false);
    for byte in json.as_bytes().get(end..)? {
        end += 1;
        match byte {
            b'"' if !escaped => break,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Some((json.get(..start)?, json.get(start..end)?, json.get(end..)?))
}
