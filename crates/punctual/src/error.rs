//! Why a call has no answer.
//!
//! An [`Error`] answers what whoever gets it must decide: what happened, whose fault it is, whether the
//! request was sent, whether it may be tried again and when. It is made from the engine's
//! [`Failure`], by the same table that decided whether to go on.

use crate::{invoke::Ended, record::CallRecord};
use http::StatusCode;
use punctual_core::{Code, Failure, Fault, Sent, Source};
use std::{fmt, time::Duration};

/// The code of a call that the end of its run ended.
pub const EXECUTION_DEADLINE_EXCEEDED: &str = "EXECUTION_DEADLINE_EXCEEDED";

/// A time that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// `connect_timeout`, `first_token_timeout`, `stream_token_timeout`, `unary_timeout`, `timeout` or
    /// `reserve` for a client's own clock; `limit` for what bound the call from outside.
    pub timeout_type: &'static str,
    /// How long it was.
    pub configured: Duration,
    /// How long it had taken.
    pub elapsed: Duration,
}

#[derive(Debug)]
struct Inner {
    failure: Failure,
    timeout: Option<Timeout>,
    execution: bool,
    records: Vec<CallRecord>,
}

/// Why a call has no answer, with all attempts that were made.
pub struct Error(Box<Inner>);

impl Error {
    pub(crate) fn new(failure: Failure, ended: Ended) -> Self {
        let is_deadline = failure.code == Code::DeadlineExceeded;
        let own = failure.limit.map(|limit| Timeout {
            timeout_type: limit.clock.as_str(),
            configured: limit.limit,
            elapsed: limit.elapsed,
        });
        let outer = ended
            .deadline
            .filter(|_| is_deadline)
            .map(|deadline| Timeout {
                timeout_type: "limit",
                configured: deadline.budget().unwrap_or_default(),
                elapsed: ended.elapsed,
            });
        let source = ended.deadline.and_then(|deadline| deadline.source());
        Self(Box::new(Inner {
            execution: is_deadline && source == Some(Source::Execution),
            timeout: outer.or(own),
            failure,
            records: ended.records,
        }))
    }

    /// A failure of no attempt.
    pub(crate) fn plain(failure: Failure) -> Self {
        Self::new(failure, Ended::default())
    }

    /// A mistake in how the call or the client was put together.
    pub(crate) fn misuse(reason: &'static str, message: impl Into<String>) -> Self {
        let mut failure = Failure::new(Code::InvalidRequest, message);
        failure.reason = Some(reason);
        Self::plain(*failure)
    }

    /// What happened, in one word of the table of failures.
    #[must_use]
    pub fn kind(&self) -> Code {
        self.0.failure.code
    }

    /// The name of [`kind`](Self::kind); [`EXECUTION_DEADLINE_EXCEEDED`] where the end of the run ended it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.0.execution {
            true => EXECUTION_DEADLINE_EXCEEDED,
            false => self.0.failure.code.as_str(),
        }
    }

    /// A finer reason within the code: `empty_list`, `member_cannot_stream`, `missing_credential`,
    /// `below_min_attempt` and the like.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.0.failure.reason
    }

    /// Whose fault it is.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.0.failure.code.rule().fault
    }

    /// Whether the request reached the provider that failed last; of a call that its time ended, whether it
    /// reached any.
    #[must_use]
    pub fn sent(&self) -> Sent {
        let of_attempts = self.0.records.iter().map(|record| record.sent).max();
        match self.kind() {
            Code::DeadlineExceeded => of_attempts.unwrap_or_default(),
            _ => self.0.failure.sent,
        }
    }

    /// Whether asking again can help and does no harm: the table of failures says so, and it is not unknown
    /// what the failed attempt has done.
    #[must_use]
    pub fn may_be_tried_again(&self) -> bool {
        let failure = &self.0.failure;
        let rule = failure.code.rule();
        let passes = rule.fault == Fault::Load;
        failure.safe && failure.should_retry.unwrap_or(rule.retry || passes)
    }

    /// The status that the provider gave, if it gave one.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.failure.status
    }

    /// How long the provider asked to wait.
    #[must_use]
    pub fn hint(&self) -> Option<Duration> {
        self.0.failure.retry_after
    }

    /// The time that ran out, if one did.
    #[must_use]
    pub fn timeout(&self) -> Option<Timeout> {
        self.0.timeout
    }

    /// Whether the end of the run ended it.
    #[must_use]
    pub fn is_execution_deadline(&self) -> bool {
        self.0.execution
    }

    /// Every attempt of the call, in order.
    #[must_use]
    pub fn records(&self) -> &[CallRecord] {
        &self.0.records
    }

    /// The last attempt that failed by itself, not by the end of the call's time: the provider's last word.
    #[must_use]
    pub fn last_upstream(&self) -> Option<&CallRecord> {
        let own =
            |record: &&CallRecord| !matches!(record.failed, None | Some(Code::DeadlineExceeded));
        self.0.records.iter().rev().find(own)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code())
            .field("message", &self.0.failure.message)
            .field("status", &self.status())
            .field("timeout", &self.timeout())
            .field("attempts", &self.0.records.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.0.failure.message)?;
        let last = self
            .last_upstream()
            .filter(|_| self.kind() == Code::DeadlineExceeded);
        if let Some(last) = last {
            let (code, message) = (
                last.failed.map_or("", Code::as_str),
                last.message.as_deref(),
            );
            write!(f, "; before that {code}: {}", message.unwrap_or_default())?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
