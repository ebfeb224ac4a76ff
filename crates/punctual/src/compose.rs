//! Clients made of clients: try again, try another, take turns.
//!
//! Each is a client itself, so they nest in any order. What each does is the engine's; here stands how a
//! program writes it down. [`Retry`] tries its client again after a failure that another attempt can mend;
//! [`Fallback`] tries the next one; [`RoundRobin`] takes the next in turn and does not fail over.

use crate::{
    client::Client,
    failed::Failed,
    node::{Judge, Kind, Node},
};
use punctual_core::{Backoff, Code, CodeSet, Retry as Rules};
use std::{
    num::NonZeroU32,
    sync::{Arc, OnceLock},
};

mod list;
pub use list::Clients;

/// Failures that are the caller's own: what a provider refuses.
const REFUSALS: CodeSet = CodeSet::NONE
    .with(Code::InvalidRequest)
    .with(Code::ContextLengthExceeded)
    .with(Code::ContentRefused);

/// Tries a client again.
///
/// ```
/// use punctual::{Retry, openai};
///
/// let client = Retry::new(openai::Chat::new("gpt-4o-mini"), 3);
/// # let _ = client;
/// ```
#[derive(Clone)]
pub struct Retry {
    of: Node,
    rules: Rules,
    judge: Option<Judge>,
    node: OnceLock<Node>,
}

impl Retry {
    /// At most `max_attempts` in all, the first included; 0 counts as 1. Between them passes a random time
    /// below 250 ms, doubled each time up to 10 s, or what the provider asks for.
    pub fn new(client: impl Client, max_attempts: u32) -> Self {
        let max_attempts = NonZeroU32::new(max_attempts).unwrap_or(NonZeroU32::MIN);
        Self {
            of: client.node(),
            rules: Rules {
                max_attempts,
                backoff: Backoff::default(),
                on: CodeSet::ALL,
            },
            judge: None,
            node: OnceLock::new(),
        }
    }

    /// Another pause between the attempts.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.rules.backoff = backoff;
        self.node = OnceLock::new();
        self
    }

    /// Only these failures, of those that may be retried.
    #[must_use]
    pub fn only_on(mut self, codes: impl IntoIterator<Item = Code>) -> Self {
        self.rules.on = codes.into_iter().fold(CodeSet::NONE, CodeSet::with);
        self.node = OnceLock::new();
        self
    }

    /// `judge` says which failures are retried, also such as would not be (a 4xx). It is not asked about
    /// timeouts, which are retried; see [`judging_timeouts`](Self::judging_timeouts). What is not safe to
    /// repeat, a bug, and the end of the call's time are no matter of opinion.
    ///
    /// ```
    /// use punctual::{Code, Retry, openai};
    ///
    /// let client = Retry::new(openai::Chat::new("gpt-4o-mini"), 3)
    ///     .retry_if(|failed| failed.code() == Code::RateLimited);
    /// # let _ = client;
    /// ```
    #[must_use]
    pub fn retry_if(mut self, judge: impl Fn(&Failed) -> bool + Send + Sync + 'static) -> Self {
        self.judge = Some(Judge {
            says: Arc::new(judge),
            timeouts: false,
        });
        self.node = OnceLock::new();
        self
    }

    /// The judge is asked about timeouts too.
    #[must_use]
    pub fn judging_timeouts(mut self) -> Self {
        if let Some(judge) = &mut self.judge {
            judge.timeouts = true;
        }
        self.node = OnceLock::new();
        self
    }
}

impl Client for Retry {
    fn node(&self) -> Node {
        let make = || {
            Node::new(Kind::Retry {
                of: self.of.clone(),
                rules: self.rules,
                judge: self.judge.clone(),
            })
        };
        self.node.get_or_init(make).clone()
    }
}

/// Tries clients in order until one answers.
///
/// ```
/// use punctual::{Fallback, anthropic, openai};
///
/// let client = Fallback::new((
///     openai::Chat::new("gpt-4o-mini"),
///     anthropic::Messages::new("claude-sonnet-4-5"),
/// ));
/// # let _ = client;
/// ```
#[derive(Clone)]
pub struct Fallback {
    of: Vec<Node>,
    also_on: CodeSet,
    node: OnceLock<Node>,
}

impl Fallback {
    /// From an array or a `Vec` of one type of client, or a tuple of up to eight.
    pub fn new(clients: impl Clients) -> Self {
        Self {
            of: clients.nodes(),
            also_on: REFUSALS,
            node: OnceLock::new(),
        }
    }

    /// Whether the next one is tried when a provider refuses the request itself (400, 413, 422 and the like,
    /// a context that is too long, a policy). By default it is: what one provider cannot take, another may.
    #[must_use]
    pub fn on_refusals(mut self, goes_on: bool) -> Self {
        self.also_on = if goes_on { REFUSALS } else { CodeSet::NONE };
        self.node = OnceLock::new();
        self
    }
}

impl Client for Fallback {
    fn node(&self) -> Node {
        let make = || {
            Node::new(Kind::Fallback {
                of: self.of.clone(),
                also_on: self.also_on,
            })
        };
        self.node.get_or_init(make).clone()
    }
}

/// Takes the next client in turn, over all calls and clones.
///
/// ```
/// use punctual::{Retry, RoundRobin, openai};
///
/// let keys = ["KEY_A", "KEY_B"].map(|key| openai::Chat::new("gpt-4o-mini").key_from(key));
/// let client = Retry::new(RoundRobin::new(keys), 2); // a second attempt takes the other key
/// # let _ = client;
/// ```
#[derive(Clone)]
pub struct RoundRobin {
    node: Node,
}

impl RoundRobin {
    /// From an array or a `Vec` of one type of client, or a tuple of up to eight.
    pub fn new(clients: impl Clients) -> Self {
        let node = Node::new(Kind::RoundRobin {
            of: clients.nodes(),
            next: Arc::default(),
        });
        Self { node }
    }
}

impl Client for RoundRobin {
    fn node(&self) -> Node {
        self.node.clone()
    }
}
