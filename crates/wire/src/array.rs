//! A JSON array whose elements are sent one after another: where each one ends, whatever way the bytes
//! were cut.
//!
//! Google's APIs answer a stream so (`[{…},\r\n{…}]`) unless they are asked for server-sent events. An
//! element that is an object, an array or a string is given as soon as its last byte is there; a number
//! or a word at the byte after it. Brackets and commas between elements lead the `raw` of the next one. A
//! value that stands in no array is one element, because that is how errors come. Each byte is looked at
//! once.

use bytes::Bytes;

use crate::intake::{Intake, TooLarge};

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

/// Finds elements in what comes in.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    scan: Scan,
}

impl Rule {
    /// The next element; `None` when more bytes are needed.
    pub(crate) fn next(&mut self, intake: &mut Intake) -> Option<Result<Element, TooLarge>> {
        let raw = intake.marked(|bytes, before| self.scan.element_end(bytes, before))?;
        Some(raw.map(|raw| {
            let start = self.scan.take_start().unwrap_or(raw.len());
            Element {
                raw,
                start,
                complete: true,
            }
        }))
    }

    /// What is left at the end of the stream, a cut element or what closes the array.
    pub(crate) fn last(&mut self, raw: Bytes) -> Element {
        let start = self.scan.take_start();
        let value = start.and_then(|start| raw.get(start..));
        let complete = match value {
            Some(value) => serde_json::from_slice::<serde::de::IgnoredAny>(value).is_ok(),
            None => self.scan.is_closed() || raw.trim_ascii().is_empty(),
        };
        let start = start.unwrap_or(raw.len());
        Element {
            raw,
            start,
            complete,
        }
    }
}
