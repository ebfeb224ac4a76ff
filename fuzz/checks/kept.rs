//! What no translation may change: the words, the inputs of calls, the counts.
//!
//! The same is read from both sides of a translation. Refusals are words: not every API tells them apart. Input
//! is compared byte for byte; one that is empty is an empty object elsewhere, and where an API has objects only,
//! what is none cannot be compared.

use std::collections::{BTreeMap, BTreeSet};

use punctual_wire::{
    Surface, Usage,
    middle::{Answer, Choice, Delta, Lost, Part},
};

/// What an answer says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// The choice that said something first: all there is where an API has no choices.
    first: Option<u32>,
    choices: BTreeMap<u32, One>,
    /// Completion tokens.
    output: Option<u64>,
    /// Input of calls had no place, and that was told.
    lost: bool,
}

/// What one choice says.
#[derive(Debug, Default, PartialEq)]
struct One {
    /// Texts and refusals, joined.
    words: String,
    /// Refusals.
    refusal: String,
    /// Name and input of each call, in the order in which they begin.
    calls: Vec<(String, String)>,
    /// The calls that were told to be whole.
    whole: BTreeSet<u32>,
}

impl Said {
    /// Takes the next step of a stream.
    pub(super) fn step(&mut self, delta: &Delta<'_>) {
        if let Delta::Usage(usage) = delta {
            self.count(usage);
        }
        let Some(choice) = choice(delta) else { return };
        self.first.get_or_insert(choice);
        let one = self.choices.entry(choice).or_default();
        match delta {
            Delta::Text { text, .. } => one.words.push_str(text),
            Delta::Refusal { text, .. } => one.refuse(text),
            Delta::Whole {
                part: Part::Text { text, .. },
                ..
            } => one.words.push_str(text),
            Delta::ToolCall { index, name, .. } => {
                assert_eq!(*index as usize, one.calls.len(), "calls are numbered on");
                one.calls.push((name.to_string(), String::new()));
            }
            Delta::ToolDone { index, .. } => {
                one.whole.insert(*index);
            }
            Delta::ToolInput { index, .. } if one.whole.contains(index) => {
                panic!("input of call {index}, which is whole")
            }
            Delta::ToolInput { index, json, .. } => match one.calls.get_mut(*index as usize) {
                Some((_, input)) => input.push_str(json),
                None => panic!("input of call {index}, which has not begun"),
            },
            _ => {}
        }
    }

    /// Takes over what had no place.
    pub(super) fn lost(&mut self, lost: &Lost) {
        self.lost |= lost
            .content
            .iter()
            .any(|name| name.starts_with("tool_calls"));
    }

    fn count(&mut self, usage: &Usage) {
        self.output = usage.output.or(self.output);
    }

    /// What a whole answer says; as a stream, a choice without anything is not told.
    pub(super) fn of(answer: &Answer, whole: bool) -> Self {
        let told = |choice: &&Choice| whole || choice.finish.is_some() || !choice.parts.is_empty();
        let mut said = Self {
            first: answer.choices.iter().find(told).map(|choice| choice.index),
            ..Self::default()
        };
        for choice in &answer.choices {
            let one = said.choices.entry(choice.index).or_default();
            for part in &choice.parts {
                match part {
                    Part::Text { text, .. } => one.words.push_str(text),
                    Part::Refusal { text } => one.refuse(text),
                    Part::ToolCall(call) => one.calls.push((call.name.clone(), call.input.clone())),
                    _ => {}
                }
            }
        }
        answer.usage.iter().for_each(|usage| said.count(usage));
        said
    }

    /// Compares with what came of it on a surface; `whole` is for answers that are no streams.
    pub(super) fn is_kept(&self, on: Surface, read: &Self, whole: bool) -> Result<(), String> {
        let nothing = One::default();
        let kept = |old: Option<&One>, choice| {
            let (old, new) = (
                old.unwrap_or(&nothing),
                read.choices.get(&choice).unwrap_or(&nothing),
            );
            old.words_are_kept(new, on)?;
            match self.lost {
                true => Ok(()),
                false => old.calls_are_kept(new, whole && on == Surface::Messages),
            }
        };
        match (on, self.first) {
            (Surface::Chat | Surface::Passthrough, _) => {
                for (choice, old) in &self.choices {
                    kept(Some(old), *choice)?;
                }
            }
            (_, Some(first)) => kept(self.choices.get(&first), 0)?,
            (_, None) => {}
        }
        match self.output.is_none() || self.output == read.output {
            true => Ok(()),
            false => Err(format!("{:?} tokens became {:?}", self.output, read.output)),
        }
    }
}

impl One {
    fn refuse(&mut self, text: &str) {
        self.words.push_str(text);
        self.refusal.push_str(text);
    }

    /// In their order, but a whole chat completion has refusals beside its text.
    fn words_are_kept(&self, read: &Self, on: Surface) -> Result<(), String> {
        let kept = match on {
            Surface::Chat => self.words.len() == read.words.len() && self.refusal == read.refusal,
            _ => self.words == read.words,
        };
        match kept {
            true => Ok(()),
            false => Err(format!("words: {:?} became {:?}", self.words, read.words)),
        }
    }

    fn calls_are_kept(&self, read: &Self, objects: bool) -> Result<(), String> {
        // a call of nothing is none to some, or more of the one before
        if self.calls.iter().any(|(name, _)| name.is_empty()) {
            return Ok(());
        }
        let (old, new) = (&self.calls, &read.calls);
        let same = |(old, new): (&(String, String), &(String, String))| {
            old.0 == new.0 && same_input(&old.1, &new.1, objects)
        };
        match old.len() == new.len() && old.iter().zip(new).all(same) {
            true => Ok(()),
            false => Err(format!("calls: {old:?} became {new:?}")),
        }
    }
}

fn choice(delta: &Delta<'_>) -> Option<u32> {
    match delta {
        Delta::Text { choice, .. }
        | Delta::Refusal { choice, .. }
        | Delta::Reasoning { choice, .. }
        | Delta::Signature { choice, .. }
        | Delta::Opaque { choice, .. }
        | Delta::ToolCall { choice, .. }
        | Delta::CallSignature { choice, .. }
        | Delta::ToolInput { choice, .. }
        | Delta::ToolDone { choice, .. }
        | Delta::Whole { choice, .. }
        | Delta::Citation { choice, .. }
        | Delta::Finish { choice, .. } => Some(*choice),
        _ => None,
    }
}

/// Whether input is the same on both sides; where there are only `objects`, if it is one.
pub(super) fn same_input(old: &str, new: &str, objects: bool) -> bool {
    fn of(input: &str) -> &str {
        if input.is_empty() { "{}" } else { input }
    }
    let (old, new) = (of(old), of(new));
    match objects {
        true => !is_object(old) || old.trim_ascii() == new.trim_ascii(),
        false => old == new || in_one_line(old) == new,
    }
}

/// A stream in lines has blanks between tokens where the answer had line ends; a string has none.
fn in_one_line(input: &str) -> String {
    match is_object(input) {
        true => input.replace(['\r', '\n'], " "),
        false => input.to_owned(),
    }
}

fn is_object(json: &str) -> bool {
    super::is_json(json.as_bytes()) && json.trim_ascii_start().starts_with('{')
}
