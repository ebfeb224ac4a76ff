//! One message: its bytes, whether they are unharmed, and what its headers say.

use std::borrow::Cow;

use bytes::Bytes;

use super::{
    LEAST, PRELUDE,
    header::{Headers, Value},
};

/// What is wrong with a message. Nothing after it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The lengths do not have the checksum that came with them.
    PreludeChecksum,
    /// The message does not have the checksum that came with it.
    Checksum,
    /// The lengths contradict one another.
    Lengths,
    /// The headers end in the middle of one, or have a type of value that does not exist.
    Headers,
    /// It is one that holds an event, and holds none that can be read.
    Payload,
}

impl Fault {
    /// In words of ours.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreludeChecksum => "an event-stream message has a prelude with a wrong checksum",
            Self::Checksum => "an event-stream message has a wrong checksum",
            Self::Lengths => "an event-stream message has lengths that cannot be",
            Self::Headers => "an event-stream message has headers that cannot be read",
            Self::Payload => "an event-stream message holds no event that can be read",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Whole,
    Cut,
    Broken(Fault),
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    raw: Bytes,
    state: State,
}

impl Message {
    /// All bytes of a message whose length is known to be right.
    pub(super) fn whole(raw: Bytes) -> Self {
        let mut message = Self {
            raw,
            state: State::Whole,
        };
        if let Some(fault) = message.check() {
            message.state = State::Broken(fault);
        }
        message
    }

    pub(super) fn broken(raw: Bytes, fault: Fault) -> Self {
        Self {
            raw,
            state: State::Broken(fault),
        }
    }

    pub(super) fn cut(raw: Bytes) -> Self {
        Self {
            raw,
            state: State::Cut,
        }
    }

    /// The same, found to be not what it should be.
    pub(super) fn at_fault(self, fault: Fault) -> Self {
        Self::broken(self.raw, fault)
    }

    /// The bytes as they came.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// As [`raw`](Self::raw), given away.
    pub fn into_raw(self) -> Bytes {
        self.raw
    }

    /// False if the stream broke off in it.
    pub fn is_complete(&self) -> bool {
        self.state != State::Cut
    }

    /// Why it must not be believed.
    pub fn fault(&self) -> Option<Fault> {
        match self.state {
            State::Broken(fault) => Some(fault),
            State::Whole | State::Cut => None,
        }
    }

    /// The value of the first header of this name that is a string.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find_map(|header| match header? {
            (key, Value::Text(text)) if key == name => Some(text),
            _ => None,
        })
    }

    /// What kind of event, exception or error it is.
    pub fn name(&self) -> Option<&str> {
        self.header(match self.header(":message-type") {
            Some("exception") => ":exception-type",
            Some("error") => ":error-code",
            _ => ":event-type",
        })
    }

    /// Whether it tells of a failure, modelled (`exception`) or not (`error`).
    pub fn is_failure(&self) -> bool {
        matches!(self.header(":message-type"), Some("exception" | "error"))
    }

    /// The payload; `None` if there is none, or none that can be believed.
    pub fn data(&self) -> Option<Cow<'_, [u8]>> {
        let payload = self.parts()?.1;
        (!payload.is_empty()).then_some(Cow::Borrowed(payload))
    }

    fn headers(&self) -> Headers<'_> {
        Headers::of(self.parts().map_or(&[], |(headers, _)| headers))
    }

    /// Headers and payload of a message that is whole.
    fn parts(&self) -> Option<(&[u8], &[u8])> {
        if self.state != State::Whole {
            return None;
        }
        let headers = number(self.raw.get(4..8)?)?;
        let body = self.raw.get(PRELUDE..self.raw.len().checked_sub(4)?)?;
        body.split_at_checked(headers)
    }

    fn check(&self) -> Option<Fault> {
        let Some((covered, checksum)) = self.raw.split_last_chunk::<4>() else {
            return Some(Fault::Lengths);
        };
        if crc32fast::hash(covered) != u32::from_be_bytes(*checksum) {
            return Some(Fault::Checksum);
        }
        let readable = self.headers().all(|header| header.is_some());
        (!readable).then_some(Fault::Headers)
    }
}

/// The length of the message with this prelude.
pub(super) fn length(prelude: &[u8; PRELUDE]) -> Result<usize, Fault> {
    let [a, b, c, d, e, f, g, h, checksum @ ..] = *prelude;
    if crc32fast::hash(&[a, b, c, d, e, f, g, h]) != u32::from_be_bytes(checksum) {
        return Err(Fault::PreludeChecksum);
    }
    let (length, headers) = (number(&[a, b, c, d]), number(&[e, f, g, h]));
    let fits = |length: &usize| {
        let room = length.checked_sub(LEAST);
        room.zip(headers)
            .is_some_and(|(room, headers)| headers <= room)
    };
    length.filter(fits).ok_or(Fault::Lengths)
}

fn number(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
}
