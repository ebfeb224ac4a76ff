//! State that a call carries and that only its maker can serve.
//!
//! `previous_response_id`, encrypted reasoning, thinking signatures, ids of files: they belong to the target (or
//! the credential) that made them. Who that was is the [`Upstream`](crate::Upstream)'s to know, which sees
//! both the making and the using; the engine narrows the plan to what it names, so that such a call goes
//! there and nowhere else.

use crate::{
    failure::{Code, Failure},
    plan::{Plan, TargetId},
};
use std::sync::Arc;

/// What a call carries, as fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Of what makes no sense without its maker, also when nobody here remembers who that was: an earlier
    /// response, a conversation.
    pub required: Vec<u64>,
    /// Of items of an earlier response, by reference.
    pub items: Vec<u64>,
    /// Of files, containers and vector stores.
    pub files: Vec<u64>,
    /// Of each other piece of state: encrypted thoughts, signatures.
    pub pieces: Vec<u64>,
    /// Of what the caller's calls have in common (a header, `prompt_cache_key`).
    pub affinity: Option<u64>,
}

impl State {
    /// Whether there is any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let all = [&self.required, &self.items, &self.files, &self.pieces];
        all.into_iter().all(Vec::is_empty)
    }
}

/// Who can serve a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Bond {
    /// Anyone.
    #[default]
    Free,
    /// These: one maker under several names.
    To(Vec<TargetId>),
    /// Somebody whom nobody here knows, or who is no longer there.
    Lost,
}

impl Bond {
    /// The plan without whoever cannot serve.
    pub(crate) fn narrow(&self, plan: &Arc<Plan>) -> Result<Arc<Plan>, Box<Failure>> {
        match self {
            Self::Free => Ok(plan.clone()),
            Self::To(makers) => plan.only(makers).ok_or_else(gone),
            Self::Lost => Err(gone()),
        }
    }
}

fn gone() -> Box<Failure> {
    Failure::new(
        Code::BoundStateUnavailable,
        "the request carries state (such as previous_response_id) that only the target that made it can serve, \
         and that target is not known or not part of this route; start over without it",
    )
}

/// The maker is there and rests: for this call that is the same as gone, for a while.
pub(crate) fn resting(mut failure: Box<Failure>) -> Box<Failure> {
    if matches!(failure.code, Code::CoolingDown | Code::BreakerOpen) {
        failure.code = Code::BoundStateUnavailable;
        failure.message = format!(
            "the request carries state that only the target that made it can serve, and it rests: {}",
            failure.message
        );
    }
    failure
}
