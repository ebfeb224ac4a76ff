//! One write of an answer's body.
//!
//! Parts are kept as events rather than bytes until they are sent, so that line ends and compression can
//! be chosen by words that know nothing of the content.

use std::time::Duration;

use bytes::Bytes;

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

/// What a part says.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Event {
        name: Option<&'static str>,
        data: String,
    },
    Comment(&'static str),
    Raw(Bytes),
}

impl Content {
    pub(crate) fn data(data: String) -> Self {
        Self::Event { name: None, data }
    }

    /// An event whose name is also its JSON `type`; `members` follow it.
    pub(crate) fn event(name: &'static str, members: &str) -> Self {
        Self::Event {
            name: Some(name),
            data: format!(r#"{{"type":"{name}"{members}}}"#),
        }
    }

    /// The bytes, with the given line end.
    pub(crate) fn bytes(&self, end: &str) -> Bytes {
        match self {
            Self::Event {
                name: Some(name),
                data,
            } => format!("event: {name}{end}data: {data}{end}{end}").into(),
            Self::Event { name: None, data } => format!("data: {data}{end}{end}").into(),
            Self::Comment(text) => format!(": {text}{end}{end}").into(),
            Self::Raw(bytes) => bytes.clone(),
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
}
