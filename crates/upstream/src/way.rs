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
}

impl Way {
    /// `None` where the target does not serve the surface.
    pub(crate) fn of(target: &Target, surface: Surface, model: &str, stream: bool) -> Option<Self> {
        let rules: &Rules = target.rules;
        let api = (rules.api)(surface, model)?;
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
        })
    }

    /// The target's own API for conversations, without a translation.
    pub(crate) fn native(target: &Target, surface: Surface, call: &Call) -> Option<Self> {
        let rules: &Rules = target.rules;
        let model = target.model(call);
        let api = (rules.api)(surface, model)?;
        let path = (rules.path)(&target.site, api, model, call.stream);
        Some(Self {
            surface,
            api,
            via: Via::Relay,
            uri: target.uri(&path),
        })
    }

    /// What is passed on as it is, at a path of the caller's choice below the base URL.
    pub(crate) fn raw(target: &Target, path: &str) -> Option<Self> {
        Some(Self {
            surface: Surface::Passthrough,
            api: Api::Raw,
            via: Via::Relay,
            uri: target.uri(path),
        })
    }

    /// A call that names something made before (`/responses/{id}`) goes to that, below the surface's path.
    pub(crate) fn below(mut self, target: &Target, call: &Call) -> Self {
        if let Some(path) = call.path.as_deref() {
            self.uri = target.uri(path);
        }
        self
    }
}
