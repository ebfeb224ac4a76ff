//! How much time a caller says it has.
//!
//! Deadlines come in many headers: our own, other gateways', meshes', and those SDKs send by themselves.
//! [`TABLE`] says for each its unit, what it feeds, whether it mirrors the caller's own timer (then it
//! loses a margin, so that our answer still finds its reader), and whether it is believed from trusted
//! peers only. All usable values are taken, repeated lines included; the smallest wins.
//!
//! Ours are strict: whoever writes one wrong must hear of it, not run without a deadline. Foreign ones are
//! lenient: SDKs send text such as `NOT_GIVEN`.

use http::{HeaderMap, HeaderValue};
use punctual_core::{Deadline, Source};
use std::time::{Duration, SystemTime};

mod date;
mod value;
use value::{Reading, Unit};

/// What a header is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeds {
    /// The whole request.
    Total,
    /// Streams, up to the first content.
    FirstContent,
    /// An SDK's read timeout: the whole of a unary request; on a stream, the longest silence.
    Read,
}

struct Declaration {
    name: &'static str,
    unit: Unit,
    feeds: Feeds,
    /// Of our own making: strict, exact, no margin.
    ours: bool,
    /// Believed from trusted peers only.
    trusted: bool,
}

const fn ours(name: &'static str, unit: Unit) -> Declaration {
    Declaration {
        name,
        unit,
        feeds: Feeds::Total,
        ours: true,
        trusted: false,
    }
}

const fn mirror(name: &'static str, unit: Unit, feeds: Feeds) -> Declaration {
    Declaration {
        name,
        unit,
        feeds,
        ours: false,
        trusted: false,
    }
}

const fn mesh(name: &'static str, unit: Unit) -> Declaration {
    Declaration {
        name,
        unit,
        feeds: Feeds::Total,
        ours: false,
        trusted: true,
    }
}

/// Every header in which time is declared.
const TABLE: [Declaration; 13] = [
    ours("x-request-deadline-ms", Unit::Millis),
    ours("x-request-timeout-ms", Unit::Millis),
    ours("x-request-deadline-at", Unit::At),
    mirror(
        "x-uipath-llmgateway-timeoutseconds",
        Unit::Seconds,
        Feeds::Total,
    ),
    mirror("x-litellm-timeout", Unit::Seconds, Feeds::Total),
    mirror("grpc-timeout", Unit::Grpc, Feeds::Total),
    mirror("connect-timeout-ms", Unit::Millis, Feeds::Total),
    mirror(
        "x-litellm-stream-timeout",
        Unit::Seconds,
        Feeds::FirstContent,
    ),
    mirror("x-stainless-timeout", Unit::Seconds, Feeds::Read),
    mirror("x-stainless-read-timeout", Unit::Seconds, Feeds::Read),
    mesh("x-envoy-expected-rq-timeout-ms", Unit::Millis),
    mesh("x-envoy-upstream-rq-timeout-ms", Unit::Millis),
    mesh("l5d-timeout", Unit::Suffixed),
];

type Budget = (Duration, Source);

/// What one request's headers say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Declared {
    total: Option<Budget>,
    first_content: Option<Budget>,
    read: Option<Budget>,
    /// The shortest silence that ends the caller's patience on a stream.
    silence: Option<Duration>,
    /// By place in [`TABLE`]: headers of ours that were ignored because nobody could read them.
    ignored: [bool; TABLE.len()],
}

/// A header of ours that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// Names the header, its value and what to send instead.
    pub(crate) message: String,
}

impl Declared {
    /// Reads all of them. `trusted` says whether the peer may speak for a mesh, `lenient` whether an
    /// unreadable header of ours is ignored instead of refused. `now` is asked only where there is a header.
    pub(crate) fn read(
        headers: &HeaderMap,
        trusted: bool,
        lenient: bool,
        now: impl Fn() -> SystemTime,
    ) -> Result<Self, Unusable> {
        let mut declared = Self::default();
        for (name, value) in headers {
            let mut rows = TABLE.iter().zip(&mut declared.ignored);
            let Some((d, ignored)) = rows.find(|(d, _)| d.name == name.as_str()) else {
                continue;
            };
            if d.trusted && !trusted {
                continue;
            }
            match d.unit.read(value.to_str().unwrap_or("\u{fffd}"), now()) {
                Reading::Left(left) => declared.take(d, left),
                Reading::Spent if d.ours => declared.take(d, Duration::ZERO),
                Reading::Unreadable(wanted) if d.ours && !lenient => {
                    return Err(unusable(d.name, value, wanted));
                }
                Reading::Unreadable(_) if d.ours => *ignored = true,
                Reading::Nothing | Reading::Spent | Reading::Unreadable(_) => {}
            }
        }
        Ok(declared)
    }

    fn take(&mut self, d: &Declaration, left: Duration) {
        let budget = if d.ours { left } else { left - margin(left) };
        let slot = match d.feeds {
            Feeds::Total => &mut self.total,
            Feeds::FirstContent => &mut self.first_content,
            Feeds::Read => &mut self.read,
        };
        let source = match d.feeds {
            Feeds::Read => Source::Sdk(d.name),
            _ => Source::Header(d.name),
        };
        if slot.is_none_or(|(old, _)| budget < old) {
            *slot = Some((budget, source));
        }
        if d.feeds != Feeds::Total && self.silence.is_none_or(|old| left < old) {
            self.silence = Some(left);
        }
    }

    /// Names of the headers that were ignored.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = &'static str> {
        let rows = TABLE.iter().zip(self.ignored);
        rows.filter_map(|(d, ignored)| ignored.then_some(d.name))
    }

    /// Binds what holds whatever is asked for.
    pub(crate) fn bind(&self, deadline: &mut Deadline) {
        if let Some((budget, source)) = self.total {
            deadline.tighten(budget, source);
        }
    }

    /// Binds what depends on whether a stream is asked for.
    pub(crate) fn bind_kind(&self, deadline: &mut Deadline, stream: bool) {
        match (stream, self.first_content, self.read) {
            (true, Some((budget, source)), _) => deadline.tighten_first_content(budget, source),
            (false, _, Some((budget, source))) => deadline.tighten(budget, source),
            _ => {}
        }
    }

    /// As `self`, without the limits that SDKs set by themselves; how long a caller bears silence stays.
    pub(crate) fn without_sdks(self) -> Self {
        Self { read: None, ..self }
    }

    /// The longest a stream may be silent without losing this caller.
    pub(crate) fn silence(&self) -> Option<Duration> {
        self.silence
    }
}

/// What a mirrored timer loses: 2 %, at least 100 ms, at most 1 s, never over a quarter.
fn margin(budget: Duration) -> Duration {
    let share = (budget / 50).max(Duration::from_millis(100));
    share.min(Duration::from_secs(1)).min(budget / 4)
}

fn unusable(name: &str, value: &HeaderValue, wanted: &str) -> Unusable {
    let shown: String = String::from_utf8_lossy(value.as_bytes())
        .chars()
        .filter(|c| !c.is_control())
        .take(64)
        .collect();
    Unusable {
        message: format!("header {name} has the value \"{shown}\", which cannot be used: {wanted}"),
    }
}

#[cfg(test)]
mod tests;
