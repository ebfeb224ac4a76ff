//! A whole answer, put together from the steps of a stream.
//!
//! Some dialects say in a whole answer exactly what they say in a frame of a stream. They are read by one
//! reader, so that streams and whole answers cannot mean different things, and its steps are put together
//! here.

use crate::middle::{Answer, Choice, Delta, Json, Part, ToolCall};

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    answer: Answer,
    /// What is cited in each choice.
    cited: Vec<(u32, Vec<Json>)>,
}

impl Gathered {
    /// Takes the next step.
    pub(super) fn take(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Start(start) => {
                self.answer.id = start.id.map(Into::into);
                self.answer.model = start.model.map(Into::into);
                self.answer.created = start.created;
            }
            Delta::Text {
                choice,
                text,
                logprobs,
            } => self.text(choice, &text, logprobs),
            Delta::Reasoning { choice, text } => match self.choice(choice).parts.last_mut() {
                Some(Part::Reasoning { text: said, .. }) => said.push_str(&text),
                _ => self.choice(choice).parts.push(Part::reasoning(text)),
            },
            Delta::Signature { choice, value } => {
                let parts = self.choice(choice).parts.iter_mut().rev();
                let thoughts = parts.filter_map(|part| match part {
                    Part::Reasoning { signature, .. } => Some(signature),
                    _ => None,
                });
                if let Some(signature) = thoughts.into_iter().next() {
                    *signature = Some(value.into());
                }
            }
            Delta::ToolCall {
                choice, id, name, ..
            } => self.choice(choice).parts.push(Part::ToolCall(ToolCall {
                id: id.into(),
                name: name.into(),
                input: String::new(),
                signature: None,
            })),
            Delta::ToolInput {
                choice,
                index,
                json,
            } => {
                if let Some(call) = self.call(choice, index) {
                    call.input.push_str(&json);
                }
            }
            Delta::CallSignature {
                choice,
                index,
                value,
            } => {
                if let Some(call) = self.call(choice, index) {
                    call.signature = Some(value.into());
                }
            }
            Delta::Citation { choice, json, .. } => self.cite(choice, json),
            Delta::Whole { choice, part } => self.choice(choice).parts.push(part),
            Delta::Finish { choice, finish, .. } => self.choice(choice).finish = Some(finish),
            Delta::Usage(usage) => self.answer.usage.get_or_insert_default().update(usage),
            Delta::Durations(durations) => self.answer.durations = durations,
            Delta::Lost(kind) => self.answer.lost.content(kind),
            _ => {}
        }
    }

    /// The answer, which has at least one choice.
    pub(super) fn answer(mut self) -> Answer {
        if self.answer.choices.is_empty() {
            self.choice(0);
        }
        for (choice, all) in std::mem::take(&mut self.cited) {
            let parts = self.choice(choice).parts.iter_mut().rev();
            let texts = parts.filter_map(|part| match part {
                Part::Text { citations, .. } => Some(citations),
                _ => None,
            });
            if let Some(citations) = texts.into_iter().next() {
                *citations = Some(Json::of(&all));
            }
        }
        self.answer.choices.sort_by_key(|choice| choice.index);
        self.answer
    }

    /// Citations are of the text that was told last.
    fn cite(&mut self, choice: u32, json: &str) {
        let known = self.cited.iter_mut().find(|(of, _)| *of == choice);
        match known {
            Some((_, all)) => all.extend(Json::parse(json)),
            None => self
                .cited
                .push((choice, Json::parse(json).into_iter().collect())),
        }
    }

    fn text(&mut self, choice: u32, text: &str, logprobs: Option<&str>) {
        let choice = self.choice(choice);
        if choice.logprobs.is_none() {
            choice.logprobs = logprobs.and_then(Json::parse);
        }
        match choice.parts.last_mut() {
            Some(Part::Text { text: said, .. }) => said.push_str(text),
            _ => choice.parts.push(Part::text(text)),
        }
    }

    fn choice(&mut self, index: u32) -> &mut Choice {
        let choices = &mut self.answer.choices;
        let known = choices.iter().position(|choice| choice.index == index);
        let at = known.unwrap_or(choices.len());
        if at == choices.len() {
            choices.push(Choice {
                index,
                ..Choice::default()
            });
        }
        &mut choices[at]
    }

    fn call(&mut self, choice: u32, index: u32) -> Option<&mut ToolCall> {
        let calls = self
            .choice(choice)
            .parts
            .iter_mut()
            .filter_map(|part| match part {
                Part::ToolCall(call) => Some(call),
                _ => None,
            });
        calls.into_iter().nth(usize::try_from(index).ok()?)
    }
}
