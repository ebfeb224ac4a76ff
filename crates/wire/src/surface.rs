//! The inbound APIs.
//!
//! A surface decides which members of a request matter, what counts as content in an answer and
//! how errors look. It is a name only: what is done with it lives beside the bytes concerned.

use std::fmt;

/// An inbound API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Surface {
    /// `POST /v1/chat/completions`
    Chat,
    /// `POST /v1/completions`, the legacy text API
    Completions,
    /// `POST /v1/embeddings`
    Embeddings,
}

impl Surface {
    /// All surfaces, in the order in which they are documented.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Completions, Self::Embeddings];

    /// The name used in spans (`request.<name>`), metrics and configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
            Self::Embeddings => "embeddings",
        }
    }

    /// Whether an answer on this surface can be streamed.
    pub const fn streams(self) -> bool {
        match self {
            Self::Chat | Self::Completions => true,
            Self::Embeddings => false,
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
