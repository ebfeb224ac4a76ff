//! What the judging of an answer needs to know of its request, and what must not be repeated of it.

use super::events::Events;
use crate::{
    fault::{self, Asked},
    target::Target,
    way::Way,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use punctual_core::{Call, Failure};
use punctual_wire::{
    Surface, Verdict,
    dialect::Judge,
    frame::Framing,
    middle::{self, Lost},
    peek,
};
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// What the judging of an answer needs to know.
pub(crate) struct Reader {
    pub(super) target: Arc<Target>,
    pub(super) way: Way,
    choices: u32,
    /// What the form of a translated answer depends on.
    pub(super) asked: middle::Asked,
    /// What the caller's calls have in common.
    affinity: Option<u64>,
    /// What the question lost on its way.
    pub(super) lost: Lost,
    /// The caller's own credential, where it was passed on.
    credential: Option<HeaderValue>,
    /// The usage chunk is there on our account only.
    pub(super) strips_usage: bool,
}

impl Reader {
    pub(crate) fn new(target: &Arc<Target>, way: Way, call: &Call, lost: Lost) -> Self {
        let credential = call.headers.get(header::AUTHORIZATION);
        Self {
            target: target.clone(),
            choices: call.choices,
            asked: asked(call, &way),
            affinity: call.state.affinity,
            lost,
            credential: credential.filter(|_| target.passes_credentials).cloned(),
            strips_usage: target.injects_usage(call, &way),
            way,
        }
    }

    pub(super) fn surface(&self) -> Surface {
        self.way.surface
    }

    /// A stream of the target's, to be judged.
    pub(super) fn events(&self, framing: Framing) -> Events {
        let limit = self.target.max_event_bytes;
        match self.way.via.stream(self.choices, &self.asked) {
            Some((decode, encode)) => Events::translated(decode, encode, framing, limit),
            None => Events::relayed(self.judge(), framing, limit),
        }
    }

    /// A stream that was made of a whole answer and is in the caller's words already.
    pub(super) fn made(&self) -> Events {
        let api = punctual_wire::Api::of(self.surface());
        let judge = api.judge(self.surface(), self.choices);
        Events::relayed(judge, Framing::Sse, self.target.max_event_bytes)
    }

    /// With what was signed for this request: it must not be repeated either.
    pub(crate) fn signed(mut self, credential: Option<&HeaderMap>) -> Self {
        let value = credential.and_then(|headers| headers.get(header::AUTHORIZATION));
        self.credential = value.cloned().or(self.credential);
        self
    }

    fn judge(&self) -> Box<dyn Judge> {
        self.way.api.judge(self.surface(), self.choices)
    }

    pub(super) fn judged(&self, verdict: &Verdict, json: &Bytes) -> Box<Failure> {
        let asked = self.asked();
        self.with_secrets(|secrets| fault::judged(asked, verdict, json, secrets))
    }

    /// What a failure is judged by.
    pub(crate) fn asked(&self) -> Asked<'_> {
        Asked {
            target: &self.target.name,
            surface: self.surface(),
            stored: self.way.stored,
        }
    }

    /// Whether an answer's id is state: where a later call can continue it.
    pub(super) fn keeps_ids(&self) -> bool {
        self.surface() == Surface::Responses && self.way.via.is_relay()
    }

    /// The target made this piece of state.
    pub(super) fn made_state(&self, piece: u64) {
        self.target.bonds.remember(piece, self.target.maker);
        if let Some(affinity) = self.affinity {
            self.target.bonds.remember(affinity, self.target.maker);
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

fn asked(call: &Call, way: &Way) -> middle::Asked {
    // the clock is read for those only who will write it
    let now = match way.via.is_relay() {
        true => 0,
        false => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs()),
    };
    middle::Asked {
        model: call.model.clone(),
        id: call.id.clone(),
        now,
        include_usage: call.include_usage,
        base64: !way.via.is_relay() && peek::wants_base64(&call.body),
    }
}
