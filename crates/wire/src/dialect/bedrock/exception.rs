//! Failures, which have a name and a message and, inside a stream, no status.
//!
//! The status is the one that the service model gives the exception, so that a failure is the same class
//! whether it comes as a response or as a message of a stream. `424`, which says that the model behind the
//! service failed, is a server's failure and worth another try.

use std::borrow::Cow;

use crate::{Class, Verdict, eventstream::Message, json};

/// What a message says that is an exception, an error, or harmed.
pub(super) fn of_message(message: &Message) -> Option<Verdict> {
    if let Some(fault) = message.fault() {
        return Some(Verdict::of(Class::Malformed, fault.as_str()));
    }
    if !message.is_failure() {
        return None;
    }
    let data = message.data().unwrap_or_default();
    let text = std::str::from_utf8(&data).ok().and_then(words);
    let text = text.or_else(|| message.header(":error-message").map(Cow::Borrowed));
    Some(verdict(message.name().unwrap_or_default(), text.as_deref()))
}

/// What a 200 says that holds a failure in place of an answer.
pub(super) fn of_answer(body: &str) -> Option<Verdict> {
    let [kind, output] = json::members(body, &["__type", "Output"])?;
    let nested = || json::member(output?, "__type");
    let kind = json::text(kind.or_else(nested)?)?;
    // `com.amazon.coral.service#UnknownOperationException`
    let name = kind.rsplit('#').next().unwrap_or_default();
    Some(verdict(name, words(body).as_deref()))
}

fn words(json: &str) -> Option<Cow<'_, str>> {
    let [lower, upper] = json::members(json, &["message", "Message"])?;
    json::text(lower.or(upper)?)
}

/// By its name; the words in it may say more (a prompt that is too long is a `ValidationException`).
fn verdict(name: &str, message: Option<&str>) -> Verdict {
    let status = status(name);
    let said = serde_json::json!({
        "error": {
            "message": message,
            "type": name,
            "status_code": status.map(|status| if status == 424 { 500 } else { status }),
        },
    });
    Verdict {
        status,
        ..Verdict::in_band(said.to_string().as_bytes())
    }
}

/// Compared without regard to case: a stream has `throttlingException`, a response `ThrottlingException`.
fn status(name: &str) -> Option<u16> {
    const STATUSES: [(&str, u16); 13] = [
        ("throttlingException", 429),
        ("modelNotReadyException", 429),
        ("serviceQuotaExceededException", 429),
        ("serviceUnavailableException", 503),
        ("internalServerException", 500),
        ("internalFailure", 500),
        ("modelStreamErrorException", 424),
        ("modelErrorException", 424),
        ("modelTimeoutException", 408),
        ("validationException", 400),
        ("accessDeniedException", 403),
        ("resourceNotFoundException", 404),
        ("unknownOperationException", 404),
    ];
    let known = STATUSES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|(_, status)| *status)
}
