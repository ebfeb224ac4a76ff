//! In whose words a caller is answered.
//!
//! A surface says it by itself. On a path that several APIs share, or that nobody has, the one header tells
//! that all of Anthropic's clients send and nobody else does.

use super::place::Place;
use http::HeaderMap;
use punctual_core::Surface as Core;
use punctual_wire::Surface;

/// The surface whose errors the caller reads.
pub(super) fn of(place: Place<'_>, headers: &HeaderMap) -> Surface {
    match place {
        Place::Ask(ask) if ask.surface() != Core::Passthrough => wire(ask.surface()),
        _ if headers.contains_key("anthropic-version") => Surface::Messages,
        Place::Ask(_) => Surface::Passthrough,
        _ => Surface::Chat,
    }
}

/// The engine's surface as `wire` names it.
pub(crate) fn wire(surface: Core) -> Surface {
    match surface {
        Core::Completions => Surface::Completions,
        Core::Embeddings => Surface::Embeddings,
        Core::Responses => Surface::Responses,
        Core::Messages => Surface::Messages,
        Core::CountTokens => Surface::CountTokens,
        Core::Images => Surface::Images,
        Core::SystemOne => Surface::SystemOne,
        Core::Passthrough => Surface::Passthrough,
        _ => Surface::Chat,
    }
}
