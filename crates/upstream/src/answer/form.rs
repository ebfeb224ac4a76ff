//! What form a streamed answer has come in.
//!
//! Each API has its framing, and each is also answered in another one: a whole object, an array, a stream
//! under a wrong label.

use crate::head;
use http::{HeaderValue, Version, header, response::Parts};
use punctual_wire::{
    Api,
    frame::Framing,
    sniff::{self, Sniff},
};

/// Whether a label says that the body is a stream of this API.
pub(super) fn is_labelled(api: Api, label: &HeaderValue) -> bool {
    let kind = label.as_bytes().split(|b| *b == b';').next();
    let is = |name: &[u8]| kind.is_some_and(|k| k.trim_ascii().eq_ignore_ascii_case(name));
    match api.framing() {
        Framing::Lines => is(b"application/x-ndjson"),
        Framing::EventStream | Framing::Chunks => is(b"application/vnd.amazon.eventstream"),
        _ => head::is_event_stream(label),
    }
}

/// What the first bytes of an answer say, read as an answer of `api`. A line of NDJSON looks like an object
/// and is a stream of one; a binary frame looks like nothing and is told by its label.
pub(super) fn sniff(api: Api, bytes: &[u8]) -> Sniff {
    match (api.framing(), sniff::sniff(bytes)) {
        (Framing::Lines, Sniff::Json) => Sniff::Sse,
        (Framing::EventStream | Framing::Chunks, Sniff::Undecided) if !bytes.is_empty() => {
            Sniff::Other
        }
        (Framing::Sse, Sniff::Other) if api == Api::Gemini && starts_array(bytes) => Sniff::Array,
        (_, kind) => kind,
    }
}

fn starts_array(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[")
}

/// RFC 9112 §6.3: a response with neither length nor chunks is as long as its connection.
pub(super) fn is_until_close(parts: &Parts) -> bool {
    let framed = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING];
    parts.version <= Version::HTTP_11 && !framed.iter().any(|name| parts.headers.contains_key(name))
}
