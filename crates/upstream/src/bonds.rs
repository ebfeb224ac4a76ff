//! Who made which piece of state.
//!
//! Ids of responses, their items, files and containers, encrypted thoughts and signatures are only good with the
//! endpoint and credential that made them. As they pass by, their fingerprints are kept here with their maker, in
//! a bounded map that outlives reloads; a later call that carries one is bound to the targets that are that maker.
//! What is forgotten (the oldest first, or all of it at a restart) is found by affinity, if the caller gives one.
//! Else an earlier response is lost, an item or a file is looked for with one maker alone, always the same, and a
//! thought binds to nobody: a provider says itself what it cannot read.
//!
//! Towards a provider all callers are one, so it would hand one caller's stored responses to another. Whose
//! key a response was made with is remembered too, and to another key it does not exist.

use crate::{
    address::Address,
    spec::{Auth, TargetSpec},
    target::Target,
};
use punctual_core::{Bond, State, TargetId};
use punctual_wire::state::fingerprint;
use secrecy::ExposeSecret;
use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Whose key a piece was made with, as a fingerprint of its name.
pub(crate) type Owner = u64;

/// The owner where there are no keys.
const NOBODY: Owner = 0;

/// The owner of what is made for a caller with this key.
pub(crate) fn owner(key: Option<&str>) -> Owner {
    key.map_or(NOBODY, fingerprint)
}

/// Pieces that are remembered: 3 MiB at the most.
const REMEMBERED: usize = 65_536;

/// An endpoint with a credential, as a fingerprint that means nothing outside the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker(u64);

impl Maker {
    pub(crate) fn of(spec: &TargetSpec, address: &Address) -> Self {
        let mut hasher = DefaultHasher::new();
        address.absolute_form("").to_string().hash(&mut hasher);
        (&spec.site.project, &spec.site.location).hash(&mut hasher);
        match &spec.auth {
            Auth::Key(key) => key.expose_secret().hash(&mut hasher),
            Auth::ApiKey { key, .. } => key.expose_secret().hash(&mut hasher),
            // secrets do not show, but whose they are does
            other => format!("{other:?}").hash(&mut hasher),
        }
        for (name, value) in &spec.headers {
            (name.as_str(), value.as_bytes()).hash(&mut hasher);
        }
        Self(hasher.finish())
    }
}

/// The map.
#[derive(Debug, Default)]
pub(crate) struct Bonds {
    pieces: Mutex<Known>,
    /// Kept apart: what it is made of is the caller's to choose.
    affinities: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    makers: HashMap<u64, (Maker, Owner)>,
    oldest: VecDeque<u64>,
}

impl Known {
    /// The last maker counts; of what must be forgotten, the oldest goes first.
    fn remember(&mut self, piece: u64, maker: Maker, owner: Owner) {
        if self.makers.insert(piece, (maker, owner)).is_some() {
            return;
        }
        self.oldest.push_back(piece);
        if self.oldest.len() > REMEMBERED
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.makers.remove(&oldest);
        }
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A member of a plan that can serve a call.
pub(crate) struct Member<'a> {
    pub(crate) id: TargetId,
    pub(crate) target: &'a Arc<Target>,
    /// It speaks the caller's own API.
    pub(crate) native: bool,
}

impl Bonds {
    /// Remembers who made `piece` and for whom.
    pub(crate) fn remember(&self, piece: u64, maker: Maker, owner: Owner) {
        lock(&self.pieces).remember(piece, maker, owner);
    }

    /// Remembers who served a caller that names an affinity.
    pub(crate) fn served(&self, affinity: u64, maker: Maker, owner: Owner) {
        lock(&self.affinities).remember(affinity, maker, owner);
    }

    fn maker(&self, piece: u64) -> Option<(Maker, Owner)> {
        lock(&self.pieces).makers.get(&piece).copied()
    }

    /// Who can serve a call of `owner` with `state`, among `members`.
    pub(crate) fn bond(&self, state: &State, owner: Owner, members: &[Member<'_>]) -> Bond {
        let kept = state.required.iter().chain(&state.items);
        let kept: Vec<_> = kept.filter_map(|p| self.maker(*p)).collect();
        if kept.iter().any(|(_, theirs)| *theirs != owner) {
            return Bond::Lost;
        }
        let newest = |of: &[u64]| of.iter().rev().find_map(|p| self.maker(*p));
        let carried = || newest(&state.files).or_else(|| newest(&state.pieces));
        let affine = || {
            let known = lock(&self.affinities);
            let served = state.affinity.and_then(|a| known.makers.get(&a).copied());
            served.filter(|(_, theirs)| *theirs == owner)
        };
        let known = kept.into_iter().next();
        match known.or_else(carried).or_else(affine) {
            Some((maker, _)) => to(maker, members.iter()),
            None if !state.required.is_empty() => only_one(owner, members),
            None if !state.items.is_empty() || !state.files.is_empty() => first(members),
            None => Bond::Free,
        }
    }
}

/// The members that are this maker.
fn to<'m, 'a: 'm>(maker: Maker, members: impl Iterator<Item = &'m Member<'a>>) -> Bond {
    let are = members.filter(|member| member.target.maker == maker);
    let ids: Vec<TargetId> = are.map(|member| member.id).collect();
    match ids.is_empty() {
        true => Bond::Lost,
        false => Bond::To(ids),
    }
}

/// What is forgotten was made by somebody who speaks the caller's API; where there is but one, by that one.
/// With keys nothing is guessed: it may have been another key's.
fn only_one(owner: Owner, members: &[Member<'_>]) -> Bond {
    let mut native = members.iter().filter(|member| member.native);
    let Some(first) = native.next().filter(|_| owner == NOBODY) else {
        return Bond::Lost;
    };
    match native.all(|member| member.target.maker == first.target.maker) {
        true => to(first.target.maker, members.iter()),
        false => Bond::Lost,
    }
}

/// Who alone is asked about what nobody here saw made: it must not be looked for with one credential after
/// another, and who speaks the caller's API is the likeliest to have it.
fn first(members: &[Member<'_>]) -> Bond {
    let native = members.iter().find(|member| member.native);
    match native.or(members.first()) {
        Some(first) => to(first.target.maker, members.iter()),
        None => Bond::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_goes_first() {
        let bonds = Bonds::default();
        for piece in 0..=REMEMBERED as u64 {
            bonds.remember(piece, Maker(piece), 0);
        }
        assert_eq!(bonds.maker(0), None);
        assert_eq!(bonds.maker(1), Some((Maker(1), 0)));
        bonds.remember(1, Maker(7), 3);
        assert_eq!(bonds.maker(1), Some((Maker(7), 3)));
        let known = bonds.pieces.lock().unwrap();
        assert_eq!(known.makers.len(), REMEMBERED);
        assert_eq!(known.oldest.len(), REMEMBERED);
    }

    #[test]
    fn what_was_made_for_one_key_does_not_exist_for_another() {
        let bonds = Bonds::default();
        let (mine, yours) = (owner(Some("a")), owner(Some("b")));
        bonds.remember(1, Maker(1), mine);
        let state = |required: &[u64], pieces: &[u64]| State {
            required: required.to_vec(),
            pieces: pieces.to_vec(),
            ..State::default()
        };
        bonds.remember(2, Maker(2), yours);
        // whatever of their own stands beside it
        assert_eq!(bonds.bond(&state(&[1], &[2]), yours, &[]), Bond::Lost);
        assert_eq!(bonds.bond(&state(&[3], &[]), yours, &[]), Bond::Lost);
        assert_eq!(bonds.bond(&state(&[], &[3]), yours, &[]), Bond::Free);
        let item = State {
            items: vec![1],
            ..State::default()
        };
        assert_eq!(bonds.bond(&item, yours, &[]), Bond::Lost);
    }
}
