//! What a body is, by its first bytes.
//!
//! Content types lie: event streams come labelled `application/json`, `text/plain` or nothing,
//! and a request for a stream is sometimes answered with one JSON object. The first bytes tell.

/// What the first bytes look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// Server-sent events: a field name of the format with its colon, or a comment.
    Sse,
    /// A JSON object.
    Json,
    /// A JSON array of what others send as events; only where the API has that.
    Array,
    /// Something else.
    Other,
    /// Too few bytes to tell; at the end of the body this means an empty or alien one.
    Undecided,
}

const FIELDS: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b"error:", b":"];

/// Whether `body` is some of the beginning of JSON, and not all of it.
pub fn is_cut_json(body: &[u8]) -> bool {
    let read = serde_json::from_slice::<serde::de::IgnoredAny>(body);
    !body.trim_ascii().is_empty() && read.is_err_and(|error| error.is_eof())
}

/// Looks at `head`, the first bytes of a body; a byte order mark and white space are skipped.
pub fn sniff(head: &[u8]) -> Sniff {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    if head.len() < BOM.len() && BOM.starts_with(head) {
        return Sniff::Undecided;
    }
    let head = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    if head.is_empty() {
        return Sniff::Undecided;
    }
    if head.starts_with(b"{") {
        return Sniff::Json;
    }
    if FIELDS.iter().any(|field| head.starts_with(field)) {
        return Sniff::Sse;
    }
    match FIELDS.iter().any(|field| field.starts_with(head)) {
        true => Sniff::Undecided,
        false => Sniff::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stream_is_known_whatever_its_label() {
        for head in [
            "data:{}",
            "event: x",
            ": hi",
            "id:1",
            "retry: 3",
            "\n\ndata: x",
            "\u{feff}data: x",
            "error: {",
        ] {
            assert_eq!(sniff(head.as_bytes()), Sniff::Sse, "{head}");
        }
    }

    #[test]
    fn an_object_is_json_and_a_page_is_neither() {
        assert_eq!(sniff(b" \n{\"a\""), Sniff::Json);
        assert_eq!(sniff(b"<html>"), Sniff::Other);
        assert_eq!(sniff(b"database"), Sniff::Other);
    }

    #[test]
    fn too_few_bytes_decide_nothing() {
        for head in [
            &b""[..],
            b"\xef",
            b"\xef\xbb\xbf",
            b"  ",
            b"d",
            b"dat",
            b"retry",
        ] {
            assert_eq!(sniff(head), Sniff::Undecided, "{head:?}");
        }
    }

    #[test]
    fn json_that_breaks_off_is_told_from_what_never_was_any() {
        for cut in ["{", "{\"a\":\"b", "{\"a\":1", "[1,"] {
            assert!(is_cut_json(cut.as_bytes()), "{cut}");
        }
        for other in ["", " ", "{}", "{\"a\":1} ", "<html>", "{a", "{\"a\":1}}"] {
            assert!(!is_cut_json(other.as_bytes()), "{other}");
        }
    }
}
