//! The small texts inside `OTEL_*` variables: lists of pairs, headers, addresses.

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use percent_encoding::percent_decode_str;

/// `key=value,key=value` with percent-encoded values; the second part is how many entries were no pairs.
pub(super) fn pairs(text: &str) -> (Vec<(String, String)>, usize) {
    let mut unreadable = 0;
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let key = percent_decode_str(key.trim()).decode_utf8().ok()?;
        (!key.is_empty()).then(|| (key.into_owned(), value.into_owned()))
    };
    let mut out = Vec::new();
    for entry in text.split(',').filter(|e| !e.trim().is_empty()) {
        match pair(entry) {
            Some(pair) => out.push(pair),
            None => unreadable += 1,
        }
    }
    (out, unreadable)
}

/// Pairs as headers, marked sensitive; the second part is how many were none.
pub(super) fn headers(text: &str) -> (HeaderMap, usize) {
    let (pairs, mut unreadable) = pairs(text);
    let mut out = HeaderMap::new();
    for (name, value) in pairs {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(mut value)) => {
                value.set_sensitive(true);
                out.append(name, value);
            }
            _ => unreadable += 1,
        }
    }
    (out, unreadable)
}

/// An `http` or `https` address without credentials, with `path` appended.
pub(super) fn address(text: &str, path: &str) -> Result<Uri, &'static str> {
    let whole = if path.is_empty() {
        text.trim().to_owned()
    } else {
        format!("{}/{path}", text.trim().trim_end_matches('/'))
    };
    let uri: Uri = whole.parse().map_err(|_| "is not a URL")?;
    match (uri.scheme_str(), uri.authority()) {
        (Some("http" | "https"), Some(a)) if a.as_str().contains('@') => {
            Err("holds credentials: put them into OTEL_EXPORTER_OTLP_HEADERS")
        }
        (Some("http" | "https"), Some(_)) => Ok(uri),
        _ => Err("needs http:// or https:// in front"),
    }
}
