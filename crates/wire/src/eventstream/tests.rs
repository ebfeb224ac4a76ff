use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::frame::{Frame, Framing, Splitter, tests as streams};

/// A message with headers as they stand on the wire.
pub(crate) fn message(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(LEAST + headers.len() + payload.len()).unwrap();
    let mut out = length.to_be_bytes().to_vec();
    out.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend(headers);
    out.extend(payload);
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

pub(crate) fn text(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![u8::try_from(name.len()).unwrap()];
    out.extend(name.as_bytes());
    out.push(7);
    out.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
    out.extend(value.as_bytes());
    out
}

/// An exception as a service tells it inside a stream.
pub(crate) fn exception(name: &str, payload: &str) -> Vec<u8> {
    let headers = [
        text(":message-type", "exception"),
        text(":exception-type", name),
    ];
    message(&headers.concat(), payload.as_bytes())
}

pub(crate) fn event(name: &str, payload: &str) -> Vec<u8> {
    let headers = [text(":message-type", "event"), text(":event-type", name)];
    message(&headers.concat(), payload.as_bytes())
}

fn split(pieces: &[&[u8]]) -> Vec<Message> {
    let frames = streams::split(Framing::EventStream, pieces.iter().copied());
    let message = |frame| match frame {
        Frame::Message(message) => message,
        other => panic!("{other:?}"),
    };
    frames.into_iter().map(message).collect()
}

#[test]
fn a_message_of_another_implementation_is_read() {
    // `payload_no_headers` of the test vectors that AWS's SDKs share
    let vector = b"\x00\x00\x00\x1d\x00\x00\x00\x00\xfd\x52\x8c\x5a{'foo':'bar'}\xc3\x65\x39\x36";
    let all = split(&[vector]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].fault(), None);
    assert_eq!(all[0].data().as_deref(), Some(b"{'foo':'bar'}".as_slice()));
    assert_eq!(all[0].name(), None);
}

#[test]
fn every_type_of_header_is_stepped_over() {
    let mut headers = Vec::new();
    let values: [(u8, &[u8]); 9] = [
        (0, b""),
        (1, b""),
        (2, b"1"),
        (3, b"12"),
        (4, b"1234"),
        (5, b"12345678"),
        (6, b"\0\x02xy"),
        (8, b"12345678"),
        (9, b"0123456789abcdef"),
    ];
    for (kind, value) in values {
        headers.extend(b"\x01a");
        headers.push(kind);
        headers.extend(value);
    }
    headers.extend(text(":event-type", "last"));
    let all = split(&[&message(&headers, b"")]);
    assert_eq!(all[0].name(), Some("last"));
    assert_eq!(all[0].data(), None);
}

#[test]
fn a_failure_is_named_by_its_own_header() {
    let failure = |kind: &str, name: &str| {
        let headers = [text(":message-type", kind), text(name, "why")].concat();
        split(&[&message(&headers, b"{}")]).remove(0)
    };
    let exception = failure("exception", ":exception-type");
    assert!(exception.is_failure());
    assert_eq!(exception.name(), Some("why"));
    assert_eq!(failure("error", ":error-code").name(), Some("why"));
    assert!(!failure("event", ":event-type").is_failure());
}

#[test]
fn a_changed_byte_is_a_fault_and_the_last_thing_read() {
    let (one, two) = (event("a", "{\"x\":1}"), event("b", "{}"));
    for at in 0..one.len() {
        let mut harmed = one.clone();
        harmed[at] ^= 0x10;
        let all = split(&[&harmed, &two]);
        assert_eq!(all.len(), 1, "byte {at}");
        assert!(all[0].fault().is_some(), "byte {at}");
        assert_eq!(all[0].data(), None);
        let prelude = all[0].fault() == Some(Fault::PreludeChecksum);
        assert_eq!(prelude, at < PRELUDE, "byte {at}");
    }
}

#[test]
fn lengths_and_headers_that_cannot_be_are_faults() {
    let prelude = |length: u32, headers: u32| {
        let mut out = [length.to_be_bytes(), headers.to_be_bytes()].concat();
        out.extend(crc32fast::hash(&out).to_be_bytes());
        out
    };
    for (length, headers) in [(0, 0), (15, 0), (16, 1), (20, u32::MAX)] {
        let all = split(&[&prelude(length, headers)]);
        assert_eq!(all[0].fault(), Some(Fault::Lengths), "{length} {headers}");
    }
    for headers in [
        &b"\x05ab"[..],
        b"\x01a\x0a",
        b"\x01a\x07\x00\x09abc",
        b"\x01\xff\x00",
    ] {
        let all = split(&[&message(headers, b"{}")]);
        assert_eq!(all[0].fault(), Some(Fault::Headers));
    }
}

#[test]
fn a_length_beyond_the_limit_is_refused_before_it_is_held() {
    let long = message(b"", &[b'x'; 100]);
    let mut splitter = Splitter::new(Framing::EventStream, 99);
    splitter.push(Bytes::copy_from_slice(&long[..PRELUDE]));
    assert_eq!(splitter.next(), Some(Err(TooLarge { limit: 99 })));
    splitter.push(Bytes::copy_from_slice(&long[PRELUDE..]));
    assert_eq!(splitter.next(), None);
    assert_eq!((splitter.held(), splitter.finish()), (0, None));
}

#[test]
fn what_is_cut_short_is_given_but_not_believed() {
    let one = event("a", "{\"x\":1}");
    for cut in 1..one.len() {
        let all = split(&[&one[..cut]]);
        assert_eq!(all.len(), 1);
        assert!(!all[0].is_complete());
        assert_eq!((all[0].data(), all[0].name()), (None, None));
        assert_eq!(all[0].raw(), &one[..cut]);
    }
}

#[test]
fn frames_carry_them_like_any_other() {
    let mut frames = Splitter::new(Framing::EventStream, 1 << 20);
    let raw = event("messageStart", "{}");
    frames.push(Bytes::from([raw.clone(), raw[..5].to_vec()].concat()));
    let frame = frames.next().unwrap().unwrap();
    assert_eq!(frame.name(), Some("messageStart"));
    assert_eq!(frame.data().as_deref(), Some(b"{}".as_slice()));
    assert!(frame.is_complete() && !frame.is_comment_only());
    assert_eq!(
        (frame.closing(), frame.into_raw()),
        (b"".as_slice(), Bytes::from(raw))
    );
    assert_eq!(frames.next(), None);
    assert_eq!(frames.held(), 5);
    assert!(matches!(frames.finish(), Some(Frame::Message(m)) if !m.is_complete()));
}

proptest! {
    #[test]
    fn the_same_messages_come_out_however_the_bytes_are_cut(
        payloads in prop::collection::vec("[a-z]{0,40}", 0..5),
        tail in prop::collection::vec(any::<u8>(), 0..30),
        cuts in prop::collection::vec(0_usize..400, 0..8),
    ) {
        let mut bytes: Vec<u8> = payloads.iter().flat_map(|p| event("e", p)).collect();
        bytes.extend(tail);
        let whole = split(&[&bytes]);
        prop_assert!(whole.len() >= payloads.len());
        prop_assert_eq!(split(&streams::pieces(&bytes, &cuts)), whole);
    }

    #[test]
    fn no_headers_panic(headers in prop::collection::vec(any::<u8>(), 0..60)) {
        for message in split(&[&message(&headers, b"{}")]) {
            let _ = (message.name(), message.is_failure(), message.data());
        }
    }
}
