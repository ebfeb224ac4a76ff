//! Messages of an AWS event stream (`application/vnd.amazon.eventstream`).
//!
//! The form, all numbers big-endian: total length and length of the headers in four bytes each, the CRC-32
//! of these eight, the headers, the payload, and the CRC-32 of everything before it. A header is its name
//! behind a byte of length, the type 7, and a text behind two bytes of length. A client must check both
//! sums, so they can be damaged one at a time.

use bytes::{BufMut, Bytes, BytesMut};

pub(crate) const CONTENT_TYPE: &str = "application/vnd.amazon.eventstream";

/// The prelude: two lengths and their sum.
const PRELUDE: usize = 12;
/// The only type of header that Bedrock sends: a string.
const STRING: u8 = 7;

/// Which sum of a message is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Prelude,
    Message,
}

/// An event of the service's model.
pub(crate) fn event(name: &str, payload: &str) -> Bytes {
    let headers = [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ];
    message(&headers, payload.as_bytes())
}

/// An exception of the service's model.
pub(crate) fn exception(name: &str, payload: &str) -> Bytes {
    let headers = [
        (":exception-type", name),
        (":content-type", "application/json"),
        (":message-type", "exception"),
    ];
    message(&headers, payload.as_bytes())
}

/// An error outside of the service's model, all of it in headers.
pub(crate) fn failure(code: &str, text: &str) -> Bytes {
    let headers = [
        (":error-code", code),
        (":error-message", text),
        (":message-type", "error"),
    ];
    message(&headers, b"")
}

/// The message with one of its sums changed.
pub(crate) fn damaged(message: &Bytes, damage: Damage) -> Bytes {
    let mut bytes = BytesMut::from(message.as_ref());
    let at = match damage {
        Damage::Prelude => PRELUDE - 1,
        Damage::Message => bytes.len().saturating_sub(1),
    };
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 0x01;
    }
    if damage == Damage::Prelude {
        // a reader that looks only at the last sum must find that one right
        bytes.truncate(bytes.len().saturating_sub(4));
        bytes.put_u32(crc32fast::hash(&bytes));
    }
    bytes.freeze()
}

fn message(headers: &[(&str, &str)], payload: &[u8]) -> Bytes {
    let mut lines = BytesMut::new();
    for (name, value) in headers {
        // names are our own; a value longer than a header can be is cut
        let value = value.get(..value.len().min(usize::from(u16::MAX)));
        let value = value.unwrap_or_default();
        lines.put_u8(name.len() as u8);
        lines.put_slice(name.as_bytes());
        lines.put_u8(STRING);
        lines.put_u16(value.len() as u16);
        lines.put_slice(value.as_bytes());
    }
    let total = PRELUDE + lines.len() + payload.len() + 4;
    let mut out = BytesMut::with_capacity(total);
    out.put_u32(total as u32);
    out.put_u32(lines.len() as u32);
    out.put_u32(crc32fast::hash(&out));
    out.put_slice(&lines);
    out.put_slice(payload);
    out.put_u32(crc32fast::hash(&out));
    out.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8], at: usize) -> u32 {
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    /// Whether prelude and message carry the right sums.
    fn sums(bytes: &[u8]) -> (bool, bool) {
        let end = bytes.len() - 4;
        (
            number(bytes, 8) == crc32fast::hash(&bytes[..8]),
            number(bytes, end) == crc32fast::hash(&bytes[..end]),
        )
    }

    #[test]
    fn lengths_and_sums_are_those_of_the_message() {
        let bytes = event("messageStart", r#"{"role":"assistant"}"#);
        assert_eq!(number(&bytes, 0) as usize, bytes.len());
        let headers = number(&bytes, 4) as usize;
        assert_eq!(
            &bytes[12 + headers..bytes.len() - 4],
            br#"{"role":"assistant"}"#
        );
        assert_eq!(&bytes[12..24], b"\x0b:event-type");
        assert_eq!(&bytes[24..27], &[7, 0, 12]);
        assert_eq!(sums(&bytes), (true, true));
    }

    #[test]
    fn each_sum_can_be_wrong_alone() {
        let whole = exception("throttlingException", "{}");
        assert_eq!(sums(&damaged(&whole, Damage::Prelude)), (false, true));
        assert_eq!(sums(&damaged(&whole, Damage::Message)), (true, false));
        assert_eq!(sums(&failure("internal", "text")), (true, true));
    }

    #[test]
    fn recorded_messages_are_made_alike() {
        let path = "../../../shared/captures/41-bedrock-converse-stream.eventstream";
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let Ok(recorded) = std::fs::read(folder.join(path)) else {
            println!("no recordings beside the repository: nothing compared");
            return;
        };
        let total = number(&recorded, 0) as usize;
        let first = &recorded[..total];
        let headers = number(first, 4) as usize;
        let payload = std::str::from_utf8(&first[12 + headers..total - 4]).unwrap();
        assert_eq!(event("messageStart", payload), first);
    }
}
