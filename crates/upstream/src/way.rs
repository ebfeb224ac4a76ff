//! How one target serves one surface: which API, by which translation, at which address.
//!
//! Where nothing of it depends on the call it is computed once, with the target.

use crate::{dialect::Rules, target::Target};
use http::Uri;
use punctual_core::Call;
use punctual_wire::{Api, Surface, Via};

/// The way from a surface to a target.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) surface: Surface,
    pub(crate) api: Api,
    pub(crate) via: Via,
    pub(crate) uri: Uri,
    /// It is about something made before, named by its path.
    pub(crate) stored: bool,
}

impl Way {
    /// `None` where the target does not serve the surface.
    pub(crate) fn of(target: &Target, surface: Surface, model: &str, stream: bool) -> Option<Self> {
        let rules: &Rules = target.rules;
        let api = (rules.api)(&target.site, surface, model)?;
        let via = Via::between(surface, api)?;
        let path = match api {
            Api::Raw => String::new(),
            api => (rules.path)(&target.site, api, model, stream),
        };
        Some(Self {
            surface,
            api,
            via,
            uri: target.uri(&path),
            stored: false,
        })
    }

    /// The target's own API for conversations, without a translation.
    pub(crate) fn native(target: &Target, surface: Surface, call: &Call) -> Option<Self> {
        let rules: &Rules = target.rules;
        let model = target.model(call);
        let api = (rules.api)(&target.site, surface, model)?;
        let path = (rules.path)(&target.site, api, model, call.stream);
        Some(Self {
            surface,
            api,
            via: Via::Relay,
            uri: target.uri(&path),
            stored: false,
        })
    }

    /// What is passed on as it is, at a path of the caller's choice below the base URL.
    pub(crate) fn raw(target: &Target, path: &str) -> Option<Self> {
        Some(Self {
            surface: Surface::Passthrough,
            api: Api::Raw,
            via: Via::Relay,
            uri: target.uri(path),
            stored: false,
        })
    }

    /// A call that names something made before (`/responses/{id}`) goes to that, below the surface's path.
    /// Only who speaks the surface itself can have made it.
    pub(crate) fn below(self, target: &Target, call: &Call) -> Option<Self> {
        let Some(path) = call.path.as_deref() else {
            return Some(self);
        };
        self.via.is_relay().then(|| Self {
            uri: target.uri(path),
            stored: true,
            ..self
        })
    }
}
