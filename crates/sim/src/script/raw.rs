//! Bytes served as they are: recordings and foreign dialects.
//!
//! A client must read the same from a stream however the network cut it, so the cuts are part of the
//! script: each piece is one flushed write.

use std::path::Path;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};

/// Where a body is cut into writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// One write.
    Whole,
    /// One write a byte.
    EveryByte,
    /// Behind each line feed.
    Lines,
    /// Behind each blank line: one SSE event a write.
    Events,
    /// Pieces of these sizes, then the rest.
    At(Vec<usize>),
    /// Pieces of 1 to 64 bytes, the same for the same seed.
    Random(u64),
}

impl Cuts {
    pub(super) fn read(said: &str) -> Result<Self, String> {
        let fix = "write whole, bytes, lines, events, random:SEED or sizes as 1:20:300";
        Ok(match said {
            "whole" => Self::Whole,
            "bytes" => Self::EveryByte,
            "lines" => Self::Lines,
            "events" => Self::Events,
            other => match other.strip_prefix("random:") {
                Some(seed) => Self::Random(seed.parse().map_err(|_| fix)?),
                None => Self::At(
                    other
                        .split(':')
                        .map(str::parse)
                        .collect::<Result<_, _>>()
                        .map_err(|_| fix)?,
                ),
            },
        })
    }

    /// The pieces, which together are the body.
    pub(crate) fn pieces(&self, body: &Bytes) -> Vec<Bytes> {
        let mut rest = body.clone();
        let mut pieces = Vec::new();
        let mut sizes = match self {
            Self::At(sizes) => sizes.iter(),
            _ => [].iter(),
        };
        let mut state = match self {
            Self::Random(seed) => *seed,
            _ => 0,
        };
        while !rest.is_empty() {
            let size = match self {
                Self::Whole => rest.len(),
                Self::EveryByte => 1,
                Self::Lines => rest
                    .iter()
                    .position(|b| *b == b'\n')
                    .map_or(rest.len(), |at| at + 1),
                Self::Events => event_end(&rest).unwrap_or(rest.len()),
                Self::At(_) => sizes.next().copied().unwrap_or(rest.len()).max(1),
                Self::Random(_) => (split_mix(&mut state) % 64) as usize + 1,
            };
            pieces.push(rest.split_to(size.min(rest.len())));
        }
        pieces
    }
}

/// Behind the first blank line, whichever of LF and CRLF ends lines.
fn event_end(bytes: &[u8]) -> Option<usize> {
    let ends = [b"\n\n".as_slice(), b"\r\n\r\n"];
    let found = ends.iter().filter_map(|end| {
        let at = bytes.windows(end.len()).position(|w| w == *end)?;
        Some(at + end.len())
    });
    found.min()
}

/// SplitMix64 (Steele, Lea and Flood 2014): reproducible from any seed, 0 included.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A given answer.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
    pub(crate) cuts: Cuts,
}

impl Raw {
    pub(super) fn new(
        status: u16,
        content_type: &str,
        headers: &[(&str, &str)],
        body: Bytes,
        cuts: Cuts,
    ) -> Self {
        let all = [("content-type", content_type)]
            .into_iter()
            .chain(headers.iter().copied());
        let headers = all.filter_map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some((name, HeaderValue::from_str(value).ok()?))
        });
        Self {
            status,
            headers: headers.collect(),
            body,
            cuts,
        }
    }

    /// A file, its type told by its name.
    pub(super) fn file(path: &str, body: Vec<u8>) -> Self {
        let kind = match Path::new(path).extension().and_then(|e| e.to_str()) {
            Some("sse") => "text/event-stream",
            Some("ndjson") => "application/x-ndjson",
            Some("eventstream") => "application/vnd.amazon.eventstream",
            Some("html") => "text/html",
            _ => "application/json",
        };
        Self::new(200, kind, &[], body.into(), Cuts::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_keeps_every_byte() {
        let body = Bytes::from_static(b"data: a\n\ndata: b\r\n\r\n: c\n\n\xf0\x9f\x90\xa2 tail");
        let mut all = vec![
            Cuts::Whole,
            Cuts::EveryByte,
            Cuts::Lines,
            Cuts::Events,
            Cuts::At(vec![1, 0, 500]),
        ];
        all.extend((0..50).map(Cuts::Random));
        for cuts in all {
            assert_eq!(cuts.pieces(&body).concat(), body, "{cuts:?}");
        }
        assert_eq!(Cuts::EveryByte.pieces(&body).len(), body.len());
        assert_eq!(Cuts::Events.pieces(&body).len(), 4);
        assert_eq!(Cuts::Whole.pieces(&Bytes::new()).len(), 0);
        assert_eq!(Cuts::Random(7).pieces(&body), Cuts::Random(7).pieces(&body));
    }

    #[test]
    fn cuts_are_written_as_they_are_read() {
        assert_eq!(Cuts::read("events"), Ok(Cuts::Events));
        assert_eq!(Cuts::read("random:9"), Ok(Cuts::Random(9)));
        assert_eq!(Cuts::read("1:20"), Ok(Cuts::At(vec![1, 20])));
        assert!(Cuts::read("some").is_err());
    }
}
