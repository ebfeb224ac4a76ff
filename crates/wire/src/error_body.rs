//! Errors as the callers of each API expect them.
//!
//! Every failure that reaches a caller is one JSON envelope, or one well-formed event of a stream
//! whose head was sent already; [`error`] and [`error_event`] are the one place that knows whose looks
//! how. An upstream's own envelope in the caller's API is passed on as it is, apart from the scrub,
//! because SDKs branch on its type, code and param; anything else it said is wrapped.

use bytes::Bytes;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::{
    Surface, Verdict,
    dialect::{anthropic, responses},
    json, scrub,
};

#[cfg(test)]
mod tests;

/// The members of `error`, in the order in which they are written.
#[derive(Clone, Debug, Default)]
pub struct ErrorFields<'a> {
    /// For people.
    pub message: &'a str,
    /// `type`: the family of errors of OpenAI's SDKs. Anthropic's follows the status.
    pub kind: &'a str,
    /// `code`: the exact one.
    pub code: Option<&'a str>,
    /// `param`: the member of the request at fault.
    pub param: Option<&'a str>,
    /// The request's id, which Anthropic's API repeats beside `error`.
    pub request_id: Option<&'a str>,
    /// What comes after: `phase`, `budget_ms`, `attempts` and the like.
    pub extra: Vec<(&'static str, Value)>,
}

impl Serialize for ErrorFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4 + self.extra.len()))?;
        map.serialize_entry("message", self.message)?;
        map.serialize_entry("type", self.kind)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("param", &self.param)?;
        for (name, value) in &self.extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// `{"error":{"message","type","code","param",…}}`
pub fn openai_error(fields: &ErrorFields<'_>) -> Bytes {
    envelope(fields).into()
}

/// The same as one event of a stream: `data: {"error":{…}}` and a blank line.
pub fn openai_error_event(fields: &ErrorFields<'_>) -> Bytes {
    event(&envelope(fields))
}

/// An error in the words of a surface's API, as the body of an answer with that status.
pub fn error(surface: Surface, status: u16, fields: &ErrorFields<'_>) -> Bytes {
    match surface.is_anthropic() {
        true => anthropic::error(None, status, fields, fields.request_id),
        false => openai_error(fields),
    }
}

/// The same as the one event that ends a stream; `None` where bytes are passed through whose form is not
/// known. `last` is the number of the event before it, where the API numbers them and there was one.
pub fn error_event(
    surface: Surface,
    status: u16,
    fields: &ErrorFields<'_>,
    last: Option<u64>,
) -> Option<Bytes> {
    Some(match surface {
        Surface::Passthrough => return None,
        Surface::Responses => {
            let number = last.map_or(0, |last| last.saturating_add(1));
            responses::error_event(fields, number)
        }
        surface if surface.is_anthropic() => {
            anthropic::error_event(None, status, fields, fields.request_id)
        }
        _ => openai_error_event(fields),
    })
}

/// What an upstream said about a caller's request, ready to be passed on to a caller on `surface`: its own
/// body without `secrets` if it is an envelope of that API, else an envelope made of the verdict, with the code
/// and the param of the upstream's where it says them. `unsaid` is the message where the upstream gave none, in
/// our own words; `request_id` is ours.
pub fn upstream_error(
    surface: Surface,
    verdict: &Verdict,
    body: &Bytes,
    (unsaid, request_id): (&str, &str),
    secrets: &[&str],
) -> Bytes {
    if is_envelope(surface, body) {
        return scrub::body(body, secrets);
    }
    let said = verdict.message.as_deref();
    let said = said.map(|said| scrub::text(said, secrets));
    let [code, param] =
        named(body).map(|word| word.map(|word| scrub::text(&word, secrets).into_owned()));
    let fields = ErrorFields {
        message: said.as_deref().unwrap_or(unsaid),
        kind: "invalid_request_error",
        code: code.as_deref().or(Some(verdict.class.as_str())),
        param: param.as_deref(),
        request_id: Some(request_id),
        extra: Vec::new(),
    };
    error(surface, verdict.status.unwrap_or(400), &fields)
}

/// `code` and `param` of an envelope of OpenAI's, where they are words: Google's code is the status.
fn named(body: &[u8]) -> [Option<String>; 2] {
    let read = || {
        let text = std::str::from_utf8(body).ok()?;
        json::members(json::member(text, "error")?, &["code", "param"])
    };
    let word = |value: Option<&str>| {
        let word = value
            .filter(|value| json::is_text(value))
            .and_then(json::text);
        word.map(Into::into)
    };
    read().unwrap_or_default().map(word)
}

/// Whether `body` is JSON at all; the pages of gateways and firewalls are not.
pub fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// Whether `body` is an error in the words of a surface's API: `{"error":{"message":"…",…}}`, or Anthropic's.
pub fn is_envelope(surface: Surface, body: &[u8]) -> bool {
    if anthropic::is_envelope(body) || surface.is_anthropic() {
        return surface.is_anthropic() && anthropic::is_envelope(body);
    }
    let read = || {
        let text = std::str::from_utf8(body).ok()?;
        let error = json::member(text, "error")?;
        let [message, kind, status] = json::members(error, &["message", "type", "status"])?;
        // Google's has the same members but for a `status` in place of a `type`
        let is_googles = kind.is_none() && status.is_some_and(json::is_text);
        Some(json::is_text(message?) && !is_googles)
    };
    read().unwrap_or(false)
}

fn envelope(fields: &ErrorFields<'_>) -> Vec<u8> {
    #[derive(serde::Serialize)]
    struct Envelope<'a> {
        error: &'a ErrorFields<'a>,
    }
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&Envelope { error: fields }).unwrap_or_default()
}

fn event(json: &[u8]) -> Bytes {
    [b"data: ", json, b"\n\n"].concat().into()
}
