//! The tool calls of one choice, put together from fragments.
//!
//! OpenAI numbers calls and gives id and name with the first fragment only. Others send whole calls without
//! a number, give every call the number 0, or repeat the head in each fragment. Here a call begins when an
//! id or a name that is new says so; what has neither belongs to the call with its number, or to the last
//! one. Input is passed on as it is.

use std::borrow::Cow;

use crate::middle::Delta;

mod fragment;

pub(super) use fragment::Fragment;
use fragment::Slot;

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

/// The calls of one choice so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// How many of them were told.
    told: u32,
}

#[derive(Debug)]
struct Call {
    slot: Slot,
    id: String,
    name: String,
    /// Its number among those that were told.
    told: Option<u32>,
}

/// Calls further back than this get no more fragments.
const BACK: usize = 256;

impl Calls {
    /// Takes the next fragment and tells what is known by it.
    pub(super) fn take(&mut self, fragment: Fragment<'_>, choice: u32, sink: Sink<'_>) {
        let at = self.find(&fragment);
        self.fill(at, fragment, choice, sink);
    }

    /// Takes an element of a whole answer, which is a call however like another it is: there are servers that
    /// give several the same id.
    pub(super) fn whole(&mut self, fragment: Fragment<'_>, choice: u32, sink: Sink<'_>) {
        self.fill(None, fragment, choice, sink);
    }

    /// Adds a fragment to the call at this place, or to a new one.
    fn fill(&mut self, at: Option<usize>, fragment: Fragment<'_>, choice: u32, sink: Sink<'_>) {
        let known = fragment.input.is_some() || fragment.signature.is_some();
        if !fragment.is_head() && !known {
            return;
        }
        let at = at.unwrap_or(self.calls.len());
        if at == self.calls.len() {
            self.calls.push(Call {
                slot: fragment.slot,
                id: String::new(),
                name: String::new(),
                told: None,
            });
        }
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        for (kept, value) in [(&mut call.id, fragment.id), (&mut call.name, fragment.name)] {
            if let Some(value) = value.filter(|_| kept.is_empty()) {
                *kept = value.into_owned();
            }
        }
        if call.name.is_empty() && !known {
            return;
        }
        let index = call.tell(choice, &mut self.told, sink);
        if let Some(value) = fragment.signature {
            sink(Delta::CallSignature {
                choice,
                index,
                value,
            });
        }
        if let Some(json) = fragment.input {
            sink(Delta::ToolInput {
                choice,
                index,
                json,
            });
        }
    }

    /// At the end: tells the calls that never had more than an id.
    pub(super) fn finish(&mut self, choice: u32, sink: Sink<'_>) {
        for call in &mut self.calls {
            call.tell(choice, &mut self.told, sink);
        }
    }

    /// The call that a fragment belongs to; `None` if it begins one.
    fn find(&self, fragment: &Fragment<'_>) -> Option<usize> {
        let last = self.calls.len().checked_sub(1);
        let same = |call: &&Call| call.slot == fragment.slot;
        let found = match fragment.slot {
            Slot::Unnumbered => last.filter(|at| self.calls.get(*at).as_ref().is_some_and(same)),
            _ => {
                let back = self.calls.len().saturating_sub(BACK);
                let recent = self.calls.get(back..)?.iter();
                let from_end = recent.rev().position(|call| call.slot == fragment.slot);
                from_end.and_then(|n| self.calls.len().checked_sub(n + 1))
            }
        };
        match found.and_then(|at| self.calls.get(at)) {
            Some(call) if call.goes_on(fragment) => found,
            None if !fragment.is_head() => last,
            _ => None,
        }
    }
}

impl Call {
    /// Whether the fragment is one of this call's.
    fn goes_on(&self, fragment: &Fragment<'_>) -> bool {
        let same = |kept: &str, value: &Option<Cow<'_, str>>| {
            value
                .as_deref()
                .is_none_or(|v| kept.is_empty() || kept == v)
        };
        let whole = self.slot == Slot::Unnumbered;
        match fragment.slot {
            Slot::Legacy => true,
            // without numbers only the same id is the same call: two calls of one tool are two
            _ if whole && fragment.is_head() => {
                fragment.id.as_deref().is_some_and(|id| id == self.id)
            }
            _ => same(&self.id, &fragment.id) && same(&self.name, &fragment.name),
        }
    }

    /// Tells that it begins, once; its number.
    fn tell(&mut self, choice: u32, told: &mut u32, sink: Sink<'_>) -> u32 {
        if let Some(index) = self.told {
            return index;
        }
        let index = *told;
        *told = told.saturating_add(1);
        self.told = Some(index);
        if self.id.is_empty() {
            self.id = match choice {
                0 => format!("call_{index}"),
                choice => format!("call_{choice}_{index}"),
            };
        }
        sink(Delta::ToolCall {
            choice,
            index,
            id: Cow::Borrowed(&self.id),
            name: Cow::Borrowed(&self.name),
        });
        index
    }
}
