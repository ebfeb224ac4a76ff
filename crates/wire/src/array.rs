//! A JSON array whose elements are sent one after another: where each one ends, whatever way the bytes
//! were cut.
//!
//! Google's APIs answer a stream so (`[{…},\r\n{…}]`) unless they are asked for server-sent events. An
//! element that is an object, an array or a string is given as soon as its last byte is there; a number
//! or a word at the byte after it. Brackets and commas between elements lead the `raw` of the next one. A
//! value that stands in no array is one element, because that is how errors come. Each byte is looked at
//! once, and at most one element and its limit is held.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::sse::TooLarge;

mod scan;
#[cfg(test)]
mod tests;

use scan::Scan;

/// One element, or what stands behind the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    raw: Bytes,
    /// Where the value begins; the end of `raw` if there is none.
    start: usize,
    complete: bool,
}

impl Element {
    /// The bytes as they came, the separators before it included.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// As [`raw`](Self::raw), given away.
    pub fn into_raw(self) -> Bytes {
        self.raw
    }

    /// False if the stream broke off in it.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The value; `None` for what stands behind the last one.
    pub fn data(&self) -> Option<&[u8]> {
        let value = self.raw.get(self.start..)?.trim_ascii();
        (!value.is_empty()).then_some(value)
    }
}

/// Cuts a byte stream into [`Element`]s.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    chunks: VecDeque<Bytes>,
    held: BytesMut,
    scan: Scan,
    over: bool,
}

impl Splitter {
    /// A splitter for one stream that refuses elements over `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            chunks: VecDeque::new(),
            held: BytesMut::new(),
            scan: Scan::default(),
            over: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: Bytes) {
        if !self.over && !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next element; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`TooLarge`], once.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: None means not yet"
    )]
    pub fn next(&mut self) -> Option<Result<Element, TooLarge>> {
        loop {
            let chunk = self.chunks.front_mut()?;
            let end = self.scan.element_end(chunk, self.held.len());
            let piece = chunk.split_to(end.unwrap_or(chunk.len()).min(chunk.len()));
            if chunk.is_empty() {
                self.chunks.pop_front();
            }
            if self.held.len() + piece.len() > self.limit {
                self.over = true;
                self.chunks.clear();
                self.held = BytesMut::new();
                return Some(Err(TooLarge { limit: self.limit }));
            }
            let raw = match (end, self.held.is_empty()) {
                (Some(_), true) => piece,
                (Some(_), false) => {
                    self.held.extend_from_slice(&piece);
                    self.held.split().freeze()
                }
                (None, _) => {
                    self.held.extend_from_slice(&piece);
                    continue;
                }
            };
            let start = self.scan.take_start().unwrap_or(raw.len());
            return Some(Ok(Element {
                raw,
                start,
                complete: true,
            }));
        }
    }

    /// At the end of the stream: what is left, a cut element or what closes the array.
    pub fn finish(&mut self) -> Option<Element> {
        if let Some(Ok(element)) = self.next() {
            return Some(element);
        }
        let raw = self.held.split().freeze();
        if raw.is_empty() {
            return None;
        }
        let start = self.scan.take_start();
        let value = start.and_then(|start| raw.get(start..));
        let complete = match value {
            Some(value) => serde_json::from_slice::<serde::de::IgnoredAny>(value).is_ok(),
            None => self.scan.is_closed() || raw.trim_ascii().is_empty(),
        };
        let start = start.unwrap_or(raw.len());
        Some(Element {
            raw,
            start,
            complete,
        })
    }

    /// Bytes of the element that is not complete yet.
    pub fn held(&self) -> usize {
        self.held.len()
    }
}
