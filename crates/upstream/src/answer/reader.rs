//! What the judging of an answer needs to know of its request, and what must not be repeated of it.

use super::events::Events;
use crate::{
    fault::{self, Asked},
    target::Target,
};
use bytes::Bytes;
use http::{HeaderValue, header};
use punctual_core::{Call, Failure};
use punctual_wire::{Surface, Verdict};
use std::sync::Arc;

/// What the judging of an answer needs to know.
pub(crate) struct Reader {
    pub(super) target: Arc<Target>,
    pub(super) surface: Surface,
    choices: u32,
    /// The caller's own credential, where it was passed on.
    credential: Option<HeaderValue>,
    /// The usage chunk is there on our account only.
    pub(super) strips_usage: bool,
}

impl Reader {
    pub(crate) fn new(target: &Arc<Target>, surface: Surface, call: &Call) -> Self {
        let credential = call.headers.get(header::AUTHORIZATION);
        Self {
            target: target.clone(),
            surface,
            choices: call.choices,
            credential: credential.filter(|_| target.passes_credentials).cloned(),
            strips_usage: target.injects_usage(call),
        }
    }

    /// A stream to be judged.
    pub(super) fn events(&self) -> Events {
        let judge = (self.target.rules.judge)(self.surface, self.choices);
        Events::new(judge, self.target.max_event_bytes)
    }

    pub(super) fn judged(&self, verdict: &Verdict, json: &Bytes) -> Box<Failure> {
        let asked = self.asked();
        self.with_secrets(|secrets| fault::judged(asked, verdict, json, secrets))
    }

    /// What a failure is judged by.
    pub(crate) fn asked(&self) -> Asked<'_> {
        Asked {
            target: &self.target.name,
            surface: self.surface,
        }
    }

    /// Calls `f` with everything that must not be repeated.
    pub(crate) fn with_secrets<T>(&self, f: impl FnOnce(&[&str]) -> T) -> T {
        let own = self.credential.as_ref().and_then(|v| v.to_str().ok());
        // with the scheme and without, whichever the upstream repeats
        let bare = own.and_then(|v| v.split_once(' ')).map(|(_, bare)| bare);
        let secrets: Vec<&str> = self.target.secrets().chain(bare).chain(own).collect();
        f(&secrets)
    }
}
