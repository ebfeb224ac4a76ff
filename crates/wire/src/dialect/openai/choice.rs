//! One element of `choices`, of an event or of a whole answer.

use std::borrow::Cow;

use super::{content::Held, failure};
use crate::{Verdict, json};

/// What a choice says.
#[derive(Debug, Default)]
pub(super) struct Choice<'a> {
    /// Absent means the first.
    pub(super) index: usize,
    delta: Option<Held>,
    message: Option<Held>,
    text: bool,
    /// Not empty.
    pub(super) finish: Option<Cow<'a, str>>,
}

impl<'a> json::Sink<'a> for Choice<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key {
            b"index" => {
                let index = json::count(value.raw()?);
                self.index = index
                    .and_then(|index| usize::try_from(index).ok())
                    .unwrap_or(0);
            }
            b"delta" => self.delta = Held::read(value)?,
            b"message" => self.message = Held::read(value)?,
            b"text" => self.text = json::is_text(value.raw()?),
            b"finish_reason" => {
                self.finish = json::text(value.raw()?).filter(|word| !word.is_empty());
            }
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl Choice<'_> {
    /// What it holds. Perplexity repeats all text so far in `message` beside the delta, which
    /// says nothing new; Together repeats the delta in `text`.
    pub(super) fn held(&self) -> Held {
        let held = self.delta.or(self.message).unwrap_or_default();
        Held {
            content: held.content || self.text,
            visible: held.visible || self.text,
            ..held
        }
    }

    /// The failure that its finish reason admits.
    pub(super) fn failure(&self) -> Option<Verdict> {
        failure::of_finish(self.finish.as_deref()?)
    }
}
