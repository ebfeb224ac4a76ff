//! What an answer has told about itself, and what of it is kept.
//!
//! Events tell it one by one; a whole answer tells all of it at once, also where events were made of it
//! afterwards. Only one of the two counts, but what either API had no place for is named from both.

use super::Answer;
use crate::dialect;
use punctual_core::Summary;
use punctual_wire::{middle::Lost, state::fingerprint, via::Translated};
use std::sync::Arc;

impl Answer {
    /// Keeps what a whole answer says about itself, and what only its maker can continue.
    pub(super) fn learn(&mut self, answer: &Translated) {
        self.summary = dialect::summary(&answer.summary);
        self.summary.dropped = names(Some(&answer.lost));
        let id = answer.summary.id.as_deref();
        let id = id.filter(|_| self.reader.keeps_ids()).map(fingerprint);
        let state = answer.summary.state.iter().copied();
        state
            .chain(id)
            .for_each(|piece| self.reader.made_state(piece));
    }

    /// What events have told, or the whole answer that they were made of.
    pub(super) fn told(&self, events: Summary) -> Summary {
        let mut summary = match self.made {
            false => events,
            true => Summary {
                content_events: events.content_events,
                dropped_bytes: events.dropped_bytes,
                ..self.summary.clone()
            },
        };
        add(&mut summary.dropped, &self.summary.dropped);
        summary
    }
}

/// The names of what was lost.
pub(super) fn names(lost: Option<&Lost>) -> Vec<Arc<str>> {
    let names = lost.into_iter().flat_map(Lost::names);
    names.map(Arc::from).collect()
}

/// Adds those that are not there.
pub(super) fn add(names: &mut Vec<Arc<str>>, more: &[Arc<str>]) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}
