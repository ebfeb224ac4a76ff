//! What one event, or one whole answer, means.
//!
//! These are the only words in which a dialect speaks to the rest of the gateway. An event has
//! exactly one [`Kind`]; the end condition is reported beside it, because the event that meets it
//! often carries content or usage as well.

use super::{Durations, Finish};
use crate::{Usage, Verdict};

/// What an event is, for commit, the token clocks and the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Comments, blank lines, pings: no data, may be dropped before commit.
    Comment,
    /// Data without content: roles, empty deltas, filter results.
    Preamble,
    /// Content as the contract defines it, or the end of a tool call without arguments.
    Content,
    /// `[DONE]`.
    Done,
    /// No choices, but usage: the extra chunk of `stream_options.include_usage`.
    UsageOnly,
    /// The upstream says that it failed.
    Error(Verdict),
    /// Data that cannot be read: relayed untouched, not content.
    Unparsed,
}

/// How the end condition was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every choice simply stopped, or gave no reason.
    Stop,
    /// At least one was ended by something else: length, a filter, a tool call.
    Other,
}

/// One event, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What it is.
    pub kind: Kind,
    /// Set on the one event with which the end condition is met. The relay goes on after it.
    pub ends: Option<End>,
    /// Whether it is the dialect's end mark (`[DONE]`), also where the kind is `Content`.
    pub done: bool,
    /// Whether its content is reasoning and nothing else.
    pub reasoning: bool,
    /// Token counts in this event.
    pub usage: Option<Usage>,
    /// The finish reason in this event; of several choices the last.
    pub finish: Option<Finish>,
}

impl Judged {
    /// An event that is `kind` and nothing else.
    pub fn plain(kind: Kind) -> Self {
        Self {
            kind,
            ends: None,
            done: false,
            reasoning: false,
            usage: None,
            finish: None,
        }
    }

    /// Whether it is the chunk that only `include_usage` brings, to be left out if the caller
    /// did not ask for it.
    pub fn usage_only(&self) -> bool {
        self.kind == Kind::UsageOnly
    }
}

/// A whole answer, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSummary {
    /// Token counts.
    pub usage: Option<Usage>,
    /// The finish reason; of several choices the last.
    pub finish: Option<Finish>,
    /// The upstream's id of the answer, if not empty.
    pub id: Option<String>,
    /// The model that answered, if not empty.
    pub model: Option<String>,
    /// Whether there is any content.
    pub has_content: bool,
    /// How it ended.
    pub end: End,
    /// Fingerprints of what only its maker can continue.
    pub state: Vec<u64>,
    /// How long the upstream says it took.
    pub durations: Durations,
}

impl AnswerSummary {
    /// No content and nothing but a plain stop: `empty_response` unless the target allows it.
    pub fn is_empty(&self) -> bool {
        !self.has_content && self.end == End::Stop
    }
}
