//! Layers of settings: leaf over target over provider over defaults.
//!
//! A value keeps the place it was written at, so that a problem with it points there and not at the
//! target that inherited it; and so that a default nobody wrote is never called a mistake.

use crate::{
    path::Path,
    raw::{Clocks, Secret, Settings},
    unit::Timeout,
};
use punctual_core::{LaneLimits, Limits, Reserve, Shed};
use std::time::Duration;

/// One place that says something.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) at: Path,
    pub(super) clocks: Clocks,
    pub(super) settings: Settings,
}

/// From the nearest to the farthest.
#[derive(Clone, Debug)]
pub(super) struct Layers(pub(super) Vec<Layer>);

/// What the whole attempt may take where nobody says: unary and streamed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) unary: Duration,
    pub(super) streamed: Duration,
}

impl Layers {
    /// What holds after all layers.
    pub(super) fn clocks(&self) -> Clocks {
        self.0.iter().fold(Clocks::default(), |above, l| {
            let mut below = l.clocks.clone();
            // both names of one clock are one key: the nearer layer wins, whichever it used
            below.timeout = below.timeout.or(below.timeouts);
            below.timeouts = None;
            above.over(&below)
        })
    }

    /// What holds after all layers.
    pub(super) fn settings(&self) -> Settings {
        self.0
            .iter()
            .fold(Settings::default(), |above, l| above.over(&l.settings))
    }

    /// The headers of all layers, each with the place it was written at: of several with one name, in
    /// whatever case, that of the nearest layer.
    pub(super) fn headers(&self) -> Vec<(Path, &str, &Secret)> {
        let mut out: Vec<(Path, &str, &Secret)> = Vec::new();
        for layer in &self.0 {
            let nearer = out.len();
            for (name, value) in layer.settings.headers.iter().flatten() {
                let same = |(_, other, _): &(Path, &str, &Secret)| other.eq_ignore_ascii_case(name);
                if !out.iter().take(nearer).any(same) {
                    out.push((layer.at.key("headers").key(name), name, value));
                }
            }
        }
        out
    }

    /// Where the value of `key` was written; `None` for a default.
    pub(super) fn origin(&self, key: &str) -> Option<Path> {
        self.0.iter().find_map(|l| {
            let said = |k: &&'static str| *k == key || (key == "timeout" && *k == "timeouts");
            let clock = l.clocks.said().into_iter().find(said);
            clock
                .or_else(|| l.settings.said().into_iter().find(said))
                .map(|k| l.at.key(k))
        })
    }
}

/// The clocks with the gateway's defaults.
pub(super) fn limits(c: &Clocks, whole: Whole) -> Limits {
    let or = |t: Option<Timeout>, default: Option<Duration>| t.map_or(default, |t| t.0);
    Limits {
        connect: or(c.connect_timeout, Some(Duration::from_secs(10))),
        first_token: or(c.first_token_timeout, None),
        stream_token: or(c.stream_token_timeout, Some(Duration::from_secs(120))),
        unary: or(c.unary_timeout, None),
        attempt: or(c.timeout, Some(whole.unary)),
        attempt_streamed: or(c.timeout, Some(whole.streamed)),
    }
}

/// The reserve.
pub(super) fn reserve(c: &Clocks) -> Reserve {
    c.reserve.map_or(Reserve::Auto, |r| r.0)
}

/// The longest wait for a permit: nothing said is the engine's rule, off is longer than any request.
pub(super) fn queue_wait(c: &Clocks) -> Option<Duration> {
    c.max_queue_wait.map(|t| t.0.unwrap_or(Duration::MAX))
}

/// The lane's width with the gateway's defaults.
pub(super) fn lane(s: &Settings) -> LaneLimits {
    let wide = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let default = LaneLimits::default();
    LaneLimits {
        max_concurrency: s.max_concurrency.map_or(usize::MAX, wide),
        max_queue: s.max_queue.map_or(default.max_queue, wide),
        shed: match s.shed {
            None => default.shed,
            Some(crate::raw::Shed::Never) => Shed::Never,
            Some(crate::raw::Shed::Expired) => Shed::Expired,
            Some(crate::raw::Shed::Predicted) => Shed::Predicted,
        },
    }
}
