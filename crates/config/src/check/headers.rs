//! Headers that are added to requests and headers of callers that are passed on: which may be named at all.
//!
//! What frames a request is never set by configuration. A caller's credential never goes upstream because
//! somebody listed its header. Values may hold a credential, so they are marked sensitive and told apart
//! by a digest.

use super::{Desk, connection::digits};
use crate::{path::Path, raw::Secret};
use http::{HeaderName, HeaderValue};

/// Headers that frame a request or belong to the connection: never set by configuration.
const FRAMING: &[&str] = &[
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "te",
    "upgrade",
    "expect",
];
/// Headers of the caller that go upstream only by `auth: passthrough`, or never.
const CALLERS_OWN: &[&str] = &[
    "authorization",
    "x-api-key",
    "api-key",
    "cookie",
    "proxy-authorization",
];

/// Headers to add, each with its place; values are marked sensitive.
pub(super) fn added<'a>(
    raw: impl IntoIterator<Item = (Path, &'a str, &'a Secret)>,
    desk: &mut Desk<'_>,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut out = Vec::new();
    for (path, name, value) in raw {
        let Some(name) = header(name, FRAMING, &path, desk) else {
            continue;
        };
        match HeaderValue::from_str(value.expose()) {
            Ok(mut value) => {
                value.set_sensitive(true);
                out.push((name, value));
            }
            Err(_) => desk
                .error(
                    &path,
                    "the value has characters that cannot stand in a header",
                )
                .maybe(None),
        }
    }
    out
}

/// Names of the caller's headers to pass on.
pub(super) fn forwarded(names: &[String], at: &Path, desk: &mut Desk<'_>) -> Vec<HeaderName> {
    let refused: Vec<&str> = FRAMING.iter().chain(CALLERS_OWN).copied().collect();
    names
        .iter()
        .filter_map(|n| header(n, &refused, at, desk))
        .collect()
}

fn header(name: &str, refused: &[&str], path: &Path, desk: &mut Desk<'_>) -> Option<HeaderName> {
    let Ok(parsed) = name.parse::<HeaderName>() else {
        desk.error(path, format!("{name:?} is not the name of a header"));
        return None;
    };
    if refused.contains(&parsed.as_str()) {
        let hint = CALLERS_OWN
            .contains(&parsed.as_str())
            .then(|| "a caller's credential goes upstream only with auth: passthrough".to_owned());
        desk.error(path, format!("{parsed} cannot be set here"))
            .maybe(hint);
        return None;
    }
    Some(parsed)
}

/// Tells the headers of targets apart without showing them: some hold the credential. Empty for none.
pub(super) fn print(headers: &[(HeaderName, HeaderValue)]) -> String {
    let mut lines: Vec<_> = headers
        .iter()
        .map(|(name, value)| [name.as_str().as_bytes(), b":", value.as_bytes(), b"\n"].concat())
        .collect();
    lines.sort_unstable();
    match lines.is_empty() {
        true => String::new(),
        false => format!("+headers-{}", digits(&lines.concat())),
    }
}
