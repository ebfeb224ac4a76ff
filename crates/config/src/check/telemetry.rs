//! The telemetry section.

use super::{Desk, connection, headers};
use crate::{
    path::Path,
    raw,
    server::{Otlp, Telemetry},
};

/// The checked telemetry section.
pub(super) fn check(raw: Option<&raw::Telemetry>, desk: &mut Desk<'_>) -> Telemetry {
    let raw = raw.cloned().unwrap_or_default();
    let at = Path::root().key("telemetry");
    let prefix = raw.prefix.unwrap_or_else(|| "punctual".to_owned());
    let mut letters = prefix.chars();
    let named = letters.next().is_some_and(|c| c.is_ascii_lowercase())
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !named {
        desk.error(
            &at.key("prefix"),
            format!("{prefix:?} cannot begin the name of a metric"),
        )
        .hint("use a letter, then letters, digits and _, all lower case: punctual, agentproxy");
    }
    Telemetry {
        prefix,
        otlp: raw.otlp.and_then(|o| otlp(&o, &at.key("otlp"), desk)),
        log: raw.log.is_none_or(|s| s.0),
        metrics: raw.metrics.is_none_or(|s| s.0),
    }
}

fn otlp(raw: &raw::Otlp, at: &Path, desk: &mut Desk<'_>) -> Option<Otlp> {
    let sample = raw.sample.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&sample) {
        desk.error(&at.key("sample"), format!("{sample} is not a share"))
            .hint("write 0 to 1: 0.1 keeps a tenth");
    }
    let below = at.key("headers");
    let written = raw.headers.iter().flatten();
    let written = written.map(|(name, value)| (below.key(name), name.as_str(), value));
    let headers = headers::added(written, desk);
    let Some(text) = &raw.endpoint else {
        if !desk.lost(at) {
            desk.error(at, "no endpoint is named")
                .hint("endpoint: http://127.0.0.1:4318");
        }
        return None;
    };
    let endpoint = connection::url(text, &at.key("endpoint"), desk)?;
    if endpoint.port_u16() == Some(4317) {
        desk.warn(
            &at.key("endpoint"),
            "4317 is the gRPC port of collectors; this exporter speaks HTTP",
        )
        .hint("the HTTP port is usually 4318");
    }
    Some(Otlp {
        endpoint,
        headers,
        sample,
    })
}
