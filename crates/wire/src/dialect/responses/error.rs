//! Our own failure, as an event of a stream that has begun.
//!
//! The typed event has its members at the top. The official SDKs' older detection looks for an `error`
//! member and raises what is in it; an event without one would be handed to the caller as if nothing had
//! happened. Both are written.

use bytes::Bytes;
use serde::Serialize;

use crate::error_body::ErrorFields;

/// `event: error` with the members of the typed event and of the envelope. `number` is its
/// `sequence_number`: the stream's own count goes on, from 0.
pub fn error_event(fields: &ErrorFields<'_>, number: u64) -> Bytes {
    #[derive(Serialize)]
    struct Event<'a> {
        r#type: &'static str,
        code: Option<&'a str>,
        message: &'a str,
        param: Option<&'a str>,
        sequence_number: u64,
        error: &'a ErrorFields<'a>,
    }
    let event = Event {
        r#type: "error",
        code: fields.code,
        message: fields.message,
        param: fields.param,
        sequence_number: number,
        error: fields,
    };
    // strings, numbers and JSON values always serialise
    let json = serde_json::to_vec(&event).unwrap_or_default();
    [b"event: error\ndata: ".as_slice(), &json, b"\n\n"]
        .concat()
        .into()
}
