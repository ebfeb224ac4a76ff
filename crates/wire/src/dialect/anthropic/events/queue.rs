//! What waits until the call before it can be closed.
//!
//! Chat upstreams tell several calls at once and do not say when one is whole, and text may come in the middle
//! of one; blocks cannot be mixed and nothing can be added to a closed one. So a call is taken for whole when
//! its input is a whole JSON value. Usually that is so when something else begins, and nothing waits; where
//! pieces come mixed, all that comes later waits in its order for the call's last piece, or for the end. What
//! waits is bounded, and to cut a call short instead would have the caller run a tool with half its input.

use std::{borrow::Cow, collections::VecDeque};

use crate::middle::Json;

/// Bytes that may wait, with what it costs to keep them.
const WAITING: usize = 1 << 20;
/// Bytes that one of them costs beside its text, at the most.
const EACH: usize = 128;

/// Something that is not a call, in the order of its coming.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Thought(Cow<'a, str>),
    Signature(Cow<'a, str>),
    Redacted(Cow<'a, str>),
    Citation(Cow<'a, str>),
    Whole(Cow<'a, Json>),
}

impl Content<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text)
            | Self::Thought(text)
            | Self::Signature(text)
            | Self::Redacted(text)
            | Self::Citation(text) => text.len(),
            Self::Whole(json) => json.as_str().len(),
        }
    }

    fn into_owned(self) -> Content<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Text(text) => Content::Text(own(text)),
            Self::Thought(text) => Content::Thought(own(text)),
            Self::Signature(text) => Content::Signature(own(text)),
            Self::Redacted(text) => Content::Redacted(own(text)),
            Self::Citation(text) => Content::Citation(own(text)),
            Self::Whole(json) => Content::Whole(Cow::Owned(json.into_owned())),
        }
    }
}

/// A call that has not been told yet.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) index: u32,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) json: String,
    /// Nothing more comes of it.
    pub(super) done: bool,
}

impl Held {
    pub(super) fn new(index: u32, id: &str, name: &str) -> Self {
        Self {
            index,
            id: id.to_owned(),
            name: name.to_owned(),
            json: String::new(),
            done: false,
        }
    }
}

/// One that waits.
#[derive(Debug)]
pub(super) enum Waiting {
    Call(Held),
    Content(Content<'static>),
}

impl Waiting {
    fn bytes(&self) -> usize {
        EACH + match self {
            Self::Call(call) => call.id.len() + call.name.len() + call.json.len(),
            Self::Content(content) => content.bytes(),
        }
    }
}

/// Those that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
}

impl Queue {
    pub(super) fn call(&mut self, call: Held) {
        self.push(Waiting::Call(call));
    }

    /// Adds content; a text goes on where one goes on already.
    pub(super) fn content(&mut self, content: Content<'_>) {
        match (self.waiting.back_mut(), &content) {
            (Some(Waiting::Content(Content::Text(before))), Content::Text(text))
            | (Some(Waiting::Content(Content::Thought(before))), Content::Thought(text)) => {
                before.to_mut().push_str(text);
                self.bytes += text.len();
            }
            _ => self.push(Waiting::Content(content.into_owned())),
        }
    }

    fn push(&mut self, one: Waiting) {
        self.bytes += one.bytes();
        self.waiting.push_back(one);
    }

    /// Adds input to a call that waits; false if none of that index does.
    pub(super) fn input(&mut self, index: u32, json: &str) -> bool {
        let Some(call) = self.calls(index).next() else {
            return false;
        };
        call.json.push_str(json);
        self.bytes += json.len();
        true
    }

    pub(super) fn done(&mut self, index: u32) {
        self.calls(index).for_each(|call| call.done = true);
    }

    fn calls(&mut self, index: u32) -> impl Iterator<Item = &mut Held> {
        self.waiting.iter_mut().filter_map(move |one| match one {
            Waiting::Call(call) if call.index == index => Some(call),
            _ => None,
        })
    }

    pub(super) fn next(&mut self) -> Option<Waiting> {
        let one = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(one.bytes());
        Some(one)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// More waits than may.
    pub(super) fn is_over(&self) -> bool {
        self.bytes > WAITING
    }
}
