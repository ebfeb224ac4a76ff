//! Credentials that are computed or fetched, for clients that a key is not enough for.
//!
//! They are plain data, as everything that a client is told. Where they come from is decided when a client is
//! first asked; what must be fetched is fetched inside an attempt, against that attempt's clocks and the call's
//! time, by one attempt for all that wait, and renewed a minute before it ends or at half its life. What must hold: no secret is in
//! a `Debug`, an error or a record, and credentials that are not there fail the attempt and no more, so that a
//! fallback goes on.

use punctual_core::{Code, Failure};
use punctual_upstream::{Auth, SpecError};

mod aws;
mod azure;
mod google;

pub use aws::AwsCredentials;
pub use azure::AzureCredentials;
pub use google::GoogleCredentials;

/// Any of [`AwsCredentials`], [`AzureCredentials`] and [`GoogleCredentials`].
#[derive(Clone, Debug)]
pub struct Credentials(Auth);

impl Credentials {
    pub(crate) fn into_auth(self) -> Auth {
        self.0
    }
}

/// Fields as the engine names them, and what sets them here.
const WORDS: [(&str, &str); 6] = [
    ("auth.aws.", "AwsCredentials::"),
    ("auth.aws", "AwsCredentials"),
    ("auth.google.", "GoogleCredentials::"),
    ("auth.google", "GoogleCredentials"),
    ("auth.azure.", "AzureCredentials::"),
    ("auth.azure", "AzureCredentials"),
];

/// That credentials cannot be found or used; `None` if the fault is another one.
pub(crate) fn missing(fault: &SpecError) -> Option<Box<Failure>> {
    let variable = |field: &str| field.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    if !fault.field.starts_with("auth.") && !variable(fault.field) {
        return None;
    }
    let text = WORDS.iter().fold(fault.to_string(), |text, (field, here)| {
        text.replace(field, here)
    });
    let mut failure = Failure::new(Code::Unauthorized, text);
    failure.reason = Some("missing_credential");
    Some(failure)
}
