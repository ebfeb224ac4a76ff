//! Complaints, gathered over the whole table so that one run tells all of them.

use std::fmt::{Debug, Display};

/// What is wrong with one request.
#[derive(Default)]
pub struct Verdict {
    pub about: String,
    pub complaints: Vec<String>,
}

impl Verdict {
    pub fn about(about: impl Display) -> Self {
        Self {
            about: about.to_string(),
            complaints: Vec::new(),
        }
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
