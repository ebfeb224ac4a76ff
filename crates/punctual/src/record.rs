//! What every attempt of a call came to, the failed ones too.
//!
//! A call that failed over tells of more than its answer: which client was asked, for how long, what it
//! said. The records are made from the engine's own report, so they and the telemetry cannot disagree.

use punctual_core::{AttemptReport, Clock, Code, Report, Sent};
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::node::Leaf;

/// One attempt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallRecord {
    /// 1 for the first attempt of the call.
    pub number: u32,
    /// The client's name.
    pub client: Arc<str>,
    /// The client's provider; `own` for a member of the program's own.
    pub provider: &'static str,
    /// When it was dispatched.
    pub started: SystemTime,
    /// How long it took.
    pub duration: Duration,
    /// From its dispatch to the first content, if there was any.
    pub first_content: Option<Duration>,
    /// What failed; `None` for a success, and for an attempt that was still going on when its caller left.
    pub failed: Option<Code>,
    /// Whether its answer was read to the end.
    pub completed: bool,
    /// The failure in a sentence.
    pub message: Option<String>,
    /// The status of the provider's answer, if it gave one.
    pub status: Option<u16>,
    /// The clock that ended it, and how long that was.
    pub timeout: Option<(Clock, Duration)>,
    /// Whether the request reached the provider.
    pub sent: Sent,
    /// The provider's own id of the request.
    pub request_id: Option<Arc<str>>,
    /// The model that answered.
    pub model: Option<Arc<str>>,
    /// Tokens that went in, as the provider counted them.
    pub input_tokens: Option<u64>,
    /// Tokens that came out.
    pub output_tokens: Option<u64>,
    /// Why the model ended.
    pub finish: Option<Arc<str>>,
}

impl CallRecord {
    fn of(report: &Report, attempt: &AttemptReport, leaves: &[Leaf]) -> Self {
        let leaf = leaves
            .iter()
            .find(|leaf| leaf.target.name == attempt.target);
        Self {
            number: attempt.number,
            client: attempt.target.clone(),
            provider: leaf.map_or("own", Leaf::provider),
            started: report.wall(attempt.started),
            duration: attempt.length(),
            first_content: attempt.first_content,
            failed: attempt.failed,
            completed: attempt.completed,
            message: attempt.message.clone(),
            status: attempt.status,
            timeout: attempt.timeout,
            sent: attempt.sent,
            request_id: attempt.request_id.clone(),
            model: attempt.model.clone(),
            input_tokens: attempt.usage.input_tokens,
            output_tokens: attempt.usage.output_tokens,
            finish: attempt.finish.clone(),
        }
    }

    pub(crate) fn all(report: &Report, leaves: &[Leaf]) -> Vec<Self> {
        let attempts = report.attempts.iter();
        attempts.map(|a| Self::of(report, a, leaves)).collect()
    }
}
