//! A piece of a tool call, as one event or one answer has it.
//!
//! Whatever is absent, `null`, empty or of a surprising type is not there.

use std::borrow::Cow;

use super::super::loose;
use crate::json;

/// One element of `tool_calls`, or a legacy `function_call`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Fragment<'a> {
    pub(super) slot: Slot,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) input: Option<Cow<'a, str>>,
    /// Gemini's thought signature.
    pub(super) signature: Option<Cow<'a, str>>,
}

/// How fragments of a call find one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot {
    #[default]
    Unnumbered,
    At(u64),
    Legacy,
}

impl<'a> Fragment<'a> {
    /// Says nothing if `call` is not an object.
    pub(in super::super) fn read(call: &'a str) -> Self {
        let names = ["index", "id", "function", "custom", "extra_content"];
        let Some([index, id, function, custom, extra]) = json::members(call, &names) else {
            return Self::default();
        };
        let [name, arguments] = function
            .and_then(|f| json::members(f, &["name", "arguments"]))
            .unwrap_or_default();
        let [custom_name, custom_input] = custom
            .and_then(|c| json::members(c, &["name", "input"]))
            .unwrap_or_default();
        let signature = extra
            .and_then(|extra| json::member(extra, "google"))
            .and_then(|google| json::member(google, "thought_signature"));
        Self {
            slot: index
                .and_then(json::count)
                .map_or(Slot::Unnumbered, Slot::At),
            id: id.and_then(loose::text),
            name: name.or(custom_name).and_then(loose::text),
            input: arguments.and_then(input).or(custom_input.and_then(input)),
            signature: signature.and_then(loose::text),
        }
    }

    /// A `function_call`, of which there is one in a choice.
    pub(in super::super) fn legacy(call: &'a str) -> Self {
        let [name, arguments] = json::members(call, &["name", "arguments"]).unwrap_or_default();
        Self {
            slot: Slot::Legacy,
            // the head of a legacy call may come without a name
            name: Some(name.and_then(loose::text).unwrap_or_default()),
            input: arguments.and_then(input),
            ..Self::default()
        }
    }

    pub(super) fn is_head(&self) -> bool {
        self.id.is_some() || self.name.is_some()
    }
}

/// Input as text, or as an object where a server does not serialise it.
fn input(value: &str) -> Option<Cow<'_, str>> {
    match json::is_object(value) {
        true => Some(Cow::Borrowed(value)),
        false => loose::text(value),
    }
}
