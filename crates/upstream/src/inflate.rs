//! Decoding a body that comes compressed although `identity` was asked for.
//!
//! It must not delay anything: what a compressed chunk holds is given out with that chunk, because each
//! event of a stream was flushed by its sender. And it must not explode: output is looked at after every
//! [`STEP`] of input, given out before more is made of it, and ends the body when it is beyond all reason.

use bytes::{Buf, Bytes};
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::{HeaderMap, header};
use std::io::{self, Write};

/// Input between two looks at the output; deflate makes at most about a thousand times as much of it.
const STEP: usize = 1024;
/// Output that is given out before more is made: what one socket read holds could be a hundred times as much.
const ENOUGH: usize = 64 * 1024;
/// Output may be this many times the input.
const MAX_RATIO: u64 = 200;
/// A ratio says nothing before this many bytes.
const RATIO_FLOOR: u64 = 1 << 20;

/// A body that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undecodable {
    /// An encoding that was not asked for and is not understood.
    Encoding,
    /// Not what its label says, or cut.
    Corrupt,
    /// Larger than [`MAX_RATIO`] allows.
    Bomb,
}

/// Decodes one body.
pub(crate) struct Inflate {
    coding: Coding,
    taken: u64,
    given: u64,
}

enum Coding {
    Gzip(MultiGzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
    /// `deflate` is one of two formats; its first byte tells.
    Deflate,
}

impl Inflate {
    /// The decoder for a `Content-Encoding`; `None` when there is nothing to decode.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>, Undecodable> {
        let values = headers.get_all(header::CONTENT_ENCODING).iter();
        let codings = values.flat_map(|value| value.as_bytes().split(|b| *b == b','));
        let mut codings = codings
            .map(|coding| coding.trim_ascii().to_ascii_lowercase())
            .filter(|coding| !coding.is_empty() && coding != b"identity");
        let coding = match (codings.next().as_deref(), codings.next()) {
            (None, _) => return Ok(None),
            (Some(b"gzip" | b"x-gzip"), None) => Coding::Gzip(MultiGzDecoder::new(Vec::new())),
            (Some(b"deflate"), None) => Coding::Deflate,
            _ => return Err(Undecodable::Encoding),
        };
        Ok(Some(Self {
            coding,
            taken: 0,
            given: 0,
        }))
    }

    /// What is known after some of `input`, which is taken off it; empty only when that was all of it.
    pub(crate) fn push(&mut self, input: &mut Bytes) -> Result<Bytes, Undecodable> {
        if let (Coding::Deflate, Some(first)) = (&self.coding, input.first()) {
            // the low half of a zlib header's first byte is 8; no deflate block begins like that
            self.coding = match first & 0x0f == 8 {
                true => Coding::Zlib(ZlibDecoder::new(Vec::new())),
                false => Coding::Raw(DeflateDecoder::new(Vec::new())),
            };
        }
        let mut out = Vec::new();
        while out.len() < ENOUGH && input.has_remaining() {
            let step = input.split_to(input.len().min(STEP));
            self.taken += step.len() as u64;
            self.coding
                .write(&step, &mut out)
                .map_err(|_| Undecodable::Corrupt)?;
            let given = self.given.saturating_add(out.len() as u64);
            if given > RATIO_FLOOR && given > self.taken.saturating_mul(MAX_RATIO) {
                return Err(Undecodable::Bomb);
            }
        }
        self.given += out.len() as u64;
        Ok(out.into())
    }

    /// The end of the input: what was left, and whether it was all.
    pub(crate) fn finish(&mut self) -> Result<Bytes, Undecodable> {
        if self.taken == 0 {
            return Ok(Bytes::new());
        }
        let rest = self.coding.finish();
        rest.map(Bytes::from).map_err(|_| Undecodable::Corrupt)
    }
}

impl Coding {
    fn write(&mut self, input: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Gzip(d) => {
                d.write_all(input)?;
                d.flush()?;
                out.append(d.get_mut());
            }
            Self::Zlib(d) => {
                d.write_all(input)?;
                d.flush()?;
                out.append(d.get_mut());
            }
            Self::Raw(d) => {
                d.write_all(input)?;
                d.flush()?;
                out.append(d.get_mut());
            }
            Self::Deflate => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(d) => d.try_finish().map(|()| std::mem::take(d.get_mut())),
            Self::Zlib(d) => d.try_finish().map(|()| std::mem::take(d.get_mut())),
            Self::Raw(d) => d.try_finish().map(|()| std::mem::take(d.get_mut())),
            Self::Deflate => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests;
