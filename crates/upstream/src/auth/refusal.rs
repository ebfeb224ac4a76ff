//! Why a credential could not be had; told to everyone who waits for it.

use http::StatusCode;
use punctual_core::{Code, Failure, Sent};

/// A failure that can be shared. Holds no secret, no address and nothing that a service wrote but the
/// error's code word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
}

impl Refusal {
    /// `what` answered with a status that is no success. `word` is its code for the error.
    pub(super) fn status(what: &str, status: StatusCode, word: Option<&str>) -> Self {
        let temporary = [408, 425, 429].contains(&status.as_u16());
        let code = match status.is_client_error() && !temporary {
            true => Code::Unauthorized,
            false => Code::ServerError,
        };
        // a code word is a word: whatever else stands there is not repeated
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        let word = word.filter(|w| w.len() <= 64 && !w.is_empty() && w.bytes().all(plain));
        let word = word.map_or(String::new(), |word| format!(" ({word})"));
        let status = status.as_u16();
        Self {
            code,
            message: format!("no credential: {what} answered {status}{word}"),
        }
    }

    /// `what` could not be asked.
    pub(super) fn unreachable(what: &str, why: impl std::fmt::Display) -> Self {
        Self {
            code: Code::ConnectFailed,
            message: format!("no credential: {what} cannot be reached: {why}"),
        }
    }

    /// `what` answered something that is no credential.
    pub(super) fn unusable(what: &str) -> Self {
        Self {
            code: Code::ServerError,
            message: format!("no credential: {what} answered something that is none"),
        }
    }

    /// Something on this machine that a credential is made of is not there or not usable.
    pub(super) fn local(what: &str, problem: impl std::fmt::Display) -> Self {
        Self {
            code: Code::Unauthorized,
            message: format!("no credential: {what} {problem}"),
        }
    }
}

impl From<Refusal> for Box<Failure> {
    fn from(refusal: Refusal) -> Self {
        let mut failure = Failure::new(refusal.code, refusal.message);
        // the request itself was not sent; what the status says of the credential is said by the code
        failure.sent = Sent::No;
        failure
    }
}
