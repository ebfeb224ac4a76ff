//! Complaints, gathered over the whole table so that one run tells all of them.

use std::{
    fmt::{Debug, Display},
    time::Duration,
};

/// What is wrong with one request.
pub struct Verdict {
    about: String,
    pub complaints: Vec<String>,
    /// What a busy machine may add to a figure in milliseconds.
    pub slack_ms: f64,
}

impl Verdict {
    pub fn about(about: impl Display) -> Self {
        Self {
            about: about.to_string(),
            complaints: Vec::new(),
            slack_ms: 50.0,
        }
    }

    /// With the worst lateness of a bare timer of the same run.
    pub fn on_a_machine_as_late_as(mut self, worst: Duration) -> Self {
        self.slack_ms += worst.as_secs_f64() * 1e3;
        self
    }

    /// Complains unless `got` is `want`.
    pub fn is<T: PartialEq + Debug>(&mut self, what: impl Display, got: T, want: T) {
        if got != want {
            self.complain(format!("{what} is {got:?}, not {want:?}"));
        }
    }

    /// Complains unless it holds.
    pub fn holds(&mut self, what: impl Display, holds: bool) {
        if !holds {
            self.complain(what.to_string());
        }
    }

    pub fn complain(&mut self, what: String) {
        self.complaints.push(format!("{}: {what}", self.about));
    }
}
