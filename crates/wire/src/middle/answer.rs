//! A whole answer.

use super::{Json, Lost, Part};
use crate::{
    Usage,
    dialect::{Durations, Finish},
};

/// An answer, of any conversational API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The upstream's id, if it gave one.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// Unix seconds.
    pub created: Option<u64>,
    /// One, or `n`.
    pub choices: Vec<Choice>,
    /// Token counts.
    pub usage: Option<Usage>,
    /// `service_tier`.
    pub service_tier: Option<String>,
    /// How long the upstream says it took.
    pub durations: Durations,
    /// What the middle form had no place for.
    pub lost: Lost,
}

/// One of the answers asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Its place among them.
    pub index: u32,
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub finish: Option<Finish>,
    /// The stop sequence that ended it.
    pub stop_sequence: Option<String>,
    /// Log probabilities in the form of chat completions.
    pub logprobs: Option<Json>,
}
