//! How each API is written and read.
//!
//! Every client speaks its provider's own API through that API's codec; nothing is translated twice. Where
//! the engine has a name for the API it goes by that, so that a provider that answers a stream in one piece
//! is understood too.

use crate::{leaf::Speech, provider::picture};
use punctual_core::Surface;
use punctual_wire::{
    dialect::{anthropic, bedrock, gemini, ollama, openai, responses},
    frame::Framing,
    middle::UpstreamCodec,
};

const fn conversation(surface: Surface, codec: &'static UpstreamCodec, framing: Framing) -> Speech {
    Speech {
        surface,
        codec,
        framing,
        streams: true,
        native: true,
    }
}

pub(super) const CHAT: Speech = conversation(Surface::Chat, &openai::codec::UPSTREAM, Framing::Sse);
pub(super) const RESPONSES: Speech =
    conversation(Surface::Responses, &responses::UPSTREAM, Framing::Sse);
pub(super) const MESSAGES: Speech =
    conversation(Surface::Messages, &anthropic::UPSTREAM, Framing::Sse);
pub(super) const GEMINI: Speech = conversation(Surface::Chat, &gemini::UPSTREAM, Framing::Sse);
pub(super) const CONVERSE: Speech =
    conversation(Surface::Chat, &bedrock::UPSTREAM, Framing::EventStream);
/// The events are out of their chunks before they come here.
pub(super) const INVOKED: Speech = conversation(Surface::Messages, &bedrock::INVOKE, Framing::Sse);
pub(super) const OLLAMA: Speech = conversation(Surface::Chat, &ollama::UPSTREAM, Framing::Lines);

const fn unary(surface: Surface, codec: &'static UpstreamCodec) -> Speech {
    Speech {
        surface,
        codec,
        framing: Framing::Sse,
        streams: false,
        native: true,
    }
}

/// A prompt in, pictures out.
pub(super) const PICTURES: Speech = unary(Surface::Images, &picture::CODEC);
/// The same, to be put into the words of a provider that has others.
pub(super) const TRANSLATED_PICTURES: Speech = Speech {
    native: false,
    ..PICTURES
};
/// One JSON object in, one out.
pub(super) const OBJECT: Speech = unary(Surface::SystemOne, &picture::OBJECT);
