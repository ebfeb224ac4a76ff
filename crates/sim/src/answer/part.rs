//! One write of an answer's body.
//!
//! Parts are kept as events rather than bytes until they are sent, so that line ends and compression can
//! be chosen by words that know nothing of the content.

use std::time::Duration;

use bytes::Bytes;

use super::Shape;
use super::frame::Damage;
use crate::surface::Voice;

/// What a part means to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Before the first content, and no content itself.
    Preamble,
    /// A delta of text, refusal or reasoning.
    Content,
    /// A large delta of text, which no pace slows down.
    Large,
    /// A delta of tool input.
    Tool,
    /// The whole unary body, or a piece of it.
    Body,
    Finish,
    Usage,
    Done,
    /// Comments, garbage, in-band errors.
    Noise,
}

impl Kind {
    pub(crate) fn is_content(self) -> bool {
        matches!(self, Self::Content | Self::Large | Self::Tool | Self::Body)
    }

    pub(crate) fn is_ending(self) -> bool {
        matches!(self, Self::Finish | Self::Usage | Self::Done)
    }
}

/// When a part is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// This long behind the part before it.
    After(Duration),
    /// This long behind the head.
    At(Duration),
}

/// What a part says. How it is written is up to the [`Wire`](super::Wire) of the answer.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Event {
        name: Option<&'static str>,
        data: String,
    },
    /// An error that event streams mark as such; elsewhere a plain event.
    Exception {
        name: String,
        data: String,
    },
    /// An error in the headers of an event stream message; elsewhere a plain event of `data`.
    Failure {
        code: String,
        message: String,
        data: String,
    },
    /// An event whose message carries a wrong sum, where messages have sums.
    Damaged(Damage, String),
    Comment(&'static str),
    Raw(Bytes),
    /// What closes the stream's own framing.
    Close,
}

impl Content {
    pub(crate) fn data(data: String) -> Self {
        Self::Event { name: None, data }
    }

    /// An event whose name is also its JSON `type`; `members` follow it.
    pub(crate) fn event(name: &'static str, members: &str) -> Self {
        Self::named(name, format!(r#"{{"type":"{name}"{members}}}"#))
    }

    /// An event with a name.
    pub(crate) fn named(name: &'static str, data: String) -> Self {
        Self::Event {
            name: Some(name),
            data,
        }
    }
}

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) wait: Wait,
    pub(crate) kind: Kind,
    pub(crate) content: Content,
}

impl Part {
    pub(crate) fn now(kind: Kind, content: Content) -> Self {
        Self {
            wait: Wait::After(Duration::ZERO),
            kind,
            content,
        }
    }
    /// Lets the voice write what depends on the part's place in the stream.
    pub(crate) fn stamp(&mut self, voice: &dyn Voice, shape: &Shape, place: Place) {
        if let Content::Event { data, .. } = &mut self.content {
            voice.stamp(data, shape, place);
        }
    }
}

/// Where in a stream a part stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// How many parts come before it.
    pub(crate) event: usize,
    /// How many deltas of content there are up to and with it.
    pub(crate) contents: usize,
}
