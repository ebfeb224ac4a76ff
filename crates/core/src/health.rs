//! Whether a target may be asked now: circuit breaker, benches and cooldowns of one identity.
//!
//! The breaker opens at 50 % failed of at least 20 samples within ten seconds, or at five failures in a row:
//! the first catches a target that fails often, the second one that is down while few ask. It stays open
//! for 5 s, doubling to 2 min with jitter, then lets one probe through; the probe's verdict closes it or
//! opens it for longer. A bench is the same as an open breaker, entered at once. A cooldown is what the
//! target asked for by a retry hint: no verdict on its health, no probe.
//!
//! Everything is synchronous and driven by calls. An [`Entry`] is held for the length of an attempt; one
//! dropped unsettled gives no verdict and returns the probe's slot.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

mod window;
use window::Window;

const MIN_SAMPLES: u32 = 20;
const IN_A_ROW: u32 = 5;
const OPEN_FIRST: Duration = Duration::from_secs(5);
const OPEN_MOST: Duration = Duration::from_secs(120);
const COOLDOWN_MOST: Duration = Duration::from_secs(600);

/// Why a target rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It asked for a pause.
    Cooling,
    /// Its breaker is open, or it is benched.
    Open,
}

/// A target that rests, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resting {
    /// Why.
    pub rest: Rest,
    /// Time left.
    pub left: Duration,
    /// A probe is out; nobody else may go.
    pub probing: bool,
}

/// What an attempt may enter in spite of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Nothing.
    Healthy,
    /// A cooldown, because the request has waited it out.
    Cooling,
    /// Anything: the probe of a plan in which every member is open.
    Probe,
}

impl Pass {
    pub(crate) fn is_stopped_by(self, resting: &Resting) -> bool {
        match self {
            Self::Healthy => true,
            Self::Cooling => resting.rest == Rest::Open,
            Self::Probe => false,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    window: Window,
    in_a_row: u32,
    unauthorized_in_a_row: u32,
    openings: u32,
    open_until: Option<Instant>,
    probing: bool,
    cooling_until: Option<Instant>,
}

/// Breaker and cooldown of one identity.
#[derive(Debug, Default)]
pub struct Health(Mutex<State>);

/// An attempt in progress, as its target's health sees it.
#[derive(Debug)]
pub struct Entry {
    health: Arc<Health>,
    probe: bool,
    settled: bool,
}

impl Health {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why and how long it rests, if it does.
    #[must_use]
    pub fn resting(&self) -> Option<Resting> {
        let s = self.lock();
        // nearly always; then no clock is asked
        if s.is_well() {
            return None;
        }
        s.resting(Instant::now())
    }

    /// Enters an attempt, or says why not. After the open time one caller enters as the probe.
    pub fn enter(self: &Arc<Self>, pass: Pass) -> Result<Entry, Resting> {
        let mut s = self.lock();
        if !s.is_well() {
            let now = Instant::now();
            if let Some(resting) = s.resting(now).filter(|r| pass.is_stopped_by(r)) {
                return Err(resting);
            }
            if s.open_until.is_some() && s.probing {
                return Err(Resting {
                    rest: Rest::Open,
                    left: s.open_left(now),
                    probing: true,
                });
            }
        }
        let probe = s.open_until.is_some();
        s.probing |= probe;
        Ok(Entry {
            health: self.clone(),
            probe,
            settled: false,
        })
    }

    /// Rests for `hint` (at most ten minutes) because the target asked for it.
    pub fn cool(&self, hint: Duration) {
        let mut s = self.lock();
        if let Some(until) = Instant::now().checked_add(hint.min(COOLDOWN_MOST)) {
            s.cooling_until = Some(s.cooling_until.map_or(until, |old| old.max(until)));
        }
    }

    /// Opens at once, for `length` if given, else as an open breaker does.
    pub fn bench(&self, length: Option<Duration>) {
        self.lock().bench(length, false);
    }

    /// `closed`, `open` or `half_open`.
    #[must_use]
    pub fn state(&self) -> &'static str {
        let s = self.lock();
        match s.open_until {
            None => "closed",
            Some(until) if until > Instant::now() => "open",
            Some(_) => "half_open",
        }
    }
}

impl State {
    /// Neither an opening nor a cooldown is on record, over or not.
    fn is_well(&self) -> bool {
        self.open_until.is_none() && self.cooling_until.is_none()
    }

    fn open_left(&self, now: Instant) -> Duration {
        self.open_until
            .map_or(Duration::ZERO, |u| u.saturating_duration_since(now))
    }

    fn resting(&self, now: Instant) -> Option<Resting> {
        let open = self.open_left(now);
        if open > Duration::ZERO || (self.open_until.is_some() && self.probing) {
            return Some(Resting {
                rest: Rest::Open,
                left: open,
                probing: self.probing,
            });
        }
        let cooling = self.cooling_until?.saturating_duration_since(now);
        (cooling > Duration::ZERO).then_some(Resting {
            rest: Rest::Cooling,
            left: cooling,
            probing: false,
        })
    }

    fn open(&mut self, length: Option<Duration>) {
        let grown = OPEN_FIRST
            .saturating_mul(1 << self.openings.min(5))
            .min(OPEN_MOST);
        let jittered = grown.mul_f64(1.0 + fastrand::f64() * 0.1);
        self.open_until = Instant::now().checked_add(length.unwrap_or(jittered));
        self.openings = self.openings.saturating_add(u32::from(length.is_none()));
        self.in_a_row = 0;
        self.unauthorized_in_a_row = 0;
        self.window = Window::default();
        self.probing = false;
    }

    /// Only the probe's success closes it: an attempt from before says nothing of now.
    fn success(&mut self, probe: bool) {
        if probe {
            *self = Self {
                cooling_until: self.cooling_until,
                ..Self::default()
            };
        } else if self.open_until.is_none() {
            self.in_a_row = 0;
            self.unauthorized_in_a_row = 0;
            self.window.count(Instant::now(), false);
        }
    }

    /// Opens for a reason of its own. While it is open, what others had in flight opens it no further.
    fn bench(&mut self, length: Option<Duration>, probe: bool) {
        if probe || self.open_until.is_none() || length.is_some() {
            self.open(length);
        }
    }

    fn failure(&mut self, probe: bool) {
        if probe {
            return self.open(None);
        }
        if self.open_until.is_some() {
            return;
        }
        self.in_a_row += 1;
        self.window.count(Instant::now(), true);
        let (failed, all) = self.window.sums(Instant::now());
        if self.in_a_row >= IN_A_ROW || (all >= MIN_SAMPLES && failed * 2 >= all) {
            self.open(None);
        }
    }
}

impl Entry {
    /// The attempt succeeded.
    pub fn succeed(mut self) {
        self.settled = true;
        self.health.lock().success(self.probe);
    }

    /// The attempt failed in a way that counts.
    pub fn fail(mut self) {
        self.settled = true;
        self.health.lock().failure(self.probe);
    }

    /// The attempt says that nobody should come, for `length` if given, else as an open breaker does.
    pub fn bench(mut self, length: Option<Duration>) {
        self.settled = true;
        self.health.lock().bench(length, self.probe);
    }

    /// A 401: benches at the second in a row, and at once when it is the probe's.
    pub fn unauthorized(mut self) {
        self.settled = true;
        let mut s = self.health.lock();
        s.unauthorized_in_a_row += 1;
        if self.probe || s.unauthorized_in_a_row >= 2 {
            s.bench(None, self.probe);
        }
    }

    /// A stream has begun well: for a probe that is its verdict, or the others would wait for the end of
    /// the stream.
    #[must_use]
    pub fn begun(self) -> Self {
        if !self.probe {
            return self;
        }
        let health = self.health.clone();
        self.succeed();
        Self {
            health,
            probe: false,
            settled: false,
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if !self.settled && self.probe {
            self.health.lock().probing = false;
        }
    }
}

#[cfg(test)]
mod tests;
