//! What the judging of an answer needs to know of its request, and what must not be repeated of it.

use super::events::Events;
use crate::{
    bonds::{self, Owner},
    fault::{self, Asked},
    request,
    target::Target,
    way::Way,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use punctual_core::{Call, Failure};
use punctual_wire::{
    Surface, Verdict,
    dialect::{Judge, responses},
    frame::Framing,
    middle::{self, Lost},
    state::Told,
};
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// What the judging of an answer needs to know.
#[derive(Clone)]
pub(crate) struct Reader {
    pub(super) target: Arc<Target>,
    pub(super) way: Way,
    choices: u32,
    /// What the form of a translated answer depends on.
    pub(super) asked: middle::Asked,
    /// What the caller's calls have in common.
    affinity: Option<u64>,
    /// Whose state it is that the target makes.
    owner: Owner,
    /// What the question lost on its way.
    pub(super) lost: Lost,
    /// Credentials that are not the target's own: the caller's, where they were passed on, and what was fetched
    /// or signed for this request.
    credentials: Vec<HeaderValue>,
    /// The usage chunk is there on our account only.
    pub(super) strips_usage: bool,
}

impl Reader {
    pub(crate) fn new(
        target: &Arc<Target>,
        way: Way,
        call: &Call,
        lost: Lost,
        base64: bool,
    ) -> Self {
        let own = request::own_credentials(target, call);
        Self {
            target: target.clone(),
            choices: call.choices,
            asked: asked(call, &way, base64),
            affinity: call.state.affinity,
            owner: bonds::owner(call.key.as_deref()),
            lost,
            credentials: own.map(|(_, value)| value.clone()).collect(),
            strips_usage: target.injects_usage(call, &way),
            way,
        }
    }

    /// With the count of tokens that the head of the answer tells where its body does not.
    pub(super) fn counted(mut self, head: &HeaderMap) -> Self {
        let header = self.way.api.counted_in().and_then(|name| head.get(name));
        let count = header.and_then(|value| value.to_str().ok()?.parse().ok());
        self.asked.counted = count;
        self
    }

    pub(super) fn surface(&self) -> Surface {
        self.way.surface
    }

    /// A stream of the target's, to be judged.
    pub(super) fn events(&self, framing: Framing) -> Events {
        let limit = self.target.max_event_bytes;
        match self.way.via.stream(self.choices, &self.asked) {
            Some((decode, encode)) => Events::translated(decode, encode, framing, limit),
            None => Events::relayed(self.judge(), self.told(), framing, limit),
        }
    }

    /// A stream that was made of a whole answer and is in the caller's words already: the target's own words,
    /// where bytes go through.
    pub(super) fn made(&self) -> Events {
        if self.way.via.is_relay() {
            return self.events(self.way.api.framing().written());
        }
        let api = punctual_wire::Api::of(self.surface());
        let judge = api.judge(self.surface(), self.choices);
        Events::relayed(judge, None, Framing::Sse, self.target.max_event_bytes)
    }

    /// With what was signed for this request: it must not be repeated either.
    pub(crate) fn signed(mut self, credential: Option<&HeaderMap>) -> Self {
        let values = credential.into_iter().flat_map(HeaderMap::values);
        let secret = values.filter(|value| value.is_sensitive());
        self.credentials.extend(secret.cloned());
        self
    }

    /// The target serves this caller: its other calls of one kind are best served there too.
    pub(super) fn serves(&self) {
        if let Some(affinity) = self.affinity {
            let (maker, owner) = (self.target.maker, self.owner);
            self.target.bonds.served(affinity, maker, owner);
        }
    }

    fn judge(&self) -> Box<dyn Judge> {
        if self.way.stored {
            return responses::stored_judge();
        }
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
            via: self.way.via,
            id: &self.asked.id,
            stored: self.way.stored,
        }
    }

    /// Looks in an answer for what stays with the provider: where its own words go through.
    pub(super) fn told(&self) -> Option<Told> {
        let relays = self.way.via.is_relay();
        relays.then(|| Told::of(self.surface())).flatten()
    }

    /// Whether an answer's id is state: where a later call can continue it.
    pub(super) fn keeps_ids(&self) -> bool {
        self.surface() == Surface::Responses && self.way.via.is_relay()
    }

    /// The target made this piece of state.
    pub(super) fn made_state(&self, piece: u64) {
        let (maker, owner) = (self.target.maker, self.owner);
        self.target.bonds.remember(piece, maker, owner);
    }

    /// Calls `f` with everything that must not be repeated.
    pub(crate) fn with_secrets<T>(&self, f: impl FnOnce(&[&str]) -> T) -> T {
        let own = self.credentials.iter().filter_map(|v| v.to_str().ok());
        // with the scheme and without, whichever the upstream repeats
        let bare = own
            .clone()
            .filter_map(|v| v.split_once(' '))
            .map(|(_, bare)| bare);
        let secrets: Vec<&str> = self.target.secrets().chain(bare).chain(own).collect();
        f(&secrets)
    }
}

fn asked(call: &Call, way: &Way, base64: bool) -> middle::Asked {
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
        base64,
        counted: None,
    }
}
