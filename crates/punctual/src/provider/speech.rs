//! How each API is written and read.

use crate::{leaf::Speech, provider::picture};
use punctual_core::Surface;
use punctual_wire::{dialect, frame::Framing, middle::UpstreamCodec};

const fn conversation(codec: &'static UpstreamCodec) -> Speech {
    Speech {
        surface: Surface::Chat,
        codec,
        framing: Framing::Sse,
        streams: true,
    }
}

/// Conversations in the words of chat completions.
pub(super) const CHAT: Speech = conversation(&dialect::openai::codec::UPSTREAM);
pub(super) const RESPONSES: Speech = CHAT;
pub(super) const MESSAGES: Speech = CHAT;
pub(super) const VERTEX_MESSAGES: Speech = CHAT;
pub(super) const GEMINI: Speech = CHAT;
pub(super) const CONVERSE: Speech = CHAT;
pub(super) const OLLAMA: Speech = CHAT;

const fn unary(surface: Surface, codec: &'static UpstreamCodec) -> Speech {
    Speech {
        surface,
        codec,
        framing: Framing::Sse,
        streams: false,
    }
}

/// A prompt in, pictures out.
pub(super) const PICTURES: Speech = unary(Surface::Images, &picture::CODEC);

/// One JSON object in, one out.
pub(super) const OBJECT: Speech = unary(Surface::SystemOne, &picture::OBJECT);
