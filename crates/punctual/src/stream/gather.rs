//! Putting an answer together from its steps.

use crate::{answer::Answer, delta::Delta};
use punctual_wire::middle::{Choice, Part, ToolCall};

/// An answer in the making.
#[derive(Default)]
pub(super) struct Gathered {
    answer: Answer,
    /// Where each tool call stands: choice, index, place among the parts.
    calls: Vec<(u32, u32, usize)>,
}

impl Gathered {
    pub(super) fn take(&mut self, step: Delta) {
        match step {
            Delta::Text { choice, text } => match self.last(choice) {
                Some(Part::Text { text: begun, .. }) => begun.push_str(&text),
                _ => self.push(choice, Part::text(text)),
            },
            Delta::Reasoning { choice, text } => match self.last(choice) {
                Some(Part::Reasoning { text: begun, .. }) => begun.push_str(&text),
                _ => self.push(choice, thought(text)),
            },
            Delta::Refusal { choice, text } => match self.last(choice) {
                Some(Part::Refusal { text: begun }) => begun.push_str(&text),
                _ => self.push(choice, Part::Refusal { text }),
            },
            Delta::ToolCall {
                choice,
                index,
                id,
                name,
            } => {
                let at = self.choice(choice).parts.len();
                self.calls.push((choice, index, at));
                let call = ToolCall {
                    id,
                    name,
                    input: String::new(),
                    signature: None,
                };
                self.push(choice, Part::ToolCall(call));
            }
            Delta::ToolInput {
                choice,
                index,
                json,
            } => self.input(choice, index, &json),
            Delta::Part { choice, part } => self.part(choice, part),
            Delta::Meta { id, model } => {
                self.answer.id = id.or(self.answer.id.take());
                self.answer.model = model.or(self.answer.model.take());
            }
            Delta::Done(done) => {
                self.choice(0).finish.clone_from(&done.finish);
                self.answer.finish = done.finish;
                self.answer.usage = done.usage;
                self.answer.records = done.records;
            }
        }
    }

    pub(super) fn finish(self) -> Answer {
        self.answer
    }

    fn choice(&mut self, index: u32) -> &mut Choice {
        let choices = &mut self.answer.choices;
        let at = choices.iter().position(|choice| choice.index == index);
        let at = at.unwrap_or_else(|| {
            let behind = choices.iter().position(|choice| choice.index > index);
            let at = behind.unwrap_or(choices.len());
            let choice = Choice {
                index,
                ..Choice::default()
            };
            choices.insert(at, choice);
            at
        });
        &mut choices[at]
    }

    fn last(&mut self, choice: u32) -> Option<&mut Part> {
        self.choice(choice).parts.last_mut()
    }

    fn push(&mut self, choice: u32, part: Part) {
        self.choice(choice).parts.push(part);
    }

    fn input(&mut self, choice: u32, index: u32, json: &str) {
        let ours = |call: &&(u32, u32, usize)| (call.0, call.1) == (choice, index);
        let Some((_, _, at)) = self.calls.iter().rev().find(ours).copied() else {
            return;
        };
        if let Some(Part::ToolCall(call)) = self.choice(choice).parts.get_mut(at) {
            call.input.push_str(json);
        }
    }

    /// A signature belongs to the thought before it; anything else is a part by itself.
    fn part(&mut self, choice: u32, part: Part) {
        if let Part::Reasoning {
            text,
            signature: Some(proof),
            opaque: None,
            ..
        } = &part
            && text.is_empty()
            && let Some(Part::Reasoning { signature, .. }) = self.last(choice)
        {
            *signature = Some(proof.clone());
            return;
        }
        self.push(choice, part);
    }
}

fn thought(text: String) -> Part {
    Part::Reasoning {
        text,
        signature: None,
        opaque: None,
        id: None,
    }
}
