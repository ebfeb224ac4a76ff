//! The headers of a message: a name, the type of the value, the value.
//!
//! Only strings mean anything to us; the other types are known so that they can be stepped over.

/// The value of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A string in UTF-8.
    Text(&'a str),
    /// Truth, numbers, bytes, a time, a UUID: the bytes of it.
    Other(&'a [u8]),
}

/// Reads headers one after the other; ends after `None`, which is one that cannot be read.
#[derive(Debug)]
pub(super) struct Headers<'a>(&'a [u8]);

impl<'a> Headers<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn read(&mut self) -> Option<(&'a str, Value<'a>)> {
        let length = self.take(1)?.first().copied()?;
        let name = std::str::from_utf8(self.take(usize::from(length))?).ok()?;
        let value = match self.take(1)?.first()? {
            // true and false, which are the type itself
            0 | 1 => Value::Other(&[]),
            2 => Value::Other(self.take(1)?),
            3 => Value::Other(self.take(2)?),
            4 => Value::Other(self.take(4)?),
            // a long, a time
            5 | 8 => Value::Other(self.take(8)?),
            6 => Value::Other(self.counted()?),
            7 => Value::Text(std::str::from_utf8(self.counted()?).ok()?),
            // a UUID
            9 => Value::Other(self.take(16)?),
            _ => return None,
        };
        Some((name, value))
    }

    fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.take(2)?.try_into().ok().map(u16::from_be_bytes)?;
        self.take(usize::from(length))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = Option<(&'a str, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let header = self.read();
        if header.is_none() {
            self.0 = &[];
        }
        Some(header)
    }
}
