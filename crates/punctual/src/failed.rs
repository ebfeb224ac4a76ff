//! A failed attempt, as members of a program's own report it and judges of retries see it.

use http::StatusCode;
use punctual_core::{Code, Failure, Fault, Limit, Sent};
use std::{fmt, time::Duration};

/// Whether asking again, or somebody else, does harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Safe {
    /// It does not: nothing was done that would be done twice.
    Yes,
    /// It does.
    No,
    /// Nobody knows, which is not safe.
    Unknown,
}

/// A failed attempt. The [`Code`] decides what may follow, by the table of failures.
#[derive(Clone)]
pub struct Failed(Box<Failure>);

impl Failed {
    /// A failure that is safe to go on from, if its code is.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Failure::new(code, message))
    }

    pub(crate) fn seen(failure: &Failure) -> Self {
        Self(Box::new(failure.clone()))
    }

    pub(crate) fn into_failure(self) -> Box<Failure> {
        self.0
    }

    /// A member that cannot stream, asked for a stream.
    #[must_use]
    pub fn not_streaming(name: &str) -> Self {
        let mut failed = Self::new(
            Code::InvalidRequest,
            format!("{name} does not stream; ask it with invoke"),
        );
        failed.0.reason = Some("member_cannot_stream");
        failed
    }

    /// Whether going on is safe. Anything but [`Safe::Yes`] stops retry and fallback.
    #[must_use]
    pub fn safe(mut self, safe: Safe) -> Self {
        self.0.safe = safe == Safe::Yes;
        self
    }

    /// The provider's status.
    #[must_use]
    pub fn status(mut self, status: StatusCode) -> Self {
        self.0.status = Some(status);
        self
    }

    /// How long the provider asks to wait.
    #[must_use]
    pub fn hint(mut self, hint: Duration) -> Self {
        self.0.retry_after = Some(hint);
        self
    }

    /// Whether the request reached the provider.
    #[must_use]
    pub fn sent(mut self, sent: Sent) -> Self {
        self.0.sent = sent;
        self
    }

    /// What happened.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// In a sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whose fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.0.code.rule().fault
    }

    /// The provider's status, if it gave one.
    #[must_use]
    pub fn status_code(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// How long the provider asked to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The clock that ended it, if one did.
    #[must_use]
    pub fn clock(&self) -> Option<Limit> {
        self.0.limit
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.as_str(), self.0.message)
    }
}

impl std::error::Error for Failed {}
