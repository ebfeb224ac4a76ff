use bytes::Bytes;
use proptest::prelude::*;

use crate::frame::{Frame, Framing, Splitter, TooLarge, tests};

/// What one event says: name, data, whether only comments.
type Said = (Option<String>, Option<Vec<u8>>, bool);

fn said(event: &Frame) -> Said {
    (
        event.name().map(Into::into),
        event.data().map(|d| d.into_owned()),
        event.is_comment_only(),
    )
}

fn splitter(limit: usize) -> Splitter {
    Splitter::new(Framing::Sse, limit)
}

/// Splits `pieces` and gives events (blank lines alone left out) and all raw bytes.
fn split<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Said>, Vec<u8>) {
    let events = tests::split(Framing::Sse, pieces);
    let blank = |e: &&Frame| e.raw().iter().any(|b| !b"\r\n".contains(b));
    let said = events.iter().filter(blank).map(said).collect();
    (said, tests::raw(&events))
}

fn data(events: &[Said]) -> Vec<String> {
    let text = |(_, data, _): &Said| String::from_utf8(data.clone().unwrap_or_default()).unwrap();
    events.iter().map(text).collect()
}

#[test]
fn every_line_ending_and_mixture_ends_an_event() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = "\u{feff}: hi|event: x|data: a|data:b|||data:  c|id: 7|retry: 1||: only||nocolon||data||".replace('|', end);
        let (events, raw) = split([stream.as_bytes()]);
        assert_eq!(raw, stream.as_bytes());
        assert_eq!(data(&events), ["a\nb", " c", "", "", ""], "{end:?}");
        assert_eq!(events[0].0.as_deref(), Some("x"));
        let comments: Vec<bool> = events.iter().map(|e| e.2).collect();
        assert_eq!(comments, [false, false, true, false, false]);
        assert_eq!(
            events[4].1.as_deref(),
            Some(&b""[..]),
            "`data` without a colon is empty data"
        );
    }
    let (events, _) =
        split([&b"data: a\r\n\ndata: b\n\r\ndata: c\r\rdata: d\n\rdata: e\r\n\r\n"[..]]);
    assert_eq!(data(&events), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line_and_only_of_that() {
    for cut in 0..4 {
        let stream = "\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes();
        let (events, raw) = split([&stream[..cut], &stream[cut..]]);
        assert_eq!(raw, stream);
        assert_eq!(data(&events), ["a", ""]);
    }
    let (events, _) = split(["\u{feff}: hi\n\n".as_bytes()]);
    assert!(events[0].2, "a comment");
}

#[test]
fn an_event_is_given_the_moment_its_blank_line_is_there() {
    for (end, after) in [("\n\n", ""), ("\r\r", ""), ("\r\n\r", "\n"), ("\n\r", "\n")] {
        let mut splitter = splitter(100);
        for byte in format!("data: a{}", &end[..end.len() - 1]).bytes() {
            splitter.push(Bytes::copy_from_slice(&[byte]));
            assert!(splitter.next().is_none(), "{end:?}");
        }
        splitter.push(Bytes::copy_from_slice(&end.as_bytes()[end.len() - 1..]));
        assert_eq!(
            splitter.next().unwrap().unwrap().raw(),
            &format!("data: a{end}"),
            "{end:?}"
        );
        splitter.push(Bytes::copy_from_slice(after.as_bytes()));
        splitter.push(Bytes::from_static(b"data: b\n\n"));
        let second = splitter.next().unwrap().unwrap();
        assert_eq!(second.data().unwrap(), &b"b"[..]);
        assert_eq!(second.raw(), &format!("{after}data: b\n\n"));
    }
}

#[test]
fn comments_before_data_belong_to_it_unless_a_blank_line_parts_them() {
    let (events, _) = split([&b": a\ndata: 1\n\n: b\n\ndata: 2\n\n"[..]]);
    assert_eq!(data(&events), ["1", "", "2"]);
    assert_eq!(
        events.iter().map(|e| e.2).collect::<Vec<_>>(),
        [false, true, false]
    );
}

#[test]
fn an_event_inside_one_chunk_is_not_copied() {
    let chunk = Bytes::from_static(b"data: a\n\ndata: b\n\ndata: c");
    let mut splitter = splitter(100);
    splitter.push(chunk.clone());
    for at in [0, 9] {
        let event = splitter.next().unwrap().unwrap();
        assert_eq!(event.raw().as_ptr(), chunk[at..].as_ptr());
    }
    assert!(splitter.next().is_none());
    assert_eq!(splitter.held(), 7);
}

#[test]
fn a_last_event_without_a_blank_line_is_given_and_marked() {
    for (rest, closing) in [
        ("data: x", &b"\n\n"[..]),
        ("data: x\n", b"\n"),
        ("data: x\r\n", b"\n"),
    ] {
        let mut splitter = splitter(100);
        splitter.push(Bytes::copy_from_slice(rest.as_bytes()));
        assert!(splitter.next().is_none());
        let last = splitter.finish().unwrap();
        assert_eq!(
            (last.raw().as_ref(), last.is_complete(), last.closing()),
            (rest.as_bytes(), false, closing)
        );
        assert_eq!(last.data().unwrap(), &b"x"[..]);
        assert!(splitter.finish().is_none());
    }
}

#[test]
fn an_event_may_be_as_long_as_the_limit_and_no_longer() {
    let mut splitter = splitter(9);
    splitter.push(Bytes::from_static(b"data: 1\n\ndata: 22\n\n"));
    assert!(splitter.next().unwrap().is_ok());
    assert_eq!(splitter.next(), Some(Err(TooLarge { limit: 9 })));
}

#[test]
fn field_names_end_at_the_colon() {
    let (mut splitter, line) = (
        splitter(999),
        "event:error\nerror: {\"code\":400}\ndatabase: no\nevents: no\n\n",
    );
    splitter.push(Bytes::from_static(line.as_bytes()));
    let Frame::Event(event) = splitter.next().unwrap().unwrap() else {
        panic!("not an event");
    };
    assert_eq!(event.name(), Some("error"));
    assert_eq!(event.field("error"), Some(&br#"{"code":400}"#[..]));
    assert!(event.data().is_none() && event.has_field("database") && !event.has_field("base"));
}

fn line() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just("data: x"),
        Just("data:y"),
        Just("data"),
        Just(": c"),
        Just("event: e"),
        Just("id: 1"),
        Just(""),
        Just(""),
        Just("däta: ☃"),
        Just("data: 日本"),
        Just("\u{feff}"),
        Just("error: {}"),
        Just(" ")
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r")];
    (text, end).prop_map(|(text, end)| format!("{text}{end}"))
}

proptest! {
    #[test]
    fn any_cuts_give_the_same_events_and_every_byte(
        lines in proptest::collection::vec(line(), 0..30),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
    ) {
        let stream = lines.concat().into_bytes();
        let (whole, raw) = split([stream.as_slice()]);
        prop_assert_eq!(&raw, &stream);
        let places: Vec<usize> = cuts.iter().map(|i| i.index(stream.len() + 1)).collect();
        let (cut, raw) = split(tests::pieces(&stream, &places));
        prop_assert_eq!(&raw, &stream);
        prop_assert_eq!(&cut, &whole);
        let (bytewise, raw) = split(stream.chunks(1));
        prop_assert_eq!(&raw, &stream);
        prop_assert_eq!(&bytewise, &whole);
    }

    #[test]
    fn no_bytes_panic_and_all_come_back(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r'), Just(b':')], 0..300), size in 1_usize..9) {
        let (_, raw) = split(bytes.chunks(size));
        prop_assert_eq!(raw, bytes);
    }
}
