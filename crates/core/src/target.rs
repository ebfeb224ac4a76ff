//! A member of a plan as the engine knows it: clocks, lane, health and the few rules of its own.

use crate::{
    budget::RetryBudget,
    clock::{Limits, Reserve},
    health::Health,
    lane::{Lane, LaneLimits},
};
use std::{sync::Arc, time::Duration};

/// One endpoint, model and credential with its own clocks. Lane, health and budget are shared by identity
/// through the [`Registry`](crate::Registry) and outlive a reload.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name in configuration, errors, spans and metric labels; `provider/*` when the caller chooses
    /// the model.
    pub name: Arc<str>,
    /// Its clocks.
    pub limits: Limits,
    /// Time kept for the members behind it.
    pub reserve: Reserve,
    /// Whether an attempt may be made again after the request may have been sent.
    pub replay_timeouts: bool,
    /// Whether an answer without content is an answer.
    pub allow_empty: bool,
    /// False when the caller chooses the model: then nothing is ever benched.
    pub benchable: bool,
    /// Its permits and queue.
    pub lane: Lane,
    /// How long it may keep a request queued.
    pub max_queue_wait: Option<Duration>,
    /// Breaker and cooldown of this endpoint, model and credential.
    pub health: Arc<Health>,
    /// Bench of the credential, shared by all models under it.
    pub credential: Arc<Health>,
    /// What retries may draw on.
    pub budget: Arc<RetryBudget>,
}

impl Target {
    /// One without clocks, breaker, lane limits or budget: each call stands for itself.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            limits: Limits::default(),
            reserve: Reserve::Auto,
            replay_timeouts: true,
            allow_empty: false,
            benchable: false,
            lane: Lane::new(LaneLimits::default()),
            max_queue_wait: None,
            health: Arc::default(),
            credential: Arc::default(),
            budget: Arc::new(RetryBudget::unlimited()),
        }
    }
}
