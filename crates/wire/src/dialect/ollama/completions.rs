//! Legacy completions as callers expect them: OpenAI's `text_completion`, whole and streamed.
//!
//! It has a place for text and for nothing else. The reason to end comes in a chunk of its own, when it is
//! known to be the last one; then the counts, if they were asked for, and `[DONE]`.

use bytes::{Bytes, BytesMut};
use serde::Serialize;

use crate::{
    Usage,
    dialect::Finish,
    middle::{Answer, Asked, Delta, Encode, Lost, Part},
};

#[derive(Serialize)]
struct Completion<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Counts>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    text: &'a str,
    index: u32,
    logprobs: (),
    finish_reason: Option<&'static str>,
}

#[derive(Clone, Copy, Serialize)]
struct Counts {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

impl Counts {
    /// What was not told is 0: callers take these for granted.
    fn of(usage: &Usage) -> Self {
        let (input, output) = (usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        Self {
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: usage.total.unwrap_or(input.saturating_add(output)),
        }
    }
}

/// There are three words.
fn reason(finish: &Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::ContentFilter => "content_filter",
        _ => "stop",
    }
}

/// Writes a whole answer.
pub(super) fn answer(answer: &Answer, asked: &Asked) -> Bytes {
    let texts: Vec<String> = answer
        .choices
        .iter()
        .map(|choice| {
            let texts = choice.parts.iter().filter_map(|part| match part {
                Part::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            texts.collect()
        })
        .collect();
    let choices = answer.choices.iter().zip(&texts);
    let choices = choices.map(|(choice, text)| Choice {
        text,
        index: choice.index,
        logprobs: (),
        finish_reason: choice.finish.as_ref().map(reason),
    });
    let completion = Completion {
        id: &format!("cmpl-{}", asked.id),
        object: "text_completion",
        created: answer.created.unwrap_or(asked.now),
        model: answer.model.as_deref().unwrap_or(&asked.model),
        choices: choices.collect(),
        usage: answer.usage.as_ref().map(|usage| Some(Counts::of(usage))),
    };
    serde_json::to_vec(&completion).unwrap_or_default().into()
}

/// A writer of a streamed answer.
pub fn stream(asked: &Asked) -> Box<dyn Encode> {
    Box::new(Writer {
        id: format!("cmpl-{}", asked.id),
        model: asked.model.to_string(),
        created: asked.now,
        counted: asked.include_usage,
        finishes: Vec::new(),
        usage: Usage::default(),
        lost: Lost::default(),
    })
}

struct Writer {
    id: String,
    model: String,
    created: u64,
    counted: bool,
    finishes: Vec<(u32, &'static str)>,
    usage: Usage,
    lost: Lost,
}

impl Writer {
    fn chunk(&self, choices: Vec<Choice<'_>>, usage: Option<Counts>, out: &mut BytesMut) {
        let completion = Completion {
            id: &self.id,
            object: "text_completion",
            created: self.created,
            model: &self.model,
            choices,
            // every other chunk says that it has none
            usage: self.counted.then_some(usage),
        };
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(&serde_json::to_vec(&completion).unwrap_or_default());
        out.extend_from_slice(b"\n\n");
    }
}

impl Encode for Writer {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        match delta {
            Delta::Start(start) => {
                if let [_, Some(model)] = start.repeated() {
                    self.model = model.to_owned();
                }
                self.created = start.created.unwrap_or(self.created);
            }
            Delta::Text {
                choice,
                text,
                logprobs,
            } => {
                if logprobs.is_some() {
                    self.lost.content("logprobs");
                }
                let choice = Choice {
                    text,
                    index: *choice,
                    logprobs: (),
                    finish_reason: None,
                };
                self.chunk(vec![choice], None, out);
            }
            Delta::Finish { choice, finish, .. } => {
                self.finishes.retain(|(known, _)| known != choice);
                self.finishes.push((*choice, reason(finish)));
            }
            Delta::Usage(usage) => self.usage.update(*usage),
            Delta::Reasoning { .. } | Delta::Opaque { .. } => self.lost.content("reasoning"),
            Delta::Refusal { .. } => self.lost.content("refusal"),
            Delta::ToolCall { .. } => self.lost.content("tool_calls"),
            Delta::Whole { .. } => self.lost.content("content"),
            Delta::Citation { .. } => self.lost.content("annotations"),
            Delta::Lost(kind) => self.lost.content(*kind),
            _ => {}
        }
    }

    fn close(&mut self, out: &mut BytesMut) {
        for (index, finish) in std::mem::take(&mut self.finishes) {
            let choice = Choice {
                text: "",
                index,
                logprobs: (),
                finish_reason: Some(finish),
            };
            self.chunk(vec![choice], None, out);
        }
        if self.counted {
            self.chunk(Vec::new(), Some(Counts::of(&self.usage)), out);
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn lost(&self) -> &Lost {
        &self.lost
    }
}
