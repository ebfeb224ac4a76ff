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
    /// `POST /v1/responses`
    Responses,
    /// `POST /v1/messages`, Anthropic's API
    Messages,
    /// `POST /v1/messages/count_tokens`
    CountTokens,
    /// `POST /v1/images/generations`
    Images,
    /// `POST /v1/systemone`, TypeSafe's API
    SystemOne,
    /// Anything a provider offers, as it is; nothing of it is read.
    Passthrough,
}

impl Surface {
    /// All surfaces, in the order in which they are documented.
    pub const ALL: [Self; 9] = [
        Self::Chat,
        Self::Completions,
        Self::Embeddings,
        Self::Responses,
        Self::Messages,
        Self::CountTokens,
        Self::Images,
        Self::SystemOne,
        Self::Passthrough,
    ];

    /// The name used in spans (`request.<name>`), metrics and configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
            Self::Embeddings => "embeddings",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Images => "images",
            Self::SystemOne => "systemone",
            Self::Passthrough => "passthrough",
        }
    }

    /// Whether an answer on this surface can be streamed.
    pub const fn streams(self) -> bool {
        match self {
            Self::Chat | Self::Completions | Self::Responses | Self::Messages => true,
            Self::Embeddings | Self::CountTokens | Self::Images | Self::SystemOne => false,
            Self::Passthrough => true,
        }
    }

    /// Whether its callers speak Anthropic's API.
    pub const fn is_anthropic(self) -> bool {
        matches!(self, Self::Messages | Self::CountTokens)
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
