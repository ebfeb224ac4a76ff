//! Who made which piece of state.
//!
//! Response ids, encrypted thoughts and signatures are only good with the endpoint and credential that made
//! them. As they pass by, their fingerprints are kept here with their maker, in a bounded map that outlives
//! reloads; a later call that carries one is bound to the targets that are that maker. What is forgotten (the
//! oldest first, or all of it at a restart) is found by affinity, if the caller gives one, or not at all.

use crate::{
    address::Address,
    spec::{Auth, TargetSpec},
    target::Target,
};
use punctual_core::{Bond, State, TargetId};
use secrecy::ExposeSecret;
use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

/// Pieces that are remembered: 2 MiB at the most.
const REMEMBERED: usize = 65_536;

/// An endpoint with a credential, as a fingerprint that means nothing outside the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker(u64);

impl Maker {
    pub(crate) fn of(spec: &TargetSpec, address: &Address) -> Self {
        let mut hasher = DefaultHasher::new();
        address.origin().to_string().hash(&mut hasher);
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
pub(crate) struct Bonds(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    makers: HashMap<u64, Maker>,
    oldest: VecDeque<u64>,
}

impl Bonds {
    /// Remembers who made `piece`; the last maker counts.
    pub(crate) fn remember(&self, piece: u64, maker: Maker) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.makers.insert(piece, maker).is_some() {
            return;
        }
        known.oldest.push_back(piece);
        if known.oldest.len() > REMEMBERED
            && let Some(oldest) = known.oldest.pop_front()
        {
            known.makers.remove(&oldest);
        }
    }

    fn maker(&self, piece: u64) -> Option<Maker> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.makers.get(&piece).copied()
    }

    /// Who can serve a call with `state`. `members` are the targets of its plan that serve its surface as it
    /// is, for only they can have made what it carries.
    pub(crate) fn bond(&self, state: &State, members: &[(TargetId, &Arc<Target>)]) -> Bond {
        if state.pieces.is_empty() {
            return Bond::Free;
        }
        let known = state.pieces.iter().rev().find_map(|p| self.maker(*p));
        let affine = || state.affinity.and_then(|a| self.maker(a));
        let to = |maker: Maker| {
            let are = members.iter().filter(|(_, target)| target.maker == maker);
            let ids: Vec<TargetId> = are.map(|(id, _)| *id).collect();
            if ids.is_empty() {
                Bond::Lost
            } else {
                Bond::To(ids)
            }
        };
        match known.or_else(affine) {
            Some(maker) => to(maker),
            None if !state.required => Bond::Free,
            // forgotten: where there is but one who can have made it, it was that one
            None => match members.first() {
                Some((_, first)) if members.iter().all(|(_, t)| t.maker == first.maker) => {
                    to(first.maker)
                }
                _ => Bond::Lost,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_goes_first() {
        let bonds = Bonds::default();
        for piece in 0..=REMEMBERED as u64 {
            bonds.remember(piece, Maker(piece));
        }
        assert_eq!(bonds.maker(0), None);
        assert_eq!(bonds.maker(1), Some(Maker(1)));
        bonds.remember(1, Maker(7));
        assert_eq!(bonds.maker(1), Some(Maker(7)));
        let known = bonds.0.lock().unwrap();
        assert_eq!(known.makers.len(), REMEMBERED);
        assert_eq!(known.oldest.len(), REMEMBERED);
    }
}
