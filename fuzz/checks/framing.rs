//! The splitters: the same frames for every cut, no byte lost, and a bound that holds.

use std::borrow::Cow;

use bytes::Bytes;
use punctual_wire::frame::{Frame, Framing, Splitter};

use super::{LIMIT, frames, sizes, source};

/// Server-sent events.
pub fn sse(data: &[u8]) {
    independent(Framing::Sse, data);
}

/// Lines of JSON.
pub fn lines(data: &[u8]) {
    independent(Framing::Lines, data);
}

/// A JSON array.
pub fn array(data: &[u8]) {
    independent(Framing::Array, data);
}

/// AWS messages: the bytes as they are, with every sum put right, and as text that is framed first.
pub fn eventstream(data: &[u8]) {
    independent(Framing::EventStream, data);
    independent(Framing::EventStream, &source::summed(data));
    let framed = source::messages(data);
    let read = independent(Framing::EventStream, &framed);
    let chunks = |sizes: &[usize]| frames(Framing::Chunks, &framed, sizes);
    let whole = chunks(&[]);
    assert_eq!(events(&whole), events(&chunks(&[1])), "chunks are cut");
    // names are text, or the message is at fault
    assert!(read == framed.len() || std::str::from_utf8(data).is_err());
}

/// Name, payload, and whether it is complete.
type Said<'a> = (Option<&'a str>, Cow<'a, [u8]>, bool);

/// What frames say. An LF behind a CR may be with the event it ends or with the next one.
fn events(frames: &[Frame]) -> Vec<Said<'_>> {
    let event = |frame: &'_ Frame| frame.data().is_some() || frame.name().is_some();
    frames
        .iter()
        .filter(|frame| event(frame))
        .map(|frame| {
            (
                frame.name(),
                frame.data().unwrap_or_default(),
                frame.is_complete(),
            )
        })
        .collect()
}

/// How many of the bytes came out in frames.
fn independent(framing: Framing, data: &[u8]) -> usize {
    let whole = frames(framing, data, &[]);
    for sizes in [vec![1], sizes(data)] {
        let cut = frames(framing, data, &sizes);
        assert_eq!(events(&whole), events(&cut), "cut by {sizes:?}");
    }
    let raw: Vec<u8> = whole
        .iter()
        .flat_map(|frame| frame.raw().to_vec())
        .collect();
    match framing {
        // behind a fault nothing is read
        Framing::EventStream => assert!(data.starts_with(&raw) || raw.is_empty()),
        _ => assert_eq!(raw, data, "bytes are lost"),
    }
    for frame in &whole {
        let _ = (
            frame.name(),
            frame.data(),
            frame.closing(),
            frame.is_comment_only(),
        );
    }
    at_once(framing, data);
    bounded(framing, data);
    raw.len()
}

/// A frame comes with its last byte, not with the next one.
fn at_once(framing: Framing, data: &[u8]) {
    let (mut splitter, mut given) = (Splitter::new(framing, LIMIT), 0);
    for (i, byte) in data.iter().enumerate() {
        splitter.push(Bytes::copy_from_slice(&[*byte]));
        while let Some(Ok(frame)) = splitter.next() {
            given += frame.raw().len();
            // where a number ends only the byte behind it shows
            let ends_itself = frame.data().is_some_and(|data| data.starts_with(b"{"));
            let late = given != i + 1 && (framing != Framing::Array || ends_itself);
            assert!(!late, "{frame:?} comes late");
        }
    }
}

/// A frame beyond the limit is refused once, and nothing is held afterwards.
fn bounded(framing: Framing, data: &[u8]) {
    let limit = 24;
    let mut splitter = Splitter::new(framing, limit);
    for piece in data.chunks(7) {
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            match frame {
                Ok(frame) => assert!(frame.raw().len() <= limit + 7, "{frame:?}"),
                Err(_) => assert!(splitter.next().is_none()),
            }
        }
        assert!(
            splitter.held() <= limit + 7,
            "{} bytes are held",
            splitter.held()
        );
    }
}
