//! What a stream has told about itself so far.

use std::time::Duration;

use super::Finish;
use crate::{Usage, state::Made};

/// What a stream has told about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Token counts, the last of each field.
    pub usage: Usage,
    /// The last finish reason.
    pub finish: Option<Finish>,
    /// The first id that is not empty.
    pub id: Option<String>,
    /// The first model name that is not empty.
    pub model: Option<String>,
    /// Prompt tokens were reported with different values: the counts are doubtful.
    pub inputs_differ: bool,
    /// State that is only good with whoever made it: signatures, encrypted thoughts.
    pub state: Made,
    /// How long the upstream says it took.
    pub durations: Durations,
}

/// How long the upstream says it took for each part of its work, where it says so (Ollama).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    /// For all of it.
    pub total: Option<Duration>,
    /// For loading the model.
    pub load: Option<Duration>,
    /// For reading the prompt.
    pub prompt: Option<Duration>,
    /// For generating the answer.
    pub output: Option<Duration>,
}

impl Tally {
    /// Keeps the first id and model that say something.
    pub fn remember(&mut self, id: Option<&str>, model: Option<&str>) {
        for (kept, value) in [(&mut self.id, id), (&mut self.model, model)] {
            if kept.is_none() {
                *kept = value.filter(|v| !v.is_empty()).map(Into::into);
            }
        }
    }

    /// Takes over what a frame counted.
    pub fn count(&mut self, usage: Usage) {
        self.inputs_differ |=
            matches!((self.usage.input, usage.input), (Some(old), Some(new)) if old != new);
        self.usage.update(usage);
    }
}
