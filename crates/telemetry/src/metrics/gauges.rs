//! Gauges that live elsewhere, as whoever knows them reports them when somebody looks.

use std::{collections::BTreeMap, time::Duration};

/// A breaker's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaker {
    /// Lets everything through.
    Closed,
    /// Lets a probe through.
    HalfOpen,
    /// Lets nothing through.
    Open,
}

impl Breaker {
    /// From the name that `punctual_core::Health::state` gives it.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "open" => Self::Open,
            "half_open" => Self::HalfOpen,
            _ => Self::Closed,
        }
    }
}

/// Name and help of a gauge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Described {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

pub(super) type Labels = Vec<(&'static str, String)>;

/// Takes readings. Two readings of the same gauge with the same labels: the last one counts.
#[derive(Debug, Default)]
pub struct Gauges {
    pub(super) read: BTreeMap<Described, BTreeMap<Labels, f64>>,
}

impl Gauges {
    fn set(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        value: f64,
    ) {
        let labels = labels.iter().map(|(k, v)| (*k, (*v).to_owned())).collect();
        let family = self.read.entry(Described { name, help }).or_default();
        family.insert(labels, value);
    }

    fn of_target(&mut self, name: &'static str, help: &'static str, target: &str, value: f64) {
        self.set(name, help, &[("target", target)], value);
    }

    /// Requests that wait for a permit of this target's lane, and permits that are out.
    pub fn lane(&mut self, target: &str, waiting: usize, in_use: usize) {
        let help = "Requests waiting for a permit";
        self.of_target("queue_depth", help, target, count(waiting));
        let help = "Permits that are out";
        self.of_target("permits_in_use", help, target, count(in_use));
    }

    /// The state of this target's breaker: 0 closed, 1 half open, 2 open.
    pub fn breaker(&mut self, target: &str, state: Breaker) {
        let help = "State of the breaker: 0 closed, 1 half open, 2 open";
        self.of_target("breaker_state", help, target, f64::from(state as u8));
    }

    /// How long this target still rests at its own request; zero when it does not.
    pub fn cooldown(&mut self, target: &str, left: Duration) {
        let help = "Time that a target still rests";
        self.of_target("cooldown_left_seconds", help, target, left.as_secs_f64());
    }

    /// Connections to this target: idle in the pool, and all that are open.
    pub fn pool(&mut self, target: &str, idle: usize, open: usize) {
        let help = "Idle connections in the pool";
        self.of_target("pool_idle", help, target, count(idle));
        let help = "Open connections to the upstream";
        self.of_target("pool_open", help, target, count(open));
    }

    /// The memory budget: bytes taken of bytes there are.
    pub fn memory(&mut self, taken: usize, limit: usize) {
        let help = "Memory taken from the budget";
        self.set("memory_taken_bytes", help, &[], count(taken));
        self.set("memory_limit_bytes", "The memory budget", &[], count(limit));
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(n: usize) -> f64 {
    n as f64
}
